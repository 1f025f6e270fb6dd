"""Who manages a group: asked of Telegram, and remembered for a minute."""

import logging
from dataclasses import dataclass

from telegram import Bot, ChatMember, Message
from telegram.constants import ChatType
from telegram.error import TelegramError

from adapters.telegram.client import reason
from adapters.telegram.inbound.people import is_anonymous_admin
from bot.clock import Clock
from bot.messages import Rights

log = logging.getLogger(__name__)

GOOD_SECONDS = 60.0
"""Rights that were taken away are noticed after this time."""

MOST_KEPT = 1000
_ADMINS = (ChatMember.OWNER, ChatMember.ADMINISTRATOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    rights: Rights
    until: float


class GroupRights:
    """The rights that a chat's own administration gives. Names play no part."""

    def __init__(self, bot: Bot, clock: Clock) -> None:
        self._bot = bot
        self._clock = clock
        self._known: dict[tuple[int, int], _Known] = {}

    async def of_sender(self, message: Message) -> Rights:
        """The rights of whoever sent a message; an anonymous admin is one by the sending
        chat alone."""
        if is_anonymous_admin(message):
            return Rights.ADMIN
        if message.sender_chat is not None or message.from_user is None:
            return Rights.MEMBER
        return await self.of(message.chat.id, message.chat.type, message.from_user.id)

    async def of(self, chat: int, kind: str, user: int) -> Rights:
        """Rights of a user in a chat; MEMBER where Telegram does not say."""
        if kind == ChatType.PRIVATE:
            return Rights.MEMBER
        now = self._clock.now().timestamp()
        known = self._known.get((chat, user))
        if known is not None and known.until > now:
            return known.rights
        try:
            member = await self._bot.get_chat_member(chat, user)
        except TelegramError as error:
            log.warning("Telegram does not say who manages a group: %s", reason(error))
            return Rights.MEMBER
        rights = Rights.ADMIN if member.status in _ADMINS else Rights.MEMBER
        if len(self._known) >= MOST_KEPT:
            self._known.clear()
        self._known[chat, user] = _Known(rights=rights, until=now + GOOD_SECONDS)
        return rights
