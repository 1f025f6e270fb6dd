"""Texts, references and errors in the client's own values."""

from collections.abc import Callable, Sequence

from telegram import MessageEntity, ReplyParameters
from telegram.error import BadRequest, TelegramError

from adapters.splitting import Unit, length
from adapters.telegram.outbound.spans import Styled


def entities_of(part: Styled) -> Sequence[MessageEntity]:
    """The spans as Telegram counts them: in UTF-16 units."""
    return [
        MessageEntity(
            type=span.style,
            offset=length(part.text[: span.start], Unit.UTF16),
            length=length(part.text[span.start : span.end], Unit.UTF16),
            url=span.url or None,
            language=span.language or None,
        )
        for span in part.spans
    ]


def replying_to(
    message: str | None, real_id: Callable[[str], int | None]
) -> ReplyParameters | None:
    """A reference to the message that is answered; it may be gone by then."""
    number = real_id(message) if message is not None else None
    if number is None:
        return None
    return ReplyParameters(message_id=number, allow_sending_without_reply=True)


def is_unchanged(error: TelegramError) -> bool:
    """An edit was refused because the message reads so already."""
    return isinstance(error, BadRequest) and "not modified" in error.message.lower()


def is_about_formatting(error: TelegramError) -> bool:
    text = error.message.lower()
    return isinstance(error, BadRequest) and ("parse" in text or "entit" in text)


def is_about_emptiness(error: TelegramError) -> bool:
    return isinstance(error, BadRequest) and "empty" in error.message.lower()
