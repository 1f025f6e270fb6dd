"""Runs the command line, and says what every error means."""

import logging
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import typer
import typer.main

from adapters.cli.commands import Start, app
from bot.errors import BotError, SettingsError

if TYPE_CHECKING:
    from adapters.cli.root import Root

log = logging.getLogger(__name__)

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def run(root: Callable[[], "Root"], arguments: Sequence[str], *, version: str) -> int:
    """Runs one command; `root` is asked for when the command needs it.

    Returns the exit code: 0 done, 1 failed, 2 wrong usage or settings, 130 interrupted. An
    error is a sentence on standard error.
    """
    command = typer.main.get_command(app)
    try:
        code = command.main(
            args=list(arguments),
            prog_name="main.py",
            standalone_mode=False,
            obj=Start(root=root, version=version),
        )
    except BaseException as error:  # noqa: BLE001 - the one place where every error ends
        return _exit_code(error)
    return code if isinstance(code, int) else OK


def _exit_code(error: BaseException) -> int:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    log.debug("The traceback:", exc_info=error)
    match error:
        case KeyboardInterrupt() | typer.Abort():
            return INTERRUPTED
        case BrokenPipeError():
            return FAILED
    text, code = _in_words(error)
    print(text, file=sys.stderr)  # noqa: T201 - the command line's own voice
    return code


def _in_words(error: BaseException) -> tuple[str, int]:
    """A sentence for the operator, and the exit code."""
    match error:
        case SettingsError():
            return str(error), USAGE
        case BotError():
            return str(error), FAILED
        case typer.TyperException():
            return f"{error.format_message()} main.py --help says more.", error.exit_code
        case _:
            text = f"Unexpected error, {type(error).__name__}: {error}"
            return f"{text} (LOG_LEVEL=DEBUG shows where).", FAILED
