"""What comes back from commands, message menus and buttons: acknowledged at once, then handled."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import aiohttp
import discord

from adapters.discord.commands.answering import InteractionWay, PrivateAnswer
from adapters.discord.commands.rendering import ABOUT_MESSAGE, ATTACHMENT, TALK, TALK_OPTION
from adapters.discord.inbound.attachments import READ_SECONDS
from adapters.discord.inbound.messages import QUOTE_LENGTH, author_of, speaker_prefix
from adapters.discord.inbound.places import PLATFORM, key_of, where_of
from adapters.discord.inbound.wording import sound
from adapters.discord.outbound.failures import Code, patiently
from adapters.discord.outbound.outlet import Choose, Desk, Outlet
from adapters.discord.outbound.ways import Way
from bot.clock import Clock
from bot.commands import COMMANDS, CommandSpec
from bot.errors import SendError, Undeliverable
from bot.messages import Command, Handed, Inbound, Message, Press, Rights
from bot.world import AccountKey, Author, PlaceKind, Where

log = logging.getLogger(__name__)

ACKNOWLEDGE_SECONDS = 2.8
"""Discord waits three seconds."""

ABOUT_TEXT = "What do you say to this?"

HandOver = Callable[[Inbound, Outlet], Awaitable[None]]
Publicly = Callable[[Where], Way]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interactions:
    """Turns interactions of one account into inbound values and sees them answered.

    `is_own` tells the names under which the account itself speaks; `publicly` makes the way
    to post in a place where the bot is.
    """

    bot: str
    persona: str | None
    owners: frozenset[AccountKey]
    clock: Clock
    desk: Desk
    hand_over: HandOver
    publicly: Publicly
    is_own: Callable[[str], bool]
    commands: Sequence[CommandSpec] = COMMANDS

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A command, an entry of a message's menu, or a button; others are not ours."""
        known = {discord.InteractionType.application_command, discord.InteractionType.component}
        if interaction.type not in known or interaction.user.bot:
            return
        where = place_of(interaction, self.bot)
        inbound = self._inbound(interaction, where) if where else None
        if where is None or inbound is None:
            log.warning("An interaction of an unknown kind came; it is not answered.")
            return
        private = self._is_private(inbound)
        acknowledged = await _acknowledge(interaction, private=private)
        public = self.publicly(where) if is_present(interaction) else None
        if acknowledged is None or (not acknowledged and (private or public is None)):
            return
        way = InteractionWay(interaction, deferred_private=private, public=public, clock=self.clock)
        choose = self._choose(way) if acknowledged else _only(public)
        outlet = Outlet(chat=f"interaction {interaction.id}", choose=choose, desk=self.desk)
        try:
            await self.hand_over(inbound, outlet)
        finally:
            if acknowledged:
                await way.finish()

    def _choose(self, way: InteractionWay) -> Choose:
        async def choose(speaker: str, private: bool) -> Way:
            if private:
                return PrivateAnswer(way)
            way.prefix = "" if self.is_own(speaker) else speaker_prefix(speaker)
            return way

        return choose

    def _is_private(self, inbound: Inbound) -> bool:
        """Whether the answer concerns the asker alone; a refusal does too."""
        if isinstance(inbound, Message):
            return False
        if not isinstance(inbound, Command):
            return True
        spec = next((one for one in self.commands if one.name == inbound.name), None)
        order = (Rights.MEMBER, Rights.ADMIN, Rights.OPERATOR)
        return (
            spec is None or spec.private or order.index(inbound.rights) < order.index(spec.rights)
        )

    def _inbound(self, interaction: discord.Interaction, where: Where) -> Inbound | None:
        data: Mapping[str, object] = interaction.data or {}
        if interaction.type is discord.InteractionType.component:
            return Press(
                id=str(interaction.id),
                data=str(data.get("custom_id", "")),
                where=where,
                author=author_of(interaction.user),
                at=interaction.created_at,
                rights=rights_of(interaction, self.owners),
                persona=self.persona,
            )
        options = _options(data)
        match data.get("name"):
            case str(name) if name == TALK:
                return self._message(interaction, where, options.get(TALK_OPTION, ""))
            case str(name) if name == ABOUT_MESSAGE:
                return self._about(interaction, where, data)
            case str(name):
                return Command(
                    id=str(interaction.id),
                    name=name,
                    options=options,
                    where=where,
                    author=author_of(interaction.user),
                    at=interaction.created_at,
                    rights=rights_of(interaction, self.owners),
                    persona=self.persona,
                    file=handed(interaction),
                )
            case _:
                return None

    def _message(
        self,
        interaction: discord.Interaction,
        where: Where,
        text: str,
        *,
        quoted: str = "",
        quoted_from: Author | None = None,
        reply_to: str | None = None,
    ) -> Message:
        return Message(
            id=str(interaction.id),
            where=where,
            author=author_of(interaction.user),
            text=text,
            at=interaction.created_at,
            persona=self.persona,
            mentions_me=True,
            quoted=quoted,
            quoted_from=quoted_from,
            reply_to=reply_to,
        )

    def _about(
        self, interaction: discord.Interaction, where: Where, data: Mapping[str, object]
    ) -> Message:
        """Somebody asks about a message. Their own is simply said to the persona."""
        target = str(data.get("target_id", ""))
        message = _mapping(_mapping(_mapping(data.get("resolved")).get("messages")).get(target))
        content = sound(str(message.get("content") or ""))
        by = _mapping(message.get("author"))
        writer = str(by.get("id", ""))
        if writer == str(interaction.user.id) and content.strip():
            return self._message(interaction, where, content, reply_to=target)
        return self._message(
            interaction,
            where,
            ABOUT_TEXT,
            quoted=content[:QUOTE_LENGTH] or "a message without text",
            quoted_from=_described_author(by),
            reply_to=target or None,
        )


