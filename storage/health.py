"""A look at a database file that changes nothing: its version, its size, whether it is sound."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bot.errors import StorageError
from storage.connection import explain
from storage.copies import examine
from storage.driver import Driver
from storage.migrations import applied_names, read_migrations


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """`version` names the newest migration in the file, empty where there is no file yet.

    `outdated`: it is brought to the present schema when it is next opened.
    """

    version: str
    size: int  # bytes, with the log beside it
    outdated: bool = False


def check_health(driver: Driver, database: Path) -> Health:
    """Raises StorageError for a database that cannot be used, with what to do."""
    if not database.exists():
        return Health(version="", size=0)
    try:
        examine(driver, database)
        with closing(driver.connect(database, read_only=True)) as connection:
            applied = applied_names(connection)
    except driver.error as error:
        raise StorageError(explain(error, database)) from error
    log = database.with_name(f"{database.name}-wal")
    return Health(
        version=max(applied, default=""),
        size=database.stat().st_size + (log.stat().st_size if log.exists() else 0),
        outdated=bool({migration.name for migration in read_migrations()} - applied),
    )
