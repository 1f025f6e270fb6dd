"""How long ago a member was last taken up, for the cooldown."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.world import AccountKey

MOST_KEPT = 10_000
"""Members; beyond that the oldest are forgotten, which only shortens their wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    began: datetime  # the burst's first message
    last: datetime


class Cooldowns:
    """Remembers in memory alone. A restart forgets it, which does no harm.

    What belongs to one burst is answered together and waits for nothing: a message within
    `burst_seconds` of the one before, no later than `burst_most_seconds` after the first.
    """

    def __init__(self, *, burst_seconds: float, burst_most_seconds: float) -> None:
        self._burst = timedelta(seconds=burst_seconds)
        self._most = timedelta(seconds=burst_most_seconds)
        self._taken: OrderedDict[tuple[int, AccountKey], _Taken] = OrderedDict()

    def is_cooling(
        self, place: int, account: AccountKey, now: datetime, cooldown_seconds: float
    ) -> bool:
        """Whether the member has to wait."""
        taken = self._taken.get((place, account))
        if taken is None or cooldown_seconds <= 0 or self._is_burst(taken, now):
            return False
        return now - taken.last < timedelta(seconds=cooldown_seconds)

    def took(self, place: int, account: AccountKey, now: datetime) -> None:
        """The member's message is going to be answered."""
        before = self._taken.pop((place, account), None)
        joins = before is not None and self._is_burst(before, now)
        began = before.began if before is not None and joins else now
        self._taken[place, account] = _Taken(began=began, last=now)
        if len(self._taken) > MOST_KEPT:
            self._taken.popitem(last=False)

    def _is_burst(self, taken: _Taken, now: datetime) -> bool:
        return now - taken.last <= self._burst and now - taken.began <= self._most
