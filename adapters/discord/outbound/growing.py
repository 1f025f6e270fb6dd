"""Replies that are still growing: a placeholder, edited at the pace that the limits allow."""

import asyncio
import logging
from dataclasses import dataclass

from adapters.discord.outbound.ways import Part, Way
from adapters.pacing import Allowance, Pace, Pacer
from adapters.splitting import split
from bot.clock import Clock
from bot.errors import SendError, Undeliverable
from bot.messages import Draft

log = logging.getLogger(__name__)

LIMIT = 2000
"""Characters of a message."""

ALLOWANCE = Allowance(sends=5, seconds=5.0)
"""Messages and edits in one channel (the usual bucket; what Discord's headers say goes first)."""

KEPT_FREE = 2
"""Sends that drafts leave to finished replies."""

ROOM_SECONDS = 1.0
"""Until it is looked again whether a draft may be shown."""

PACE = Pace(first_seconds=1.0, every_seconds=1.5)
FAILURES = 3
"""A draft that could not be shown so often is not shown any more; the reply itself is sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """What showing takes. One for each account."""

    clock: Clock
    pacer: Pacer
    pace: Pace = PACE


def opening(text: str) -> str:
    """The beginning of a growing text as one message; code that is still open is closed."""
    shown = split(text, limit=LIMIT - 8)
    first = shown[0] if shown else ""
    if len(shown) > 1:
        return f"{first} …"
    return f"{first}\n```" if first.count("```") % 2 else first


class Growing:
    """One growing reply. A task of its own shows it, so that the model need not wait."""

    def __init__(self, way: Way, draft: Draft, *, chat: str, showing: Showing) -> None:
        self._way = way
        self._draft = draft
        self._chat = chat
        self._showing = showing
        self._shown_text = ""
        self._begun = self._now()
        self._shown_at: float | None = None
        self._calling = asyncio.Lock()
        self._changed = asyncio.Event()
        self.ids: list[str] = []
        self._task = asyncio.create_task(self._run())

    def grow(self, draft: Draft) -> None:
        self._draft = draft
        self._changed.set()

    async def stop(self) -> list[str]:
        """Shows nothing more; a call under way ends first. The ids of what is shown."""
        async with self._calling:
            self._task.cancel()
        [result] = await asyncio.gather(self._task, return_exceptions=True)
        if isinstance(result, Exception):
            log.error("A draft could not be shown.", exc_info=result)
        return self.ids

    async def take_back(self) -> None:
        for message in await self.stop():
            await self._way.remove(message)

    async def _run(self) -> None:
        failures = 0
        while failures < FAILURES:
            wait = self._showing.pace.wait(begun=self._begun, shown=self._shown_at, now=self._now())
            if wait:
                await self._showing.clock.sleep(wait)
                continue
            text = self._way.prefix + opening(self._draft.text)
            enough = len(self._draft.text) >= self._showing.pace.least_characters
            if text == self._shown_text or not (enough or self.ids):
                self._changed.clear()
                await self._changed.wait()
                continue
            if not self._showing.pacer.take(self._chat, keep=KEPT_FREE):
                await self._showing.clock.sleep(ROOM_SECONDS)
                continue
            try:
                await self._show(text)
            except Undeliverable:
                return
            except SendError as error:
                failures += 1
                log.debug("A draft was not shown: %s", error)
            self._shown_at = self._now()

    async def _show(self, text: str) -> None:
        part = Part(text=text, nonce=self._draft.nonce, reply_to=self._draft.reply_to)
        async with self._calling:
            if self.ids:
                await self._way.edit(self.ids[0], part)
            else:
                self.ids = [await self._way.post(part)]
        self._shown_text = text

    def _now(self) -> float:
        return self._showing.clock.now().timestamp()
