"""Discord: the only home of discord.py."""

from adapters.discord.account import PERMISSIONS, Account, Login, Options
from adapters.discord.making import make_platforms
from adapters.discord.memo import InMemory, Memo
from adapters.discord.platform import DiscordPlatform

__all__ = [
    "PERMISSIONS",
    "Account",
    "DiscordPlatform",
    "InMemory",
    "Login",
    "Memo",
    "Options",
    "make_platforms",
]
