"""Commands, the same on every platform: one table, their handlers, and how they are run."""

from bot.commands.call import Answer, Call, CommandError, CommandSpec, Desk, Option
from bot.commands.run import run_command, run_press
from bot.commands.table import (
    COMMANDS,
    ParsedCommand,
    parse_command,
    usage,
)

__all__ = [
    "COMMANDS",
    "Answer",
    "Call",
    "CommandError",
    "CommandSpec",
    "Desk",
    "Option",
    "ParsedCommand",
    "parse_command",
    "run_command",
    "run_press",
    "usage",
]
