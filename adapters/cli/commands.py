"""What can be typed after `main.py`. Each command loads what it needs when it is called: help
shall not wait for numpy and the rest."""

# ruff: noqa: PLC0415 - see above

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adapters.cli.import_options import CardKey, Identities, MapNames, Overwrite

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.cli.root import Root

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

Wanted = Annotated[str | None, typer.Option("--persona", help="A key or name from PERSONAS.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What `run` was given."""

    root: "Callable[[], Root]"
    version: str


def root_of(context: typer.Context) -> "Root":
    """The program, as `main.py` puts it together."""
    start: Start = context.find_root().obj
    return start.root()


def _say_version(context: typer.Context, wanted: bool) -> None:
    if wanted:
        start: Start = context.find_root().obj
        typer.echo(f"Bower {start.version}")
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
        from adapters.cli.running import run_platforms

        run_platforms(root_of(context))


@app.command("chat")
def chat(
    context: typer.Context,
    persona: Annotated[
        str | None,
        typer.Option("--persona", help="A key or name from PERSONAS; in rooms several, by comma."),
    ] = None,
    me: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Your name; default: your login.")
    ] = None,
    group: Annotated[
        bool, typer.Option("--group", help='A room for several: "Ana: hello" is said by Ana.')
    ] = False,
) -> None:
    """Talk in the terminal.

    Lines can be piped in: each is answered before the next is read, and only the replies
    go to standard output. Inside, @help lists what can be typed.

    Example: echo "Hello" | main.py chat --persona senga --as Ana
    """
    from adapters.cli.chat import chat as talk

    raise typer.Exit(talk(root_of(context), persona=persona, me=me, group=group))


@app.command("import")
def import_(
    context: typer.Context,
    *,
    files: Annotated[list[Path], typer.Argument(help="Chats and cards; the format is found out.")],
    persona: Wanted = None,
    names: MapNames = None,
    identities: Identities = False,
    key: CardKey = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Take in chats and characters.

    An exported chat becomes memories of the persona, a character card (PNG, JSON, CHARX)
    a persona of its own. Speakers are local people of that import unless --map names their
    accounts. It can be interrupted and repeated: what is stored is passed over.

    Example: main.py import chat.json --persona senga --map Ana=discord:123
    """
    from adapters.cli.importing import import_files

    import_files(
        root_of(context),
        files,
        persona=persona,
        names=names or [],
        identities=identities,
        as_json=as_json,
        key=key,
        overwrite=overwrite,
    )


@app.command("export-card")
def export_card(
    context: typer.Context,
    persona: Annotated[str, typer.Argument(help="A key or name from PERSONAS.")],
    file: Annotated[Path, typer.Argument(help="Ends in .png, .json or .charx.")],
    version: Annotated[
        int, typer.Option("--card-version", min=2, max=3, help="Of the card format.")
    ] = 3,
) -> None:
    """Write a persona as a character card.

    Example: main.py export-card senga senga.png
    """
    del context
    from adapters.cli.cards import export_card as write

    write(persona, file, version=version)


@app.command("recall")
def recall(
    context: typer.Context,
    *,
    text: Annotated[str, typer.Argument(help="What is said to the persona.")],
    persona: Wanted = None,
    me: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="NAME", help="Who says it: a name, or platform:id; default: your login."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many memories.")] = 8,
    strategy: Annotated[
        str, typer.Option(help="semantic, c-a, c-m, s-s, s-e or blend (what conversations use).")
    ] = "blend",
    mode: Annotated[
        str | None, typer.Option(help="match, regulate or off; default: the persona's.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what a text brings to mind.

    Best first, with the score and its parts.

    Example: main.py recall "the storm" --persona senga --as Ana --json
    """
    from adapters.cli.recall import Question
    from adapters.cli.recall import recall as show

    question = Question(
        text=text, persona=persona, who=me, limit=limit, strategy=strategy, mode=mode
    )
    show(root_of(context), question, as_json=as_json)


@app.command("relationship")
def relationship(
    context: typer.Context,
    *,
    persona: Wanted = None,
    who: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="NAME", help="One person alone: a name, or platform:id; with history."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show how close people are to a persona.

    Example: main.py relationship --persona senga --as Ana --json
    """
    from adapters.cli.stream import relationship as show

    show(root_of(context), persona=persona, who=who, as_json=as_json)


@app.command("people")
def people(context: typer.Context, as_json: Json = False) -> None:
    """List who has spoken anywhere, with their names.

    Example: main.py people --json
    """
    from adapters.cli.stream import people as show

    show(root_of(context), as_json=as_json)


@app.command("claims")
def claims(context: typer.Context, as_json: Json = False) -> None:
    """List what is only hearsay, and what became of it.

    Example: main.py claims --json
    """
    from adapters.cli.stream import claims as show

    show(root_of(context), as_json=as_json)


@app.command("scene")
def scene(
    context: typer.Context,
    *,
    place: Annotated[
        str | None, typer.Option("--place", metavar="NAME", help="Only places of this name.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what is in each place, and since when.

    Example: main.py scene --place kitchen --json
    """
    from adapters.cli.stream import scene as show

    show(root_of(context), place=place, as_json=as_json)


@app.command("score")
def score(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What is felt about.")],
    as_json: Json = False,
) -> None:
    """Show what a text feels like.

    Eight scores from 1 (absent) to 10 (extreme), valence and arousal from -1 to 1.

    Example: main.py score "I finally got the job!" --json
    """
    from adapters.cli.score import score as show

    show(root_of(context), text, as_json=as_json)


@app.command("backup")
def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The copy to write; it must not exist yet.")],
) -> None:
    """Copy the database to a file.

    The program may be running meanwhile.

    Example: main.py backup backups/monday.db
    """
    from adapters.cli.database import backup as copy

    copy(root_of(context), file)


@app.command("restore")
def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The backup to put in place.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Put a backup in place.

    Stop the program first. The present database is kept beside it under another name.

    Example: main.py restore backups/monday.db
    """
    from adapters.cli.database import restore as put_back

    put_back(root_of(context), file, yes=yes)


@app.command("reembed")
def reembed(context: typer.Context) -> None:
    """Renew the vectors of all memories.

    Needed after EMBEDDING_MODEL changed. It can be interrupted: the next run goes on where
    this one stopped.
    """
    from adapters.cli.database import reembed as renew

    renew(root_of(context))


@app.command("doctor")
def doctor(context: typer.Context, as_json: Json = False) -> None:
    """Check the installation.

    One line for each part, with the remedy. The exit code is 1 if something fails.
    """
    from adapters.cli.doctor import doctor as check

    raise typer.Exit(check(root_of(context), as_json=as_json))


@app.command("bench")
def bench(
    context: typer.Context,
    *,
    name: Annotated[str, typer.Argument(help="Which one; without a name they are listed.")] = "",
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder with the public data sets.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="A quick run over so many samples of each set.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of all chance.")] = 0,
    cv: Annotated[bool, typer.Option("--cv", help="Train by folds, where that applies.")] = False,
    as_json: Json = False,
) -> None:
    """Measure, beside baselines in the same run.

    Embeddings are cached between runs; the figures do not depend on that.

    Example: main.py bench locomo --data data/public --limit 200
    """
    from adapters.cli.bench import Wish
    from adapters.cli.bench import bench as measure

    wish = Wish(data=data, limit=limit, seed=seed, cv=cv)
    measure(root_of(context), name, wish, as_json=as_json)
