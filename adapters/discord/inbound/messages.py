"""Discord's messages as the engine's: who says what, to whom, and what it replies to."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import discord

from adapters.discord.inbound.places import PLATFORM
from adapters.discord.inbound.wording import sound
from adapters.discord.outbound.webhooks import webhook_name
from bot.messages import Attachment, Message
from bot.text import clean_name
from bot.world import AccountKey, Author, Where

QUOTE_LENGTH = 1000
_SPOKEN = frozenset({discord.MessageType.default, discord.MessageType.reply})
_MARKUP = re.compile(
    r"<@!?(?P<user>\d+)>|<@&(?P<role>\d+)>|<#(?P<channel>\d+)>|<a?(?P<emoji>:\w+:)\d+>"
)
_PREFIX = re.compile(r"\*\*(.{1,80}?):\*\* ")


def speaker_prefix(name: str) -> str:
    """What goes before the words of a persona that has no webhook to speak through."""
    return f"**{name}:** "


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads messages for one bot account.

    `persona` is the key of the persona that the account plays, None for the default one's;
    `keys` are the keys of personas by display name; `webhooks` are the ids of the webhooks
    it speaks through (they grow).
    """

    me: discord.ClientUser
    application: int
    persona: str | None
    keys: Mapping[str, str]
    webhooks: set[int]

    def is_mine(self, message: discord.Message) -> bool:
        """Whether the bot wrote it, itself or through a webhook."""
        if message.webhook_id is None:
            return message.author.id == self.me.id
        return message.webhook_id in self.webhooks or message.application_id == self.application

    def is_spoken(self, message: discord.Message) -> bool:
        """Whether a person says something with it, or another bot something to this one.
        Checked before anything else."""
        return (
            message.type in _SPOKEN
            and message.webhook_id is None
            and not message.author.system
            and (not message.author.bot or self._is_for_me(message))
        )

    def _is_for_me(self, message: discord.Message) -> bool:
        """Whether it mentions or answers the bot, as far as Discord said so along with it."""
        answered = message.reference.resolved if message.reference else None
        is_reply = isinstance(answered, discord.Message) and self.is_mine(answered)
        return is_reply or self._mentions_me(message)

    def read(
        self,
        message: discord.Message,
        where: Where,
        *,
        answered: discord.Message | None,
        passed_on: discord.Message | None = None,
        attachments: Sequence[Attachment],
        thread_persona: str | None = None,
    ) -> Message:
        """The message as the engine takes it; `answered` is what it is a reply to,
        `passed_on` what it forwards, where the bot can look that up."""
        to_me = answered is not None and self.is_mine(answered)
        persona = self.persona_of(answered) if answered is not None and to_me else thread_persona
        reply = message.reference if message.type is discord.MessageType.reply else None
        return Message(
            id=str(message.id),
            where=where,
            author=author_of(message.author),
            text=self.text_of(message),
            at=message.created_at,
            persona=persona or self.persona,
            mentions_me=self._mentions_me(message),
            replies_to_me=to_me,
            reply_to=str(reply.message_id) if reply and reply.message_id else None,
            quoted=self.text_of(answered)[:QUOTE_LENGTH] if answered is not None else "",
            quoted_from=author_of(answered.author) if answered is not None else None,
            forwarded=bool(message.message_snapshots),
            forwarded_from=author_of(passed_on.author) if passed_on is not None else None,
            mentions=tuple(author_of(u) for u in message.mentions if u.id != self.me.id),
            attachments=tuple(attachments),
        )

    def persona_of(self, message: discord.Message) -> str | None:
        """Which persona said a message of the bot's own; None for the account's."""
        if message.webhook_id is not None:
            by_name = {webhook_name(name): key for name, key in self.keys.items()}
            return by_name.get(message.author.name)
        prefix = _PREFIX.match(message.content)
        return self.keys.get(prefix.group(1)) if prefix else None

    def text_of(self, message: discord.Message) -> str:
        """The text with names for ids, without the mention that calls the bot."""
        said = [message.content, *(one.content for one in message.message_snapshots)]
        text = "\n".join(part for part in said if part)
        call = re.compile(rf"^(?:\s*<@!?{self.me.id}>[\s,:]*)+|(?:\s*<@!?{self.me.id}>\s*)+$")
        uncalled = call.sub("", text)
        if uncalled.strip():
            text = uncalled
        return sound(_MARKUP.sub(lambda mark: self._named(mark, message), text))

    def _named(self, mark: re.Match[str], message: discord.Message) -> str:
        guild = message.guild
        if user := mark["user"]:
            if int(user) == self.me.id:
                return f"@{clean_name(self.me.display_name)}"
            found = next((u for u in message.mentions if u.id == int(user)), None)
            return f"@{clean_name(found.display_name)}" if found else "@someone"
        if role := mark["role"]:
            known = guild.get_role(int(role)) if guild else None
            return f"@{clean_name(known.name)}" if known else "@role"
        if channel := mark["channel"]:
            place = guild.get_channel_or_thread(int(channel)) if guild else None
            return f"#{clean_name(place.name)}" if place else "#channel"
        return mark["emoji"]

    def _mentions_me(self, message: discord.Message) -> bool:
        if any(user.id == self.me.id for user in message.mentions):
            return True
        return any(
            role.tags is not None and role.tags.bot_id == self.me.id
            for role in message.role_mentions
        )


def author_of(user: discord.abc.User) -> Author:
    """Whoever wrote something, as shown there at that moment."""
    return Author(
        account=AccountKey(platform=PLATFORM, user=str(user.id)),
        name=sound(user.display_name),
        is_bot=user.bot,
    )