def _described_author(user: Mapping[str, object]) -> Author | None:
    """Whoever wrote a message that came along with an interaction."""
    if not user.get("id"):
        return None
    return Author(
        account=AccountKey(platform=PLATFORM, user=str(user["id"])),
        name=sound(str(user.get("global_name") or user.get("username") or "")),
        is_bot=bool(user.get("bot")),
    )


def rights_of(interaction: discord.Interaction, owners: frozenset[AccountKey]) -> Rights:
    """Operators by id; admins by Discord's rights, and only where the server itself has
    installed the bot: a user's own installation brings that user's rights of any server."""
    user = interaction.user
    if AccountKey(platform=PLATFORM, user=str(user.id)) in owners:
        return Rights.OPERATOR
    if not interaction.is_guild_integration():
        return Rights.MEMBER
    granted = interaction.permissions
    owns = interaction.guild is not None and interaction.guild.owner_id == user.id
    return Rights.ADMIN if owns or granted.administrator or granted.manage_guild else Rights.MEMBER


def is_present(interaction: discord.Interaction) -> bool:
    """Whether the bot itself is where the interaction is, so that it may post there."""
    if interaction.guild_id is not None:
        return (
            interaction.is_guild_integration()
            and interaction.client.get_guild(interaction.guild_id) is not None
        )
    return interaction.context.private_channel is not True


def place_of(interaction: discord.Interaction, bot: str) -> Where | None:
    """The place, as far as Discord describes it; closed where the bot cannot look."""
    channel = interaction.channel
    if channel is None:
        return None
    if interaction.guild_id is None:
        if is_present(interaction):
            return Where(key=key_of(channel.id, bot), kind=PlaceKind.DM)
        name = getattr(channel, "name", None)
        return Where(
            key=key_of(channel.id, bot), kind=PlaceKind.GROUP, name=name or "", private=True
        )
    known = where_of(channel, bot)
    if known is not None and is_present(interaction):
        return known
    return Where(
        key=key_of(channel.id, bot),
        kind=PlaceKind.THREAD if isinstance(channel, discord.Thread) else PlaceKind.CHANNEL,
        name=known.name if known else "",
        server=str(interaction.guild_id),
        private=True,
        age_restricted=known is not None and known.age_restricted,
    )


async def _acknowledge(interaction: discord.Interaction, *, private: bool) -> bool | None:
    """True if Discord waits for the answer; False if it came too late for that; None if
    somebody else answers."""
    try:
        async with patiently(ACKNOWLEDGE_SECONDS):
            await interaction.response.defer(ephemeral=private, thinking=True)
    except SendError as error:
        cause = error.__cause__
        if isinstance(cause, discord.HTTPException) and cause.code == Code.ALREADY_ACKNOWLEDGED:
            log.warning("Another process of this bot answers interactions; stop one of the two.")
            return None
        log.warning("An interaction could not be acknowledged in time: %s", error)
        return False
    return True


def _only(public: Way | None) -> Choose:
    async def choose(speaker: str, private: bool) -> Way:  # noqa: ARG001 - Choose has it
        if private or public is None:
            raise Undeliverable("The answer is private, and the command can no longer be answered.")
        return public

    return choose


def handed(interaction: discord.Interaction) -> Handed | None:
    """The file that came with a command."""
    data: Mapping[str, object] = interaction.data or {}
    found = _mapping(_mapping(data.get("resolved")).get("attachments"))
    for one in found.values():
        # discord.py itself makes them so, for commands of its own
        file = discord.Attachment(data=one, state=interaction._state)  # type: ignore[arg-type]  # noqa: SLF001
        return Handed(name=sound(file.filename), size=file.size, read=partial(_content, file))
    return None


async def _content(file: discord.Attachment) -> bytes:
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await file.read()
    except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
        raise SendError(
            f"The file could not be had from Discord ({type(error).__name__})."
        ) from error


def _options(data: Mapping[str, object]) -> dict[str, str]:
    given = data.get("options")
    if not isinstance(given, list):
        return {}
    return {
        str(one["name"]): sound(str(one["value"]))
        for one in given
        if "value" in one and one.get("type") != ATTACHMENT
    }


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
