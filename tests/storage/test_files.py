"""The file: migrations, copies, damage, a full disk."""

import asyncio
import logging
import os
import sys
from asyncio.subprocess import PIPE
from contextlib import closing
from pathlib import Path

import pytest

from bot.errors import NewerDatabase, StorageError
from storage import describe, kept_copies, open_storage
from storage.driver import Driver, pick_driver
from storage.migrations import Migration, migrate, read_migrations, statements
from tests.storage.conftest import Reopen, Variant
from tests.storage.scenes import answers, assert_sound, content, hears, look, message, overwrite

ROOT = Path(__file__).parents[2]


async def filled(reopen: Reopen) -> None:
    async with reopen() as store:
        await answers(store, await hears(store, message(1, "I keep bees")))


async def test_the_ledger_names_each_migration(driver: Driver, path: Path, reopen: Reopen) -> None:
    await filled(reopen)
    rows = look(driver, path, "select name, checksum from migration")
    assert rows == [(one.name, one.checksum) for one in read_migrations()]
    assert look(driver, path, "pragma journal_mode") == [("wal",)]
    assert kept_copies(path) == []


def next_migration(sql: str) -> list[Migration]:
    return [*read_migrations(), Migration(name="9998_next", sql=sql)]


async def test_a_copy_is_kept_before_a_migration(
    driver: Driver, path: Path, reopen: Reopen
) -> None:
    await filled(reopen)
    migrate(driver, path, next_migration("create table later (id integer primary key) strict;"))
    (copy,) = kept_copies(path)
    assert "9998_next" in copy.name
    assert look(driver, copy, "select text from event where id = 1") == [("I keep bees",)]
    assert look(driver, copy, "select 1 from sqlite_master where name = 'later'") == []
    assert look(driver, path, "select 1 from sqlite_master where name = 'later'") == [(1,)]


async def test_a_failing_migration_changes_nothing(
    driver: Driver, path: Path, reopen: Reopen
) -> None:
    await filled(reopen)
    sql = "create table later (id integer);\ninsert into later values (1);\nselect nothing;"
    with pytest.raises(driver.error):
        migrate(driver, path, next_migration(sql))
    assert look(driver, path, "select 1 from sqlite_master where name = 'later'") == []
    assert ("9998_next",) not in look(driver, path, "select name from migration")
    assert_sound(driver, path)


async def test_a_newer_database_is_refused_and_untouched(
    driver: Driver, path: Path, reopen: Reopen
) -> None:
    await filled(reopen)
    migrate(driver, path, next_migration("create table later (id integer);"))
    before = content(path)
    with pytest.raises(NewerDatabase, match="9998_next"):
        async with reopen():
            pass
    assert content(path) == before


async def test_an_edited_migration_is_refused(driver: Driver, path: Path, reopen: Reopen) -> None:
    await filled(reopen)
    look(driver, path, "update migration set checksum = 'other'")
    with pytest.raises(StorageError, match="another text"):
        async with reopen():
            pass


def test_a_script_is_cut_into_statements(driver: Driver) -> None:
    script = (
        "-- one; two\ncreate table a (b); \ncreate trigger t after insert on a begin\n"
        "  delete from a;\n  select ';';\nend;\n\n-- the end\n"
    )
    assert len(statements(driver, script)) == 2
    assert len(statements(driver, "select 1;\nselect 2")) == 2


async def test_another_programs_database_is_refused(
    driver: Driver, path: Path, reopen: Reopen
) -> None:
    path.parent.mkdir()
    look(driver, path, "create table notes (text)")
    before = content(path)
    with pytest.raises(StorageError, match="another program"):
        async with reopen():
            pass
    assert content(path) == before


async def test_a_file_that_is_no_database_is_refused(path: Path, reopen: Reopen) -> None:
    overwrite(path, b"my shopping list " * 500)
    with pytest.raises(StorageError, match="not a database"):
        async with reopen():
            pass
    assert content(path) == b"my shopping list " * 500


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="cannot be made"):
        async with open_storage(tmp_path / "file" / "data" / "bower.db"):
            pass


async def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be opened"):
        async with open_storage(tmp_path):
            pass


def allow(path: Path, mode: int) -> None:
    path.chmod(mode)


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
async def test_a_file_that_may_not_be_written_is_named(path: Path, reopen: Reopen) -> None:
    await filled(reopen)
    allow(path, 0o400)
    allow(path.parent, 0o500)
    try:
        with pytest.raises(StorageError, match="cannot be"):
            async with reopen():
                pass
    finally:
        allow(path.parent, 0o700)


async def test_damage_is_reported_in_a_sentence(driver: Driver, path: Path, reopen: Reopen) -> None:
    await filled(reopen)
    overwrite(path, content(path)[:4096] + b"\x5a" * (len(content(path)) - 4096))
    with pytest.raises(StorageError, match="damaged"):
        async with reopen() as store:
            await hears(store, message(2, "hello"))


FILLS_THE_DISK = """
import asyncio, resource, sys
from pathlib import Path
from bot.errors import StorageError
from storage import open_storage
from tests.storage.scenes import channel, hears, message

async def main() -> None:
    path = Path(sys.argv[1])
    async with open_storage(path, driver=sys.argv[2], extension=sys.argv[3] == "True") as store:
        limit = path.stat().st_size + 60_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        kept = 0
        try:
            for number in range(2, 5000):
                await hears(store, message(number, "word " * 200, where=channel()))
                kept += 1
        except StorageError as error:
            print(f"kept {kept}: {error}")
            resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
            await hears(store, message(9999, "there is room again", where=channel()))

asyncio.run(main())
"""


async def test_a_full_disk_loses_nothing_that_was_kept(
    driver: Driver, path: Path, variant: Variant, reopen: Reopen
) -> None:
    """A limit on the size of files stands for a full disk, in a process of its own."""
    await filled(reopen)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", FILLS_THE_DISK, str(path), variant.choice, str(variant.extension),
        cwd=ROOT, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip
    said, errors = await child.communicate()
    assert child.returncode == 0, errors.decode()
    assert b"disk" in said
    kept = int(said.split()[1].rstrip(b":"))
    assert look(driver, path, "select count(*) from event where kind = 'message'") == [(kept + 2,)]
    assert_sound(driver, path)


def test_the_driver_is_described() -> None:
    said = describe()
    assert said.driver in ("sqlite3", "pysqlite3")
    assert said.sqlite_version.count(".") == 2


def test_without_the_extension_it_is_said_once(
    caplog: pytest.LogCaptureFixture, variant: Variant
) -> None:
    with caplog.at_level(logging.WARNING):
        pick_driver(variant.choice, extension=variant.extension)
    assert caplog.text == ""


def test_connections_keep_foreign_keys_and_overwrite_what_is_deleted(
    driver: Driver, tmp_path: Path
) -> None:
    with closing(driver.connect(tmp_path / "x.db")) as connection:
        assert connection.execute("pragma foreign_keys").fetchone()[0] == 1
        assert connection.execute("pragma secure_delete").fetchone()[0] == 1


async def test_nobody_else_may_read_the_file(path: Path, reopen: Reopen, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    async with reopen() as store:
        await store.backup(str(copy))
    assert [mode(path), mode(copy)] == [0o600, 0o600]


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777
