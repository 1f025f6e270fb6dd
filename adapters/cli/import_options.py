"""What may be said to `main.py import` beside the files."""

from typing import Annotated

import typer

MapNames = Annotated[
    list[str] | None,
    typer.Option(
        "--map", metavar="NAME=PLATFORM:ID", help="The account behind a name; repeatable."
    ),
]
Identities = Annotated[
    bool, typer.Option("--identities", help="Trust the accounts that the file names.")
]
CardKey = Annotated[
    str | None,
    typer.Option("--key", metavar="NAME", help="The key that the card's persona gets."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace an older card of the same key.")
]
