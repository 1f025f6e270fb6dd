"""Time as an argument: whoever needs it is given a clock."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits. `now` is aware, in UTC."""

    def now(self) -> datetime: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The real time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class StoryClock:
    """The real time until it is set; from then on it runs from the time it was set to.

    For stories played in the terminal: sleeping takes real time.
    """

    def __init__(self) -> None:
        self._ahead = timedelta(0)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def set(self, moment: datetime) -> None:
        """From now on it is `moment` (aware)."""
        self._ahead = moment - datetime.now(UTC)
