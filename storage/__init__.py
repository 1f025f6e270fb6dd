"""The memory: the only place with SQL."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.errors import StorageError
from storage.connection import Database, explain
from storage.copies import kept_copies, restore_copy
from storage.driver import Choice, Driver, pick_driver
from storage.migrations import migrate, read_migrations
from storage.sqlite import SqliteStorage

__all__ = ["Description", "SqliteStorage", "describe", "kept_copies", "open_storage", "restore"]


@asynccontextmanager
async def open_storage(
    path: Path, *, driver: Choice = "auto", extension: bool = True
) -> AsyncIterator[SqliteStorage]:
    """The storage in this file, made if it is new and brought to the present schema.

    `driver` and `extension` choose how SQLite is reached; the default picks what works.
    Raises NewerDatabase or StorageError.
    """
    chosen = pick_driver(driver, extension=extension)
    await asyncio.to_thread(_prepare, chosen, path)
    async with Database(chosen, path) as database:
        yield SqliteStorage(database)


def restore(backup: Path, database: Path) -> Path | None:
    """Puts a backup in the place of the database; returns where the former one is kept.

    Raises StorageError, with nothing changed, for a backup that is damaged, foreign or
    newer than the program, and for a database that is in use.
    """
    return restore_copy(pick_driver(), backup, database)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """How this installation reaches SQLite; `extension`: sqlite-vec can be loaded."""

    driver: str
    sqlite_version: str
    extension: bool


def describe() -> Description:
    """What `open_storage` would use."""
    driver = pick_driver()
    return Description(
        driver=driver.name, sqlite_version=driver.sqlite_version, extension=driver.extension
    )


def _prepare(driver: Driver, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        migrate(driver, path, read_migrations())
    except OSError as error:
        raise StorageError(
            f"{path} cannot be made ({error.strerror}); name a file in a folder you may write."
        ) from error
    except driver.error as error:
        raise StorageError(explain(error, path)) from error
