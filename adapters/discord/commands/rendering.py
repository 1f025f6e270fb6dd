"""The table of commands in the form in which Discord registers them."""

import json
from collections.abc import Sequence
from hashlib import sha256

import discord

from bot.commands import CommandSpec, Option
from bot.commands.call import Where
from bot.messages import Rights

TALK = "talk"
TALK_OPTION = "text"
ABOUT_MESSAGE = "Talk about this"
"""The entry in the menu of a message."""

ATTACHMENT = 11
"""The type of an option that is a file."""

SUMMARY_LENGTH = 100
CHOICES = 25
TEXT_LENGTH = 2000

_CHAT_INPUT = 1
_MESSAGE_MENU = 3
_STRING = 3
_SERVER, _DM, _ELSEWHERE = 0, 1, 2  # contexts
_INSTALLED, _BY_USER = 0, 1  # integration types
_ADMIN_BITS = str(discord.Permissions(manage_guild=True).value)
_NOBODY_BITS = "0"  # administrators alone see it in servers; in DMs it is offered to all

Json = dict[str, object]


def payload(commands: Sequence[CommandSpec]) -> list[Json]:
    """What is registered, `/talk` and the message menu included.

    Hiding a command is a courtesy: rights are checked at every call.
    """
    offered = [spec for spec in commands if spec.where is not Where.TERMINAL]
    return [_talk(), _about_message(), *(_command(spec) for spec in offered)]


def fingerprint(commands: Sequence[Json]) -> str:
    """Equal for equal payloads; nothing is registered anew while it stays."""
    return sha256(json.dumps(commands, sort_keys=True).encode()).hexdigest()


def _command(spec: CommandSpec) -> Json:
    everybody = spec.rights is Rights.MEMBER
    in_server = spec.where is Where.SERVER
    bits = {Rights.MEMBER: None, Rights.ADMIN: _ADMIN_BITS, Rights.OPERATOR: _NOBODY_BITS}
    options = sorted(spec.options, key=lambda option: not option.required)
    return {
        "type": _CHAT_INPUT,
        "name": spec.name,
        "description": spec.summary[:SUMMARY_LENGTH],
        "options": [_option(option) for option in options],
        "default_member_permissions": bits[spec.rights],
        "contexts": [_SERVER] if in_server else [_SERVER, _DM, _ELSEWHERE],
        "integration_types": [_INSTALLED, _BY_USER] if everybody else [_INSTALLED],
    }


def _option(option: Option) -> Json:
    rendered: Json = {
        "type": ATTACHMENT if option.file else _STRING,
        "name": option.name,
        "description": option.summary[:SUMMARY_LENGTH],
        "required": option.required,
    }
    if option.file:
        return rendered
    if 0 < len(option.choices) <= CHOICES:
        rendered["choices"] = [{"name": one, "value": one} for one in option.choices]
    else:
        rendered["max_length"] = TEXT_LENGTH
    return rendered


def _talk() -> Json:
    return {
        "type": _CHAT_INPUT,
        "name": TALK,
        "description": "Say something; the persona answers.",
        "options": [
            {
                "type": _STRING,
                "name": TALK_OPTION,
                "description": "what you say",
                "required": True,
                "max_length": TEXT_LENGTH,
            }
        ],
        "default_member_permissions": None,
        "contexts": [_SERVER, _DM, _ELSEWHERE],
        "integration_types": [_INSTALLED, _BY_USER],
    }


def _about_message() -> Json:
    return {
        "type": _MESSAGE_MENU,
        "name": ABOUT_MESSAGE,
        "default_member_permissions": None,
        "contexts": [_SERVER, _DM, _ELSEWHERE],
        "integration_types": [_INSTALLED, _BY_USER],
    }
