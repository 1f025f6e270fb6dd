"""Why a connection to Discord ended, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum

import discord

from bot.errors import SettingsError


class Setback(StrEnum):
    """What ended a connection and may pass."""

    UNREACHABLE = "Discord is out of reach"
    BUSY = "Discord is not well"
    LIMITED = "Discord asks for patience"
    DROPPED = "The connection to Discord does not hold"
    BROKEN = "The connection to Discord failed"
    INTENTS = "Discord does not grant all intents"


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A privileged intent that is not granted, and what is lost without it."""

    name: str
    loss: str


CONTENT = Missing(
    name="the Message Content intent",
    loss="in servers it reads only messages that mention it, and what is said with /talk.",
)
MEMBERS = Missing(
    name="the Server Members intent",
    loss="a new name is noticed only when its bearer speaks.",
)

_FOR_GOOD = {
    4004: "Discord does not accept the token{of}: copy it anew from the Developer Portal "
    "(Bot, Reset Token) into DISCORD_TOKEN.",
    4011: "The bot{of} is in too many servers for one connection; use one bot for fewer servers.",
    4013: "Discord does not know an intent that this version asks for{of}; update the program.",
}
"""Close codes after which connecting again cannot help."""


def wanted_intents() -> discord.Intents:
    """What the bot asks for at first."""
    return discord.Intents(
        guilds=True,
        members=True,
        guild_messages=True,
        dm_messages=True,
        message_content=True,
    )


def intents_without(
    intents: discord.Intents, flags: discord.ApplicationFlags
) -> tuple[discord.Intents, list[Missing]]:
    """The intents without those that the application is not granted; without any privileged
    one if it is said to have them all."""
    content = flags.gateway_message_content or flags.gateway_message_content_limited
    members = flags.gateway_guild_members or flags.gateway_guild_members_limited
    without_content = intents.message_content and not content
    without_members = intents.members and not members
    if not (without_content or without_members):
        without_content, without_members = intents.message_content, intents.members
    fewer = discord.Intents._from_value(intents.value)  # noqa: SLF001 - the only way to copy
    fewer.message_content = intents.message_content and not without_content
    fewer.members = intents.members and not without_members
    lost = [(CONTENT, without_content), (MEMBERS, without_members)]
    return fewer, [missing for missing, is_lost in lost if is_lost]


def setback_of(error: Exception, persona: str | None) -> Setback:
    """Why the client ended. Raises SettingsError where only the operator can help."""
    of = f" of {persona}" if persona else ""
    match error:
        case discord.LoginFailure():
            raise SettingsError(_FOR_GOOD[4004].format(of=of)) from None
        case discord.ConnectionClosed() if error.code in _FOR_GOOD:
            raise SettingsError(_FOR_GOOD[error.code].format(of=of)) from None
        case discord.RateLimited():
            return Setback.LIMITED
        case discord.HTTPException():
            return Setback.LIMITED if error.status == 429 else Setback.BUSY
        case discord.ConnectionClosed():
            return Setback.DROPPED
        case _:
            return Setback.UNREACHABLE
