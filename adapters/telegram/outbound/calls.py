"""Calls within Telegram's limits: paced, held when it says so, repeated where a chat moved."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from telegram.error import ChatMigrated, RetryAfter

from adapters.pacing import Allowance, Pacer
from adapters.telegram.client import retry_seconds
from bot.clock import Clock
from bot.errors import SendError

log = logging.getLogger(__name__)

T = TypeVar("T")

IN_A_CHAT = Allowance(sends=3, seconds=3.2)
IN_A_GROUP = Allowance(sends=20, seconds=61.0)
OVERALL = Allowance(sends=25, seconds=1.0)
"""Telegram allows one send a second in a chat (a few at once are tolerated), 20 a minute in
a group and 30 a second in all. A little less, for what is under way in the network."""

TRIES = 4
LONGEST_WAIT_SECONDS = 600.0
"""If Telegram asks for a longer wait, the send is given up for now."""

MARGIN_SECONDS = 0.1


class Calls:
    """All calls of one account that make or change messages. `moved` is told of a chat
    that has become another."""

    def __init__(self, clock: Clock, moved: Callable[[int, int], Awaitable[None]]) -> None:
        self._clock = clock
        self._tell_moved = moved
        self._chats = Pacer(clock, [IN_A_CHAT])
        self._groups = Pacer(clock, [IN_A_CHAT, IN_A_GROUP])
        self._all = Pacer(clock, [OVERALL])
        self._held: dict[int, float] = {}  # until when, by chat
        self._new: dict[int, int] = {}  # the chat that another one became

    def now_at(self, chat: int) -> int:
        """The id that a chat has by now."""
        while chat in self._new:
            chat = self._new[chat]
        return chat

    def note_move(self, old: int, new: int) -> None:
        if self.now_at(new) != old:
            self._new[old] = new

    async def call(self, chat: int, act: Callable[[int], Awaitable[T]]) -> T:
        """What `act` returns for the chat's present id, when its turn has come.

        Raises SendError when Telegram asks to wait too long or too often, and whatever
        else `act` raises.
        """
        problem: Exception | None = None
        for _ in range(TRIES):
            chat = self.now_at(chat)
            await self._turn(chat)
            try:
                return await act(chat)
            except RetryAfter as error:
                self.hold(chat, error)
                problem = error
            except ChatMigrated as error:
                self.note_move(chat, error.new_chat_id)
                await self._tell_moved(chat, error.new_chat_id)
                problem = error
        raise SendError("Telegram asked to wait again and again; tried again later.") from problem

    def hold(self, chat: int, error: RetryAfter) -> None:
        """Nothing is sent to the chat until Telegram allows it again."""
        wait = retry_seconds(error)
        log.warning("Telegram asks to wait %.0f s before the next send to a chat.", wait)
        self._held[chat] = max(self._now() + wait + MARGIN_SECONDS, self._held.get(chat, 0))

    def is_held(self, chat: int) -> bool:
        return self._hold_left(self.now_at(chat)) > 0

    def may(self, chat: int, *, keep: int) -> bool:
        """Counts something that can as well be missed, if it may be sent at once and leaves
        so many sends for what cannot."""
        chat = self.now_at(chat)
        if self.is_held(chat):
            return False
        return self._pacer(chat).take(str(chat), keep=keep) and self._all.take("", keep=keep)

    async def _turn(self, chat: int) -> None:
        if (wait := self._hold_left(chat)) > LONGEST_WAIT_SECONDS:
            raise SendError(f"Telegram takes nothing for that chat for {wait:.0f} s.")
        while (wait := self._hold_left(chat)) > 0:
            await self._clock.sleep(wait)
        await self._pacer(chat).turn(str(chat))
        await self._all.turn("")

    def _pacer(self, chat: int) -> Pacer:
        return self._groups if chat < 0 else self._chats

    def _hold_left(self, chat: int) -> float:
        until = self._held.get(chat, 0.0)
        if until <= self._now():
            self._held.pop(chat, None)
            return 0.0
        return until - self._now()

    def _now(self) -> float:
        return self._clock.now().timestamp()
