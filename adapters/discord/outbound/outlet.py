"""What the engine sends to one place: replies in parts, drafts, typing, drafts taken back."""

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2s

from adapters.discord.outbound.failures import MessageGone, TooLong
from adapters.discord.outbound.growing import LIMIT, Growing, Showing
from adapters.discord.outbound.typing import Typing
from adapters.discord.outbound.ways import Part, Way, last_part
from adapters.splitting import split
from bot.errors import SendError, Undeliverable
from bot.messages import Draft, Dropped, File, Kept, Outbound, Reply, Thinking

log = logging.getLogger(__name__)

NONCE_LENGTH = 25
UNFINISHED_KEPT = 200
"""Replies of which some parts are out, and the rest is to be tried again."""

Choose = Callable[[str, bool], Awaitable[Way]]
"""The way for a speaker; private or not. Raises Undeliverable where there is none."""


@dataclass(slots=True, kw_only=True)
class Desk:
    """What the outlets of one account share."""

    showing: Showing
    growing: dict[str, Growing] = field(default_factory=dict)
    posted: OrderedDict[str, list[str]] = field(default_factory=OrderedDict)

    async def close(self) -> None:
        """Ends what still grows; its text stays as it is."""
        while self.growing:
            _, growing = self.growing.popitem()
            await growing.stop()


def part_nonce(nonce: str, number: int) -> str:
    """The nonce of a reply's n-th part (0 the first): the same for every try."""
    if number == 0 and len(nonce) <= NONCE_LENGTH:
        return nonce
    return blake2s(f"{nonce}/{number}".encode(), digest_size=12).hexdigest()


def parts_of(reply: Reply, way: Way, *, limit: int = LIMIT) -> list[Part]:
    """The messages that a reply becomes: the reference on the first, buttons and files on
    the last. A text of more parts than the way allows ends as a file."""
    texts = split(way.prefix + reply.text, limit=limit) or [""]
    if len(texts) > way.most_parts:
        texts = texts[: way.most_parts]
        whole = File(name="reply.md", content=reply.text.encode())
        reply = replace(reply, files=(*reply.files, whole))
    parts: list[Part] = []
    for number, text in enumerate(texts):
        nonce = part_nonce(reply.nonce, number)
        reply_to = reply.reply_to if number == 0 else None
        if number == len(texts) - 1:
            parts.append(last_part(reply, text, nonce, reply_to))
        else:
            parts.append(Part(text=text, nonce=nonce, reply_to=reply_to))
    return parts


class Outlet:
    """The `Send` of one place, for one inbound value or for good."""

    def __init__(
        self, *, chat: str, choose: Choose, desk: Desk, typing: Typing | None = None
    ) -> None:
        self._chat = chat
        self._choose = choose
        self._desk = desk
        self._typing = typing
        self._nonces: set[str] = set()
        self.replied = False

    async def send(self, outbound: Outbound) -> Sequence[str]:
        """Raises SendError, or Undeliverable for good."""
        match outbound:
            case Thinking():
                if self._typing is not None:
                    self._typing.start()
                return ()
            case Draft():
                return await self._draft(outbound)
            case Dropped():
                return await self._drop(outbound)
            case Kept():
                return ()
            case Reply():
                ids = await self._reply(outbound)
                self.replied = True
                return ids

    async def close(self) -> None:
        """The inbound is dealt with: nothing types or grows for it any more."""
        await self._stop_typing()
        for nonce in self._nonces:
            if growing := self._desk.growing.pop(nonce, None):
                await growing.stop()

    async def _stop_typing(self) -> None:
        if self._typing is not None:
            await self._typing.stop()

    async def _draft(self, draft: Draft) -> Sequence[str]:
        growing = self._desk.growing.get(draft.nonce)
        if growing is None:
            way = await self._choose(draft.speaker, False)
            self._nonces.add(draft.nonce)
            growing = Growing(way, draft, chat=self._chat, showing=self._desk.showing)
            self._desk.growing[draft.nonce] = growing
        else:
            growing.grow(draft)
        return tuple(growing.ids)

    async def _drop(self, dropped: Dropped) -> Sequence[str]:
        await self._stop_typing()
        if growing := self._desk.growing.pop(dropped.nonce, None):
            await growing.take_back()
        return ()

    async def _reply(self, reply: Reply) -> Sequence[str]:
        if not reply.text.strip() and not reply.files:
            raise Undeliverable("The reply is empty.")
        way = await self._choose(reply.speaker, reply.private)
        if growing := self._desk.growing.pop(reply.nonce, None):
            shown = await growing.stop()
            if shown and not reply.edit:
                self._remember(reply.nonce, shown)
        await self._stop_typing()
        if reply.edit and reply.nonce not in self._desk.posted:
            self._remember(reply.nonce, list(reply.edit))
        try:
            return await self._put_all(reply, way, limit=LIMIT)
        except TooLong:  # Discord counts otherwise than we do
            return await self._put_all(reply, way, limit=LIMIT // 2)

    def _remember(self, nonce: str, ids: list[str]) -> None:
        self._desk.posted[nonce] = ids
        while len(self._desk.posted) > UNFINISHED_KEPT:
            self._desk.posted.popitem(last=False)

    async def _put_all(self, reply: Reply, way: Way, *, limit: int) -> Sequence[str]:
        """Posts or edits part by part. What is out stays noted if one fails, so that the
        next try goes on there."""
        out = self._desk.posted.get(reply.nonce, [])
        parts = parts_of(reply, way, limit=limit)
        for number, part in enumerate(parts):
            await self._desk.showing.pacer.turn(self._chat)
            existing = out[number] if number < len(out) else None
            out = [*out[:number], await _put(way, part, existing), *out[number + 1 :]]
            self._remember(reply.nonce, out)
        for extra in out[len(parts) :]:
            try:
                await way.remove(extra)
            except SendError as error:
                log.debug("A message too many stays: %s", error)
        self._desk.posted.pop(reply.nonce, None)
        return tuple(out[: len(parts)])


async def _put(way: Way, part: Part, existing: str | None) -> str:
    if existing is not None:
        try:
            await way.edit(existing, part)
        except MessageGone:
            log.debug("The message to edit is gone; the reply is posted anew.")
        else:
            return existing
    return await way.post(part)
