"""Copies of the database: backup while it runs, restore, and those kept by themselves."""

import os
import shutil
from contextlib import closing, suppress
from pathlib import Path

from bot.errors import StorageError
from storage.connection import explain
from storage.driver import Driver
from storage.migrations import check, make_private, read_migrations


def back_up(driver: Driver, database: Path, file: Path) -> None:
    """Writes a consistent copy while others use the database; replaces an older copy only
    when the new one is complete. Raises StorageError."""
    if file.resolve() == database.resolve():
        raise StorageError(f"{file} is the database itself; name another file for the backup.")
    partial = file.with_name(f".{file.name}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.unlink(missing_ok=True)
        make_private(partial)
        with closing(driver.connect(database)) as source, closing(driver.connect(partial)) as copy:
            source.backup(copy)
            copy.execute("pragma journal_mode = delete")  # one file, without a log beside it
        _to_disk(partial)
        partial.replace(file)
    except (OSError, driver.error) as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise StorageError(f"The backup was not written: {_reason(error, file)}") from error


def restore_copy(driver: Driver, backup: Path, database: Path) -> Path | None:
    """Puts a backup in the place of the database; returns where the former one is kept.

    Raises StorageError (nothing is changed) if the backup is damaged, foreign or newer
    than the program, or if a program has the database open.
    """
    if not backup.is_file():
        raise StorageError(f"{backup} is not there; name the file that `backup` wrote.")
    fresh = database.with_name(f".{database.name}.partial")
    try:
        examine(driver, backup)
        database.parent.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        make_private(fresh)
        shutil.copyfile(backup, fresh)
        _to_disk(fresh)
        kept = _set_aside(driver, database) if database.exists() else None
        fresh.replace(database)
    except driver.error as error:
        raise StorageError(f"Nothing was restored: {explain(error, backup)}") from error
    except OSError as error:
        raise StorageError(f"Nothing was restored: {_reason(error, database)}") from error
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
    return kept


def examine(driver: Driver, backup: Path) -> None:
    """Raises StorageError unless this is a healthy database of this or an older version."""
    with closing(driver.connect(backup)) as connection:
        verdict = connection.execute("pragma integrity_check").fetchone()[0]
        if verdict != "ok":
            raise StorageError(f"{backup} is damaged ({verdict}); use another backup.")
        if not connection.execute("select count(*) from sqlite_master").fetchone()[0]:
            raise StorageError(f"{backup} is empty; use another backup.")
        check(connection, backup, read_migrations())
        if connection.execute("pragma foreign_key_check").fetchone() is not None:
            raise StorageError(f"{backup} is damaged (rows point at nothing); use another backup.")


def kept_copies(database: Path) -> list[Path]:
    """Copies that Bower keeps beside the database: they hold what was deleted since."""
    return sorted(
        file
        for file in database.parent.glob(f"{database.name}.before-*")
        if not file.name.endswith(("-wal", "-shm"))
    )


def _set_aside(driver: Driver, database: Path) -> Path:
    with closing(driver.connect(database)) as connection:
        # no other connection may be open in this mode, so the log is folded in and goes
        connection.execute("pragma busy_timeout = 0")
        try:
            connection.execute("pragma locking_mode = exclusive")
            connection.execute("begin immediate")
            connection.execute("commit")
            connection.execute("pragma journal_mode = delete")
        except driver.error as error:
            if "locked" in str(error):
                raise StorageError(
                    f"{database} is in use; stop the bot, then restore the backup."
                ) from error
            # a damaged database is set aside as it is
    number = 1
    while (kept := database.with_name(f"{database.name}.before-restore-{number}")).exists():
        number += 1
    database.rename(kept)
    log = database.with_name(database.name + "-wal")
    if log.exists():
        log.rename(kept.with_name(kept.name + "-wal"))
    database.with_name(database.name + "-shm").unlink(missing_ok=True)
    return kept


def _to_disk(file: Path) -> None:
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())


def _reason(error: Exception, path: Path) -> str:
    if isinstance(error, OSError):
        return f"{path} cannot be written ({error.strerror}); check the folder and the disk."
    return explain(error, path)
