"""Discord's channels, threads and direct messages as places."""

import discord

from adapters.discord.inbound.wording import sound
from bot.world import PlaceKey, PlaceKind, Where

PLATFORM = "discord"


def key_of(channel: int, bot: str) -> PlaceKey:
    """Every channel, thread and DM has an id of its own: no parent is needed to find it."""
    return PlaceKey(platform=PLATFORM, bot_account=bot, chat=str(channel))


def where_of(channel: object, bot: str) -> Where | None:
    """The place as Discord describes it; None where this says too little."""
    match channel:
        case discord.DMChannel():
            return Where(key=key_of(channel.id, bot), kind=PlaceKind.DM)
        case discord.GroupChannel():
            return Where(
                key=key_of(channel.id, bot),
                kind=PlaceKind.GROUP,
                name=sound(channel.name or ""),
                private=True,
            )
        case discord.Thread():
            return _thread(channel, bot)
        case discord.abc.GuildChannel():
            return Where(
                key=key_of(channel.id, bot),
                kind=PlaceKind.CHANNEL,
                name=sound(channel.name),
                server=str(channel.guild.id),
                server_name=sound(channel.guild.name),
                private=not everyone_reads(channel),
                age_restricted=bool(getattr(channel, "nsfw", False)),
            )
        case _:
            return None


def everyone_reads(channel: discord.abc.GuildChannel) -> bool:
    """Whether every member of the server can read the channel."""
    if channel.guild.default_role is None:  # a server of which nothing is known
        return False
    return channel.permissions_for(channel.guild.default_role).view_channel


def server_of(guild: discord.Guild, bot: str) -> Where:
    """A whole server, as the place where the bot itself comes and goes."""
    return Where(
        key=key_of(guild.id, bot),
        kind=PlaceKind.CHANNEL,
        name=sound(guild.name),
        server=str(guild.id),
        server_name=sound(guild.name),
        private=True,
    )


def parent_of(channel: object) -> int | None:
    """Where the webhooks of a place are: the channel, or the one that a thread is in."""
    if isinstance(channel, discord.Thread):
        return channel.parent_id
    return channel.id if isinstance(channel, discord.abc.GuildChannel) else None


def _thread(thread: discord.Thread, bot: str) -> Where:
    parent = thread.parent
    readable = parent is not None and everyone_reads(parent) and not thread.is_private()
    return Where(
        key=key_of(thread.id, bot),
        kind=PlaceKind.THREAD,
        name=sound(thread.name),
        server=str(thread.guild.id),
        server_name=sound(thread.guild.name),
        parent=str(thread.parent_id or ""),
        private=not readable,
        age_restricted=parent is not None and parent.is_nsfw(),
    )
