"""Who wrote: people by their account; channels, groups and services are not people."""

from collections.abc import Sequence

from telegram import Chat, Message, MessageEntity, MessageOrigin, MessageOriginUser, User

from adapters.telegram.inbound.contents import answered, entities_of
from bot.world import AccountKey, Author

PLATFORM = "telegram"

SERVICE_ACCOUNTS = frozenset({777000, 1087968824, 136817688})
"""Telegram's own: linked channel posts, anonymous admins, posts in a channel's name."""


def author_of(message: Message) -> Author:
    """Whoever a message is from; masked is what nobody says as oneself: anonymous admins,
    channels, posts of a linked channel and what was written through another bot (via)."""
    if message.sender_chat is not None:
        return _author_of_chat(message.sender_chat)
    user = message.from_user
    if user is None:
        return _author_of_chat(message.chat)
    return author_of_user(user, through_bot=message.via_bot is not None)


def author_of_user(user: User, *, me: int | None = None, through_bot: bool = False) -> Author:
    """The account as shown now. `me` is this bot's own id."""
    return Author(
        account=AccountKey(platform=PLATFORM, user=str(user.id)),
        name=user.full_name,
        is_bot=user.is_bot,
        is_masked=through_bot or user.id in SERVICE_ACCOUNTS,
        is_me=user.id == me,
    )


def author_of_origin(origin: MessageOrigin | None) -> Author | None:
    """Whose message was forwarded or quoted from elsewhere. None for channels, and for people
    who hide themselves there: nobody is told their account."""
    return author_of_user(origin.sender_user) if isinstance(origin, MessageOriginUser) else None


def quoted_author(message: Message) -> Author | None:
    """Who said what a message replies to or quotes."""
    if (earlier := answered(message)) is not None:
        return author_of_origin(earlier.forward_origin) or author_of(earlier)
    if message.external_reply is not None:
        return author_of_origin(message.external_reply.origin)
    return None


def _author_of_chat(chat: Chat) -> Author:
    return Author(
        account=AccountKey(platform=PLATFORM, user=str(chat.id)),
        name=chat.effective_name or "",
        is_masked=True,
    )


def is_anonymous_admin(message: Message) -> bool:
    """Somebody speaks as the group itself; nothing else proves an admin who hides."""
    return message.sender_chat is not None and message.sender_chat.id == message.chat.id


def people_mentioned(message: Message, me: int) -> Sequence[Author]:
    """Those mentioned by their account. A plain @name has no id, and stays text."""
    entities = entities_of(message, [MessageEntity.TEXT_MENTION])
    users = {e.user.id: e.user for e in entities if e.user is not None and e.user.id != me}
    return [author_of_user(user) for user in users.values()]
