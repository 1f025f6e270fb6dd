"""Backup while the program runs, and restore."""

from pathlib import Path

import pytest

from bot.errors import StorageError
from storage import kept_copies, restore
from storage.copies import restore_copy
from storage.driver import Driver
from storage.migrations import migrate, read_migrations
from tests.storage.conftest import Reopen
from tests.storage.scenes import answers, assert_sound, content, hears, look, message, overwrite
from tests.storage.test_files import next_migration


async def test_a_backup_is_whole_while_the_program_runs(
    driver: Driver, path: Path, reopen: Reopen, tmp_path: Path
) -> None:
    copy = tmp_path / "elsewhere" / "copy.db"
    async with reopen() as store:
        await answers(store, await hears(store, message(1, "I keep bees")))
        await store.backup(str(copy))
        await hears(store, message(2, "later"))
        assert [file.name for file in copy.parent.iterdir()] == ["copy.db"]
        await store.backup(str(copy))  # replaces the older copy
        with pytest.raises(StorageError, match="the database itself"):
            await store.backup(str(path))
    assert look(driver, copy, "select text from event order by id")[-1] == ("later",)
    assert_sound(driver, copy)


async def test_a_backup_that_cannot_be_written_leaves_the_older_one(
    reopen: Reopen, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    async with reopen() as store:
        with pytest.raises(StorageError, match="backup was not written"):
            await store.backup(str(tmp_path / "file" / "copy.db"))


async def test_a_backup_is_restored_and_the_present_database_kept(
    driver: Driver, path: Path, reopen: Reopen, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    async with reopen() as store:
        await hears(store, message(1, "in the backup"))
        await store.backup(str(copy))
        await hears(store, message(2, "after the backup"))
        with pytest.raises(StorageError, match="in use"):
            restore_copy(driver, copy, path)
    kept = restore_copy(driver, copy, path)
    assert kept in kept_copies(path)
    assert kept is not None
    assert len(look(driver, kept, "select id from event")) == 2
    async with reopen() as store:
        assert (await store.counts())["events"] == 1
        assert (await store.received(message(2, "after the backup"), persona="ida")).new
    second = restore_copy(driver, copy, path)
    assert second not in (None, kept)


def test_only_a_healthy_backup_is_restored(driver: Driver, path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    migrate(driver, path, read_migrations())
    before = content(path)
    missing, text, foreign, empty, newer = (tmp_path / name for name in "abcde")
    text.write_text("no database " * 999)
    look(driver, foreign, "create table notes (text)")
    empty.write_bytes(b"")
    migrate(driver, newer, next_migration("create table later (id integer);"))
    for backup, says in (
        (missing, "is not there"),
        (text, "not a database"),
        (foreign, "another program"),
        (empty, "is empty"),
        (newer, "newer"),
    ):
        with pytest.raises(StorageError, match=says):
            restore(backup, path)
    assert content(path) == before


async def test_a_damaged_database_can_be_replaced_by_a_backup(
    driver: Driver, path: Path, reopen: Reopen, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    async with reopen() as store:
        await hears(store, message(1, "in the backup"))
        await store.backup(str(copy))
    overwrite(path, b"\x5a" * 9000)
    restore_copy(driver, copy, path)
    async with reopen() as store:
        assert (await store.counts())["events"] == 1


def test_a_restore_into_an_empty_folder_keeps_nothing(driver: Driver, tmp_path: Path) -> None:
    migrate(driver, tmp_path / "copy.db", read_migrations())
    assert restore(tmp_path / "copy.db", tmp_path / "new" / "bower.db") is None
