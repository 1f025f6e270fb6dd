"""Replies that are still growing: Telegram's own drafts in private chats, a message that is
edited in groups."""

import asyncio
import logging
import zlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from telegram import Bot
from telegram.error import BadRequest, InvalidToken, RetryAfter, TelegramError

from adapters.pacing import Pace
from adapters.telegram.client import reason
from adapters.telegram.outbound.calls import Calls
from adapters.telegram.outbound.cutting import cut
from adapters.telegram.outbound.entities import entities_of, is_unchanged, replying_to
from adapters.telegram.outbound.formatting import styled
from adapters.telegram.outbound.spans import Styled
from adapters.telegram.targets import Target
from bot.clock import Clock
from bot.messages import Draft

log = logging.getLogger(__name__)

IN_PRIVATE = Pace(first_seconds=0.5, every_seconds=1.0, least_characters=1)
IN_GROUPS = Pace(first_seconds=2.0, every_seconds=3.0)

FREE_IN_PRIVATE, FREE_IN_GROUPS = 1, 2
"""Sends that drafts leave to finished replies."""

FAILURES = 3
"""A draft that could not be shown so often is not shown any more; the reply itself is sent."""

SLOWER = 2.0
"""After Telegram asked to wait, the draft is shown at this multiple of its usual intervals."""


@dataclass(slots=True, eq=False, kw_only=True)
class _Growing:
    draft: Draft
    target: Target
    begun: float
    shown_at: float | None = None
    shown: str = ""
    ids: list[str] = field(default_factory=list)
    slowness: float = 1.0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    calling: asyncio.Lock = field(default_factory=asyncio.Lock)
    task: asyncio.Task[None] | None = None


class Drafts:
    """All growing replies of one account. Each has a task of its own, so that the model
    need not wait for the network."""

    def __init__(
        self, bot: Bot, calls: Calls, clock: Clock, real_id: Callable[[str], int | None]
    ) -> None:
        self._bot = bot
        self._calls = calls
        self._clock = clock
        self._real_id = real_id
        self._growing: dict[str, _Growing] = {}
        self._has_own_drafts = True  # until the server says otherwise

    def show(self, draft: Draft, target: Target) -> Sequence[str]:
        """Shows the text when its time has come. The ids of the message that stands for it
        so far; none in private chats, where a draft is no message."""
        growing = self._growing.get(draft.nonce)
        if growing is None:
            growing = _Growing(draft=draft, target=target, begun=self._now())
            self._growing[draft.nonce] = growing
            growing.task = asyncio.create_task(self._run(growing))
        growing.draft = draft
        growing.changed.set()
        return list(growing.ids)

    async def end(self, nonce: str) -> list[str]:
        """Shows nothing more of a reply; a call under way ends first. The ids of what
        stands for it."""
        growing = self._growing.pop(nonce, None)
        if growing is None or growing.task is None:
            return []
        async with growing.calling:
            growing.task.cancel()
        [result] = await asyncio.gather(growing.task, return_exceptions=True)
        if isinstance(result, Exception):
            log.error("A draft could not be shown.", exc_info=result)
        return growing.ids

    async def close(self) -> None:
        for nonce in list(self._growing):
            await self.end(nonce)

    async def _run(self, growing: _Growing) -> None:
        show = self._show_draft if growing.target.is_dm else self._show_message
        failures = 0
        while failures < FAILURES and (self._has_own_drafts or not growing.target.is_dm):
            if wait := self._wait(growing):
                await self._clock.sleep(wait)
                continue
            part = _beginning(growing.draft.text)
            if part is None or part.text == growing.shown or not self._is_enough(growing):
                growing.changed.clear()
                await growing.changed.wait()
                continue
            growing.shown_at = self._now()
            keep = FREE_IN_PRIVATE if growing.target.is_dm else FREE_IN_GROUPS
            if self._calls.may(growing.target.chat, keep=keep):
                failures += not await self._try(show, growing, part)

    def _wait(self, growing: _Growing) -> float:
        now = self._now()
        wait = _pace(growing).wait(begun=growing.begun, shown=growing.shown_at, now=now)
        if growing.shown_at is None:
            return wait
        slower = _pace(growing).every_seconds * growing.slowness
        return max(growing.shown_at + slower - now, 0.0)

    def _is_enough(self, growing: _Growing) -> bool:
        return bool(growing.shown) or len(growing.draft.text) >= _pace(growing).least_characters

    async def _try(
        self,
        show: Callable[[_Growing, Styled], Awaitable[None]],
        growing: _Growing,
        part: Styled,
    ) -> bool:
        async with growing.calling:
            try:
                await show(growing, part)
            except RetryAfter as error:
                growing.slowness *= SLOWER
                self._calls.hold(self._calls.now_at(growing.target.chat), error)
            except TelegramError as error:
                if not is_unchanged(error):
                    log.debug("A draft was not shown: %s", reason(error))
                    return False
            growing.shown = part.text
        return True

    async def _show_draft(self, growing: _Growing, part: Styled) -> None:
        try:
            await self._bot.send_message_draft(
                growing.target.chat,
                zlib.crc32(growing.draft.nonce.encode()) or 1,
                part.text,
                message_thread_id=growing.target.topic,
                entities=entities_of(part),
            )
        except (InvalidToken, BadRequest) as error:
            if isinstance(error, InvalidToken) or "method" in error.message.lower():
                self._has_own_drafts = False
                log.info("This Bot API server knows no drafts; replies appear when finished.")
            raise

    async def _show_message(self, growing: _Growing, part: Styled) -> None:
        chat = self._calls.now_at(growing.target.chat)
        if growing.ids:
            await self._bot.edit_message_text(
                part.text, chat, int(growing.ids[0]), entities=entities_of(part)
            )
            return
        sent = await self._bot.send_message(
            chat,
            part.text,
            entities=entities_of(part),
            message_thread_id=growing.target.topic,
            reply_parameters=replying_to(growing.draft.reply_to, self._real_id),
        )
        growing.ids = [str(sent.message_id)]

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _pace(growing: _Growing) -> Pace:
    return IN_PRIVATE if growing.target.is_dm else IN_GROUPS


def _beginning(text: str) -> Styled | None:
    """As much of a growing text as one message holds."""
    parts = cut(styled(text))
    return parts[0] if parts else None
