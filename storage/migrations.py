"""Brings a database file to the present schema, or refuses to touch it.

Migrations are the numbered files of `schema/`, appended and never edited. Each runs in one
transaction together with its row in the ledger, so a crash leaves it before or after.
"""

import hashlib
import logging
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bot.errors import NewerDatabase, StorageError
from storage.driver import Driver

log = logging.getLogger(__name__)

SCHEMA: Final = Path(__file__).parent / "schema"
APPLICATION_ID: Final = 0x426F7772
"""Marks the file as Bower's ("Bowr")."""

_LEDGER: Final = """
create table if not exists migration (
    name       text primary key,
    applied_at text not null,
    checksum   text not null
) strict
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One file: `name` without its ending, `checksum` of its text."""

    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read_migrations(folder: Path = SCHEMA) -> list[Migration]:
    """All migrations, oldest first."""
    return [
        Migration(name=file.stem, sql=file.read_text(encoding="utf-8"))
        for file in sorted(folder.glob("[0-9]*.sql"))
    ]


def migrate(driver: Driver, path: Path, migrations: list[Migration]) -> None:
    """Applies what is missing; keeps a copy of a database that it is about to change.

    Raises NewerDatabase or StorageError before anything is touched, and the driver's error
    if a migration fails, which leaves the database as it was.
    """
    make_private(path)
    connection = driver.connect(path)
    try:
        check(connection, path, migrations)
        applied = applied_names(connection)
        missing = [one for one in migrations if one.name not in applied]
        if applied and missing:
            _keep_copy(driver, connection, path, missing[0].name)
        connection.execute("pragma journal_mode = wal")
        for migration in missing:
            _apply(driver, connection, migration)
    finally:
        connection.close()


def make_private(path: Path) -> None:
    """Makes a new file that nobody else on the machine may read: it holds conversations."""
    if path.parent.is_dir() and not path.exists():
        path.touch(mode=0o600)


def check(connection: sqlite3.Connection, path: Path, migrations: list[Migration]) -> None:
    """Raises NewerDatabase for a newer program's file, StorageError for a foreign one."""
    tables = connection.execute("select count(*) from sqlite_master").fetchone()[0]
    owner = connection.execute("pragma application_id").fetchone()[0]
    if tables and owner != APPLICATION_ID:
        raise StorageError(f"{path} is a database of another program; name another file.")
    known = {one.name: one.checksum for one in migrations}
    for name, checksum in _ledger(connection):
        if name not in known:
            raise NewerDatabase(
                f"{path} was written by a newer Bower (it has {name}); nothing was changed. "
                "Update the program, or restore a backup of the older version."
            )
        if known[name] != checksum:
            raise StorageError(
                f"{path} was made with another text of {name}; start with a new file, "
                "or run the version that made it."
            )


def applied_names(connection: sqlite3.Connection) -> set[str]:
    return {name for name, _ in _ledger(connection)}


def _ledger(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    exists = connection.execute("select 1 from sqlite_master where name = 'migration'").fetchone()
    if exists is None:
        return []
    rows = connection.execute("select name, checksum from migration order by name").fetchall()
    return [(row[0], row[1]) for row in rows]


def _keep_copy(driver: Driver, connection: sqlite3.Connection, path: Path, name: str) -> None:
    copy = path.with_name(f"{path.name}.before-{name}")
    make_private(copy)
    target = driver.connect(copy)
    try:
        connection.backup(target)
    finally:
        target.close()
    log.info("Kept a copy of the database before %s: %s", name, copy)


def _apply(driver: Driver, connection: sqlite3.Connection, migration: Migration) -> None:
    connection.execute("begin immediate")
    try:
        connection.execute(_LEDGER)
        if migration.name not in applied_names(connection):  # another process may be faster
            for statement in statements(driver, migration.sql):
                connection.execute(statement)
            connection.execute(
                "insert into migration values (?, ?, ?)",
                (migration.name, datetime.now(UTC).isoformat(), migration.checksum),
            )
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
        connection.execute("commit")
    except BaseException:
        connection.rollback()
        raise


def statements(driver: Driver, sql: str) -> list[str]:
    """The single statements of a script (executescript would commit half of it)."""
    found: list[str] = []
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if line.rstrip().endswith(";") and driver.complete_statement(pending):
            found.append(pending)
            pending = ""
    if pending.strip() and not all(
        line.lstrip().startswith("--") or not line.strip() for line in pending.splitlines()
    ):
        found.append(pending)
    return found
