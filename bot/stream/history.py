"""The stage that a row of exchanges leads to, told from the beginning."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from bot.stream.bonds import FIRST_WEIGHT, Stage, Standing
from bot.stream.stages import move

LATELY = timedelta(days=28)
RECENT = 10
"""Of so many of the newest exchanges it is told how they went."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """One exchange of one direction: when it was begun and answered, and what it changed."""

    begun: datetime
    at: datetime
    delta: int


def stage_after(past: Sequence[Past]) -> tuple[Stage, datetime]:
    """The stage after these exchanges, and since when: a move may be due before each of them
    and after it.

    `past`: in UTC, oldest answer first, at least one.
    """
    stage, since = Stage.FIRST_MET, past[0].begun
    sums = _Sums()
    for one in past:
        for now, counted in ((one.begun, None), (one.at, one)):
            if counted is not None:
                sums.add(counted, since)
            after = move(stage, sums.standing(), now).after
            if after is not stage:
                stage, since = after, now
                sums.begin_stage(since)
    return stage, since


@dataclass(slots=True)
class _Sums:
    """A standing that grows by one exchange at a time."""

    weight: int = FIRST_WEIGHT
    exchanges: int = 0
    days: set[date] = field(default_factory=set)
    lately: deque[datetime] = field(default_factory=deque)
    recent: deque[Past] = field(default_factory=lambda: deque(maxlen=RECENT))
    past: list[Past] = field(default_factory=list)
    since_exchanges: int = 0
    since_days: set[date] = field(default_factory=set)
    last_at: datetime | None = None

    def add(self, one: Past, since: datetime) -> None:
        self.weight += one.delta
        self.exchanges += 1
        self.past.append(one)
        self.days.add(one.at.date())
        self.recent.append(one)
        self.last_at = one.at
        self.lately.append(one.at)
        while self.lately[0] < one.at - LATELY:
            self.lately.popleft()
        if one.at > since:
            self.since_exchanges += 1
            self.since_days.add(one.at.date())

    def begin_stage(self, since: datetime) -> None:
        """What is counted from the beginning of a stage is counted anew."""
        after = [one.at for one in self.past if one.at > since]
        self.since_exchanges = len(after)
        self.since_days = {at.date() for at in after}

    def standing(self) -> Standing:
        return Standing(
            weight=self.weight,
            exchanges=self.exchanges,
            days=len(self.days),
            lately=len(self.lately),
            recent=sum(one.delta for one in self.recent),
            bad_days=len({one.at.date() for one in self.recent if one.delta < 0}),
            since_exchanges=self.since_exchanges,
            since_days=len(self.since_days),
            last_at=self.last_at,
        )
