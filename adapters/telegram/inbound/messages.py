"""Telegram's messages as the engine takes them; the parts of an album as one."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from telegram import Message as Sent
from telegram import User

from adapters.telegram.inbound.contents import (
    answered,
    attachments,
    mentions,
    quoted,
    said_to,
)
from adapters.telegram.inbound.people import (
    author_of,
    author_of_origin,
    people_mentioned,
    quoted_author,
)
from adapters.telegram.inbound.places import Places, id_of
from bot.messages import Attachment, Message


class Messages:
    """Makes messages for one bot account. `persona` is the key of the one it plays, None
    where the place's own shall answer."""

    def __init__(self, me: User, places: Places, *, persona: str | None) -> None:
        self._me = me
        self._places = places
        self._persona = persona

    def of(self, parts: Sequence[Sent], *, texts: Sequence[str] = ()) -> Message:
        """One message: the parts of an album, or a single one. `texts` are what attached
        text files say, one for each part (or none at all)."""
        parts = sorted(parts, key=lambda part: part.message_id)
        first = parts[0]
        earlier = answered(first)
        return Message(
            id=id_of(first),
            where=self._places.of(first),
            author=author_of(first),
            text="\n".join(text for part in parts if (text := said_to(part, self._me))),
            at=moment_of(first),
            persona=self._persona,
            mentions_me=any(mentions(part, self._me) for part in parts),
            replies_to_me=self._is_mine(earlier),
            reply_to=id_of(earlier) if earlier is not None else None,
            quoted=quoted(first),
            quoted_from=quoted_author(first),
            forwarded=first.forward_origin is not None or bool(first.is_automatic_forward),
            forwarded_from=author_of_origin(first.forward_origin),
            mentions=tuple(a for part in parts for a in people_mentioned(part, self._me.id)),
            attachments=tuple(_attachments(parts, texts)),
        )

    def _is_mine(self, message: Sent | None) -> bool:
        return (
            message is not None
            and message.from_user is not None
            and message.from_user.id == self._me.id
        )


def _attachments(parts: Sequence[Sent], texts: Sequence[str]) -> list[Attachment]:
    found: list[Attachment] = []
    for n, part in enumerate(parts):
        of_part = attachments(part)
        if texts and texts[n] and of_part:
            of_part[0] = Attachment(description=of_part[0].description, text=texts[n])
        found += of_part
    return found


def moment_of(message: Sent) -> datetime:
    """When a message was sent. Telegram's times are whole seconds: the id, as a small
    fraction, keeps the order of what was said within one."""
    return message.date + timedelta(microseconds=message.message_id % 100_000)
