"""The memory: the only place with SQL."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.errors import StorageError
from storage.connection import Database, explain
from storage.driver import Choice, Driver, pick_driver
from storage.migrations import migrate, read_migrations
from storage.sqlite import SqliteStorage

__all__ = ["SqliteStorage", "open_storage"]


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


def _prepare(driver: Driver, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"The folder {path.parent} cannot be made ({error.strerror}); "
            "name a folder that may be written."
        ) from error
    try:
        migrate(driver, path, read_migrations())
    except driver.error as error:
        raise StorageError(explain(error, path)) from error
