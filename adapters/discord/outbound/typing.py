"""The sign that somebody types: until the reply arrives, and never for ever."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from bot.clock import Clock
from bot.errors import SendError

log = logging.getLogger(__name__)

EVERY_SECONDS = 8.0
"""Discord shows one sign for ten seconds."""

MOST_SIGNS = 20
"""A reply that takes longer than this many signs is no longer announced."""


class Typing:
    """Shows the sign in one channel. `sign` shows it once and may raise SendError."""

    def __init__(self, sign: Callable[[], Awaitable[None]], *, clock: Clock) -> None:
        self._sign = sign
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is None:
            return
        self._task.cancel()
        [result] = await asyncio.gather(self._task, return_exceptions=True)
        self._task = None
        if isinstance(result, Exception):
            log.error("The typing sign failed.", exc_info=result)

    async def _run(self) -> None:
        try:
            for _ in range(MOST_SIGNS):
                await self._sign()
                await self._clock.sleep(EVERY_SECONDS)
        except SendError as error:
            log.debug("No typing sign: %s", error)
