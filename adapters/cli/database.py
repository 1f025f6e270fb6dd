"""`main.py backup`, `restore` and `reembed`: looking after the database."""

import asyncio
from pathlib import Path

import typer

from adapters.cli.root import Root, prepared
from adapters.console.progress import progress_bar
from adapters.settings import Settings
from bot.errors import SettingsError
from bot.passages import passage
from bot.ports import Embedder, Progress, Storage

BATCH = 64
"""Texts embedded between two looks at the progress bar."""


def backup(root: Root, file: Path) -> None:
    """Copies the database to a new file."""
    settings = prepared()
    if not settings.database.is_file():
        raise SettingsError(f"There is no database at {settings.database}; set DATABASE.")
    if file.exists():
        raise SettingsError(f"{file} exists already; choose another name or move it away.")
    asyncio.run(_backup(root, settings, file))
    typer.echo(f"The database is copied to {file}.", err=True)


async def _backup(root: Root, settings: Settings, file: Path) -> None:
    async with root.storage(settings.database) as storage:
        await storage.backup(str(file))


def restore(root: Root, file: Path, *, yes: bool) -> None:
    """Puts a backup in the database's place, after asking."""
    settings = prepared()
    if not file.is_file():
        raise SettingsError(f"There is no file {file}; name a backup made with main.py backup.")
    asks = settings.database.exists() and not yes
    if asks and not typer.confirm(f"Put {file} in the place of {settings.database}?", err=True):
        typer.echo(f"{settings.database} stays as it is.", err=True)
        raise typer.Exit(1)
    kept = root.restore(file, settings.database)
    typer.echo(f"{settings.database} is restored from {file}.", err=True)
    if kept is not None:
        typer.echo(f"The database before it is kept as {kept}.", err=True)


def reembed(root: Root) -> None:
    """Gives every memory a vector of the present encoder. Safe to interrupt and repeat."""
    settings = prepared()
    with progress_bar("Embedding memories") as report:
        done = asyncio.run(_reembed(root, settings, report))
    typer.echo(f"{done} memories were embedded.", err=True)


async def _reembed(root: Root, settings: Settings, report: Progress) -> int:
    async with root.storage(settings.database) as storage, root.senses(settings) as senses:
        done = await embed_all(storage, senses.embedder, report)
        await storage.drop_vectors(senses.embedder.name)
    return done


async def embed_all(storage: Storage, embedder: Embedder, report: Progress) -> int:
    """Embeds what has no vector of the present encoder. Returns how many memories."""
    stored = await storage.embedders()
    total = max(sum(n for name, n in stored.items() if name != embedder.name), 1)
    done = 0
    while events := await storage.unembedded(embedder.name, BATCH):
        texts = [passage(event.speaker_name, event.text) for event in events]
        vectors = await embedder.embed(texts, kind="passage")
        await storage.embedded([event.id for event in events], vectors, embedder.name)
        done += len(events)
        total = max(total, done)
        report(done, total)
    report(total if done else 0, total if done else 0)
    return done
