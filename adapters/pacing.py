"""How often a platform may be spoken to: the pace of growing drafts, and budgets per chat."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from bot.clock import Clock

LEAST_WAIT_SECONDS = 0.001
"""Shorter waits may be lost in the rounding of times, and never end."""

MANY_CHATS = 1000
"""From so many chats on, those with a full budget are forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """When a growing reply is shown. Times in seconds."""

    first_seconds: float  # after its first words; a reply that is ready by then needs no draft
    every_seconds: float  # between two showings
    least_characters: int = 24  # fewer are not worth showing

    def wait(self, *, begun: float, shown: float | None, now: float) -> float:
        """How long until the draft that began at `begun` may be shown again; 0 for now."""
        due = begun + self.first_seconds if shown is None else shown + self.every_seconds
        return max(due - now, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """So many sends in so many seconds."""

    sends: int
    seconds: float


class Budget:
    """Sends of one chat within sliding windows; times are given, never asked for."""

    def __init__(self, allowances: Sequence[Allowance]) -> None:
        self._allowances = allowances
        self._spent: deque[float] = deque(maxlen=max(one.sends for one in allowances))

    def wait(self, now: float) -> float:
        """Seconds until another send is within every allowance; 0 for now."""
        return max((self._wait(one, now) for one in self._allowances), default=0.0)

    def left(self, now: float) -> int:
        """How many sends are allowed at this moment."""
        return min(one.sends - self._recent(one, now) for one in self._allowances)

    def spend(self, now: float) -> None:
        self._spent.append(now)

    def _recent(self, allowance: Allowance, now: float) -> int:
        return sum(now - at < allowance.seconds for at in self._spent)

    def _wait(self, allowance: Allowance, now: float) -> float:
        if self._recent(allowance, now) < allowance.sends:
            return 0.0
        return self._spent[-allowance.sends] + allowance.seconds - now


class Pacer:
    """The budgets of all chats of one account."""

    def __init__(self, clock: Clock, allowances: Sequence[Allowance]) -> None:
        self._clock = clock
        self._allowances = allowances
        self._budgets: dict[str, Budget] = {}

    async def turn(self, chat: str) -> None:
        """Returns when something may be sent to the chat, and counts it."""
        budget = self._budget(chat)
        while wait := budget.wait(self._now()):
            await self._clock.sleep(max(wait, LEAST_WAIT_SECONDS))
        budget.spend(self._now())

    def take(self, chat: str, *, keep: int = 0) -> bool:
        """Counts a send if it may happen at once and leaves `keep` others."""
        budget = self._budget(chat)
        if budget.left(self._now()) <= keep:
            return False
        budget.spend(self._now())
        return True

    def _budget(self, chat: str) -> Budget:
        if len(self._budgets) >= MANY_CHATS and chat not in self._budgets:
            most = max(one.sends for one in self._allowances)
            now = self._now()
            full = [key for key, one in self._budgets.items() if one.left(now) >= most]
            for key in full:
                del self._budgets[key]
        return self._budgets.setdefault(chat, Budget(self._allowances))

    def _now(self) -> float:
        return self._clock.now().timestamp()
