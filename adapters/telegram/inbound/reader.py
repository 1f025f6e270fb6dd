"""Telegram's updates as values for the engine, with where and to whom answers go."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from telegram import Bot, CallbackQuery, Message, Update, User
from telegram.error import TelegramError

from adapters.telegram.client import reason
from adapters.telegram.commands.typed import Typed, typed_command
from adapters.telegram.inbound.albums import Albums
from adapters.telegram.inbound.changes import (
    from_service_message,
    is_service_message,
    own_membership,
)
from adapters.telegram.inbound.contents import answered, small_text_file
from adapters.telegram.inbound.earshot import earshot_in
from adapters.telegram.inbound.messages import Messages, moment_of
from adapters.telegram.inbound.people import author_of, author_of_user, is_anonymous_admin
from adapters.telegram.inbound.places import Places, id_of, topic_of
from adapters.telegram.inbound.rights import GroupRights
from adapters.telegram.outbound.keyboards import unpacked
from adapters.telegram.targets import Asker, Target
from bot.clock import Clock
from bot.commands import CommandError, parse_command
from bot.commands.table import find
from bot.errors import SendError
from bot.messages import Command, Earshot, Edit, Handed, Inbound, Press, Reply, Rights, Started
from bot.text import clean
from bot.world import PlaceKind, Where

log = logging.getLogger(__name__)

START = "start"
LINK_PAYLOAD = "link-"
"""t.me/bot?start=link-CODE is /link CODE in the private chat."""

ABOUT_EARSHOT = frozenset({"settings", "stats"})
"""Commands whose answers tell what the bot hears."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """Something for the engine, or (a Reply) what the adapter itself answers."""

    value: Inbound | Reply
    target: Target
    asker: Asker | None = None


class Reader:
    """Reads for one bot account. `persona` is the key of the one that it plays, if any."""

    def __init__(
        self,
        bot: Bot,
        me: User,
        *,
        persona: str | None,
        clock: Clock,
    ) -> None:
        self.places = Places(str(me.id))
        self.albums = Albums()
        self._bot = bot
        self._me = me
        self._persona = persona
        self._clock = clock
        self._rights = GroupRights(bot, clock)
        self._messages = Messages(me, self.places, persona=persona)

    async def read(self, update: Update) -> list[Incoming]:
        """What an update means; empty for what concerns nobody here."""
        if update.message is not None:
            return await self.read_message(update, update.message)
        if update.edited_message is not None:
            return self._edit(update.edited_message)
        if update.callback_query is not None:
            return await self._press(update, update.callback_query)
        if update.my_chat_member is not None:
            change = update.my_chat_member
            target = Target(chat=change.chat.id)
            found = own_membership(change, self._me, self.places)
            return [Incoming(value=value, target=target) for value in found]
        return []

    async def read_message(self, update: Update, message: Message) -> list[Incoming]:
        target = _target(message)
        if is_service_message(message):
            found = from_service_message(message, self._me, self.places)
            return [Incoming(value=value, target=target) for value in found]
        typed = typed_command(message, self._me)
        if typed is None:
            return await self.read_parts([message])
        asker = _asker(message)
        value = await self._command(update, message, typed)
        return [] if value is None else [Incoming(value=value, target=target, asker=asker)]

    async def read_parts(self, parts: Sequence[Message]) -> list[Incoming]:
        """A message, or the parts of an album as one. Parts that come when the album was
        read already change it."""
        first = parts[0]
        late = first.media_group_id is not None and self.albums.knows(first.media_group_id)
        if first.media_group_id is not None:
            parts = self.albums.add(parts)
        message = self._messages.of(parts, texts=await self._texts(parts))
        at = self._clock.now()
        return [
            Incoming(
                value=Edit(message=message, at=at) if late else message,
                target=_target(first),
                asker=_asker(first),
            )
        ]

    # -- edits -----------------------------------------------------------------------------
    def _edit(self, message: Message) -> list[Incoming]:
        """A moving location is edited all the time; an edited command was given already."""
        if message.location is not None or typed_command(message, self._me) is not None:
            return []
        parts = self.albums.add([message]) if message.media_group_id else [message]
        edit = Edit(message=self._messages.of(parts), at=message.edit_date or self._clock.now())
        return [Incoming(value=edit, target=_target(message), asker=_asker(message))]

    async def _texts(self, parts: Sequence[Message]) -> list[str]:
        return [await self._text_file(part) for part in parts]

    async def _text_file(self, message: Message) -> str:
        """What a small text file says, where the message surely is for the bot."""
        file = small_text_file(message)
        if file is None or message.chat.type != "private":
            return ""
        try:
            content = bytes(await (await self._bot.get_file(file)).download_as_bytearray())
        except TelegramError as error:
            log.info("An attached text file could not be read: %s", reason(error))
            return ""
        return "" if b"\x00" in content else clean(content.decode("utf-8", "replace"))

    # -- commands ----------------------------------------------------------------------------
    async def _command(
        self, update: Update, message: Message, typed: Typed
    ) -> Command | Started | Reply | None:
        """The command; or what is wrong with it. None for commands of other bots."""
        where, private = self.places.of(message), message.chat.type == "private"
        if typed.elsewhere or (message.sender_chat and not is_anonymous_admin(message)):
            return None
        if typed.name == START:
            return await self._started(update, message, typed.rest, where)
        if find(typed.name) is None and not (private or typed.addressed):
            return None
        try:
            parsed = parse_command(typed.line)
        except CommandError as error:
            return Reply(text=str(error), nonce=f"e{update.update_id}", reply_to=id_of(message))
        return await self._given(update, message, parsed.name, dict(parsed.options), where)

    async def _given(
        self, update: Update, message: Message, name: str, options: dict[str, str], where: Where
    ) -> Command:
        earlier = answered(message)
        return Command(
            id=f"u{update.update_id}",
            name=name,
            options=options,
            where=where,
            author=author_of(message),
            at=moment_of(message),
            rights=await self._rights.of_sender(message),
            persona=self._persona,
            reply_to=id_of(earlier) if earlier is not None else None,
            earshot=await self._earshot(message) if name in ABOUT_EARSHOT else None,
            file=self._handed(message) or (self._handed(earlier) if earlier else None),
        )

    def _handed(self, message: Message) -> Handed | None:
        """The file in a message; a photo is none, since Telegram makes it anew."""
        file = message.document
        if file is None:
            return None

        async def read() -> bytes:
            try:
                return bytes(await (await self._bot.get_file(file)).download_as_bytearray())
            except TelegramError as error:
                raise SendError(
                    f"The file could not be had from Telegram: {reason(error)}"
                ) from error

        return Handed(name=file.file_name or "", size=file.file_size or 0, read=read)

    async def _earshot(self, message: Message) -> Earshot:
        """What is heard in the chat of a message, by privacy mode and the bot's own rights."""
        chat = message.chat
        in_group = chat.type != "private"
        asks = in_group and not self._me.can_read_all_group_messages
        own = await self._rights.of(chat.id, chat.type, self._me.id) if asks else Rights.MEMBER
        return earshot_in(self._me, in_group=in_group, is_admin=own is Rights.ADMIN)

    async def _started(
        self, update: Update, message: Message, payload: str, where: Where
    ) -> Command | Started:
        """The Start button, with what the link said: a code of /link, or a persona."""
        if payload.startswith(LINK_PAYLOAD):
            code = payload.removeprefix(LINK_PAYLOAD)
            return await self._given(update, message, "link", {"code": code}, where)
        return Started(
            id=f"u{update.update_id}",
            where=where,
            author=author_of(message),
            at=moment_of(message),
            persona=self._persona,
            wanted=payload,
        )

    # -- buttons -----------------------------------------------------------------------------
    async def _press(self, update: Update, query: CallbackQuery) -> list[Incoming]:
        """A pressed button. Telegram shows that it waits until the press is answered, so
        that is done first, and also for buttons that nobody knows any more."""
        try:
            await self._bot.answer_callback_query(query.id)
        except TelegramError as error:
            log.debug("A press could not be answered: %s", reason(error))
        if query.message is None or query.data is None:
            return []
        shown = query.message
        topic = topic_of(shown) if isinstance(shown, Message) else None
        target = Target(chat=shown.chat.id, topic=topic)
        data, about = unpacked(query.data)
        where, kind = self.places.where(shown.chat, topic), shown.chat.type
        if about is not None:
            where, kind = await self._origin(about)
        user = query.from_user
        press = Press(
            id=f"u{update.update_id}",
            data=data,
            where=where,
            author=author_of_user(user),
            at=self._clock.now(),
            rights=await self._rights.of(int(where.key.chat), kind, user.id),
            persona=self._persona,
        )
        asker = Asker(user=user.id, name=user.full_name, origin=about)
        return [Incoming(value=press, target=target, asker=asker)]

    async def _origin(self, about: Target) -> tuple[Where, str]:
        """The place that a question was about, and the kind of its chat."""
        try:
            info = await self._bot.get_chat(about.chat)
        except TelegramError as error:
            log.info("A chat that a button is about is out of reach: %s", reason(error))
            key = self.places.key(about.chat, about.topic)
            return Where(key=key, kind=PlaceKind.GROUP), "group"
        return self.places.where(info, about.topic), info.type


def _target(message: Message) -> Target:
    return Target(chat=message.chat.id, topic=topic_of(message))


def _asker(message: Message) -> Asker:
    """Whoever sent a message. What a group asks, nobody can be told alone."""
    user = message.from_user if message.sender_chat is None else None
    name = author_of(message).name
    place = Asker(user=None, name=name, message=message.message_id)
    if user is None:
        return place
    return replace(place, user=user.id)
