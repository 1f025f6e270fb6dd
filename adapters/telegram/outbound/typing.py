"""The sign that somebody types, from the first thought until the reply is there."""

import asyncio
import logging

from telegram import Bot
from telegram.constants import ChatAction
from telegram.error import ChatMigrated, RetryAfter, TelegramError

from adapters.telegram.client import reason
from adapters.telegram.outbound.calls import Calls
from adapters.telegram.targets import Target
from bot.clock import Clock

log = logging.getLogger(__name__)

EVERY_SECONDS = 4.5
"""Telegram shows one sign for five seconds, or until a message arrives."""

MOST_SIGNS = 40
"""A reply that takes longer than this many signs is no longer announced."""


class Typing:
    """The signs in all chats of one account."""

    def __init__(self, bot: Bot, calls: Calls, clock: Clock) -> None:
        self._bot = bot
        self._calls = calls
        self._clock = clock
        self._tasks: dict[Target, asyncio.Task[None]] = {}

    def start(self, target: Target) -> None:
        if target not in self._tasks:
            task = asyncio.create_task(self._show(target))
            self._tasks[target] = task
            task.add_done_callback(lambda _: self._tasks.pop(target, None))

    def stop(self, target: Target) -> None:
        if task := self._tasks.pop(target, None):
            task.cancel()

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _show(self, target: Target) -> None:
        for _ in range(MOST_SIGNS):
            if not self._calls.is_held(target.chat):
                await self._sign(target)
            await self._clock.sleep(EVERY_SECONDS)

    async def _sign(self, target: Target) -> None:
        chat = self._calls.now_at(target.chat)
        try:
            await self._bot.send_chat_action(
                chat, ChatAction.TYPING, message_thread_id=target.topic
            )
        except RetryAfter as error:
            self._calls.hold(chat, error)
        except ChatMigrated as error:
            self._calls.note_move(chat, error.new_chat_id)
        except TelegramError as error:
            log.debug("No typing sign: %s", reason(error))
