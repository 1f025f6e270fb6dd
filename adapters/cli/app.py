"""The command line: its commands, and what every error becomes."""

import logging
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
import typer.main

from adapters.cli import chat, database, doctor, importing, recall, running
from adapters.cli.root import Root, root_of
from bot.errors import BotError, SettingsError

log = logging.getLogger(__name__)

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

HELP = """A chat companion that remembers what fits the topic and the feeling.

Without a command it starts every platform that has a token.

Settings come from the environment and the file .env; .env.example explains each."""

app = typer.Typer(
    help=HELP,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
app.command("chat")(chat.chat)
app.command("import")(importing.import_)
app.command("recall")(recall.recall)
app.command("backup")(database.backup)
app.command("restore")(database.restore)
app.command("reembed")(database.reembed)
app.command("doctor")(doctor.doctor)


def _say_version(context: typer.Context, wanted: bool) -> None:
    if wanted:
        typer.echo(f"Bower {root_of(context).version}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Say the version.", callback=_say_version, is_eager=True),
    ] = False,
) -> None:
    del version
    if context.invoked_subcommand is None:
        running.run_platforms(root_of(context))


def run(root: Root, arguments: Sequence[str]) -> int:
    """Runs one command. Returns the exit code: 0 done, 1 failed, 2 wrong usage or settings,
    130 interrupted. An error is a sentence on standard error."""
    command = typer.main.get_command(app)
    try:
        code = command.main(
            args=list(arguments), prog_name="main.py", standalone_mode=False, obj=root
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
