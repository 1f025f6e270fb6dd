"""Asks Telegram for updates, and confirms only those that are settled."""

import asyncio
import logging
from collections.abc import Callable

from telegram import Update
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from adapters.telegram.client import Client, number_of, read_update, reason, retry_seconds
from bot.clock import Clock

log = logging.getLogger(__name__)

LONG_POLL_SECONDS = 30
SETTLE_SECONDS = 0.3
"""While something is not settled yet, Telegram is asked again after this time."""

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
CONFLICT_WAIT_SECONDS = 15.0
CONFIRM_SECONDS = 3.0


class Polling:
    """The loop of one account. `take` begins with an update and returns the event that is
    set when it is settled.

    Telegram counts an update as received when a later one is asked for: so what is asked
    for is the first that is not settled, even if it was delivered before.
    """

    def __init__(
        self, bot: Client, take: Callable[[Update], asyncio.Event], clock: Clock, *, name: str
    ) -> None:
        self._bot = bot
        self._take = take
        self._clock = clock
        self._name = name
        self._open: dict[int, asyncio.Event] = {}  # updates that are not confirmed
        self._next = 0  # after the newest update
        self._wait = 0.0

    async def run(self) -> None:
        """Receives until cancelled. Raises InvalidToken when the token is taken back."""
        while True:
            try:
                await self._once()
                self._recovered()
            except InvalidToken:
                raise
            except Conflict as error:
                await self._conflict(error)
            except RetryAfter as error:
                await self._clock.sleep(retry_seconds(error))
            except TelegramError as error:
                await self._back_off(error)

    async def confirm(self) -> None:
        """Tells Telegram what is settled, so that it is not delivered to the next process.
        If that fails it is delivered again, and known there."""
        try:
            async with asyncio.timeout(CONFIRM_SECONDS):
                await self._bot.fetch(self._offset(), seconds=0, limit=1)
        except (TelegramError, TimeoutError) as error:
            log.info("%s: the last updates stay unconfirmed: %r", self._name, error)

    async def _once(self) -> None:
        offset = self._offset()
        unsettled = [event for event in self._open.values() if not event.is_set()]
        found = await self._bot.fetch(offset, seconds=0 if unsettled else LONG_POLL_SECONDS)
        for number in [number for number in self._open if number < offset]:
            del self._open[number]
        for data in found:
            if (number := number_of(data)) in self._open:
                continue  # it was begun already, and is not settled
            self._open[number] = self._begin(data)
            self._next = max(self._next, number + 1)
            await asyncio.sleep(0)
        await self._settle()

    def _begin(self, data: object) -> asyncio.Event:
        """Takes an update; one that the client cannot read is passed over."""
        if (update := read_update(data)) is not None:
            return self._take(update)
        passed_over = asyncio.Event()
        passed_over.set()
        return passed_over

    def _offset(self) -> int:
        """The oldest update that is not settled, or the one after all of them."""
        unsettled = [number for number, event in self._open.items() if not event.is_set()]
        return min(unsettled, default=self._next)

    async def _settle(self) -> None:
        """Waits a moment for what is not settled; usually it takes milliseconds."""
        waits = [
            asyncio.create_task(event.wait()) for event in self._open.values() if not event.is_set()
        ]
        if not waits:
            return
        try:
            await asyncio.wait(waits, timeout=SETTLE_SECONDS)
        finally:
            for task in waits:
                task.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    # -- when it does not work ---------------------------------------------------------------
    def _recovered(self) -> None:
        if self._wait:
            log.info("%s: Telegram answers again.", self._name)
        self._wait = 0.0

    async def _conflict(self, error: Conflict) -> None:
        log.error(
            "%s: somebody else receives with this bot's token, and Telegram lets only one: "
            "stop the other program, or take a new token from @BotFather. (%s)",
            self._name,
            reason(error),
        )
        self._wait = min(max(self._wait * 2, CONFLICT_WAIT_SECONDS), LONGEST_WAIT_SECONDS)
        await self._clock.sleep(self._wait)

    async def _back_off(self, error: TelegramError) -> None:
        self._wait = min(max(self._wait * 2, FIRST_WAIT_SECONDS), LONGEST_WAIT_SECONDS)
        log.warning(
            "%s: no updates (%s); asking again in %.0f s.", self._name, reason(error), self._wait
        )
        await self._clock.sleep(self._wait)
