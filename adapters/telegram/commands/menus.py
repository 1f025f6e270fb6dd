"""The command table as Telegram's menus: what whoever may give where."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from telegram import (
    Bot,
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllChatAdministrators,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    BotCommandScopeChat,
)
from telegram.error import TelegramError

from adapters.telegram.client import reason
from bot.commands import COMMANDS, CommandSpec
from bot.commands.call import Where
from bot.commands.summaries import SUMMARIES, summary_in
from bot.messages import Rights

log = logging.getLogger(__name__)

SUMMARY_LENGTH = 256
MOST_COMMANDS = 100

LANGUAGES = ("", *SUMMARIES)
"""The first is English, for everybody whose Telegram speaks none of the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """What one group of people is offered. `rights` is the most that they have."""

    scope: BotCommandScope
    rights: Rights
    in_groups: bool


def menus(operators: Sequence[int]) -> list[Menu]:
    """One menu for each scope; operators have one of their own in their private chat."""
    return [
        Menu(scope=BotCommandScopeAllPrivateChats(), rights=Rights.MEMBER, in_groups=False),
        Menu(scope=BotCommandScopeAllGroupChats(), rights=Rights.MEMBER, in_groups=True),
        Menu(scope=BotCommandScopeAllChatAdministrators(), rights=Rights.ADMIN, in_groups=True),
        *(
            Menu(scope=BotCommandScopeChat(user), rights=Rights.OPERATOR, in_groups=False)
            for user in operators
        ),
    ]


def offered(
    menu: Menu, table: Sequence[CommandSpec] = COMMANDS, *, language: str = ""
) -> list[BotCommand]:
    """The commands of a menu, in the table's order."""
    order = list(Rights)
    found = [
        BotCommand(spec.name, summary_in(language, spec)[:SUMMARY_LENGTH])
        for spec in table
        if spec.where is not Where.TERMINAL
        and (menu.in_groups or spec.where is not Where.SERVER)
        and order.index(spec.rights) <= order.index(menu.rights)
    ]
    return found[:MOST_COMMANDS]


async def bring_up_to_date(bot: Bot, operators: Sequence[int]) -> int:
    """Sets the menus that differ from what Telegram has; returns how many did. A menu that
    cannot be set is logged: commands work without."""
    changed = 0
    for menu in menus(operators):
        for language in LANGUAGES:
            try:
                changed += await _bring_one(bot, menu, language)
            except TelegramError as error:
                log.info("A command menu could not be set: %s", reason(error))
    return changed


async def _bring_one(bot: Bot, menu: Menu, language: str) -> bool:
    wanted = offered(menu, language=language)
    there = await bot.get_my_commands(menu.scope, language_code=language or None)
    if [(c.command, c.description) for c in there] == [(c.command, c.description) for c in wanted]:
        return False
    await bot.set_my_commands(wanted, menu.scope, language_code=language or None)
    return True
