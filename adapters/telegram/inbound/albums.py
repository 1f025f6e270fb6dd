"""Albums: several messages with one group id, which people take for one."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from telegram import Message

from adapters.telegram.inbound.places import ALBUM
from bot.clock import Clock

QUIET_SECONDS = 0.8
"""An album is complete when no part has come for so long."""

MOST_ALBUMS = 500


@dataclass(slots=True, eq=False)
class Arriving:
    """An album whose parts are still coming in."""

    parts: list[Message] = field(default_factory=list)
    is_complete: bool = False
    _closed: asyncio.Event = field(default_factory=asyncio.Event)

    def close(self) -> None:
        """Something else was said after it: no more parts are waited for."""
        self._closed.set()

    async def complete(self, clock: Clock) -> None:
        """Returns when it is closed, or no part has come for a while."""
        closing = asyncio.create_task(self._closed.wait())
        try:
            seen = 0
            while seen != len(self.parts) and not closing.done():
                seen = len(self.parts)
                quiet = asyncio.create_task(clock.sleep(QUIET_SECONDS))
                await asyncio.wait({quiet, closing}, return_when=asyncio.FIRST_COMPLETED)
                quiet.cancel()
            self.is_complete = True
        finally:
            closing.cancel()


class Albums:
    """The parts of the newest albums, so that a part that comes late, or is edited, is
    seen with the others."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[int, Message]] = {}

    def knows(self, album: str) -> bool:
        return album in self._parts

    def add(self, messages: Sequence[Message]) -> list[Message]:
        """Notes parts of one album, and returns all that are known, oldest first."""
        album = str(messages[0].media_group_id)
        if len(self._parts) >= MOST_ALBUMS and album not in self._parts:
            del self._parts[next(iter(self._parts))]
        known = self._parts.setdefault(album, {})
        known |= {message.message_id: message for message in messages}
        return [known[number] for number in sorted(known)]

    def real_id(self, message: str) -> int | None:
        """The number of the message behind a kept id: for an album its first part. None
        where there is none any more."""
        if message.isdecimal():
            return int(message)
        parts = self._parts.get(message.removeprefix(ALBUM), {})
        return min(parts, default=None)
