"""What changes about a chat: who is in it, what the bot may do there, which id it has."""

from collections.abc import Sequence
from datetime import datetime

from telegram import ChatMember, ChatMemberRestricted, ChatMemberUpdated, Message, User

from adapters.telegram.inbound.people import author_of_user
from adapters.telegram.inbound.places import Places
from bot.messages import Change, Inbound, Membership, Migrated

_IN = (ChatMember.MEMBER, ChatMember.ADMINISTRATOR, ChatMember.OWNER)


def own_membership(update: ChatMemberUpdated, me: User, places: Places) -> list[Inbound]:
    """The bot was added, removed, blocked, or may (no longer) write. A promotion alone
    changes nothing."""
    before, now = _can_write(update.old_chat_member), _can_write(update.new_chat_member)
    if before == now:
        return []
    return [
        Membership(
            where=places.where(update.chat),
            author=author_of_user(me, me=me.id),
            change=Change.JOINED if now else Change.LEFT,
            at=update.date,
        )
    ]


def _can_write(member: ChatMember) -> bool:
    if isinstance(member, ChatMemberRestricted):
        return member.is_member and bool(member.can_send_messages)
    return member.status in _IN


def from_service_message(message: Message, me: User, places: Places) -> list[Inbound]:
    """What a service message reports of other people, or of a group that became a
    supergroup; empty for all others."""
    where, at = places.of(message), message.date
    found: list[Inbound] = [
        Membership(where=where, author=author_of_user(user), change=Change.JOINED, at=at)
        for user in message.new_chat_members or ()
        if user.id != me.id
    ]
    if (left := message.left_chat_member) is not None and left.id != me.id:
        found.append(
            Membership(where=where, author=author_of_user(left), change=Change.LEFT, at=at)
        )
    return [*found, *_migrations(message, places, at)]


def _migrations(message: Message, places: Places, at: datetime) -> Sequence[Inbound]:
    """The same move is told on both sides; telling it twice does no harm."""
    if (new := message.migrate_to_chat_id) is not None:
        return [Migrated(old=places.key(message.chat.id), new=places.key(new), at=at)]
    if (old := message.migrate_from_chat_id) is not None:
        return [Migrated(old=places.key(old), new=places.key(message.chat.id), at=at)]
    return []


def is_service_message(message: Message) -> bool:
    """Whether Telegram itself speaks: somebody came, a title changed, and the like."""
    return bool(
        message.new_chat_members
        or message.left_chat_member
        or message.migrate_to_chat_id
        or message.migrate_from_chat_id
    )
