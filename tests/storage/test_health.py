"""What `doctor` finds out about a database file."""

from pathlib import Path

import pytest

from bot.errors import StorageError
from storage import open_storage
from storage.driver import pick_driver
from storage.health import check_health
from storage.migrations import read_migrations


async def test_a_sound_database_has_the_newest_version(tmp_path: Path) -> None:
    async with open_storage(tmp_path / "bower.db"):
        pass
    health = check_health(pick_driver(), tmp_path / "bower.db")
    assert health.version == read_migrations()[-1].name
    assert health.size > 0
    assert not health.outdated


def test_a_missing_database_is_not_made(tmp_path: Path) -> None:
    assert check_health(pick_driver(), tmp_path / "bower.db").version == ""
    assert list(tmp_path.iterdir()) == []


async def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bower.db"
    async with open_storage(path):
        pass
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 12] = b"\xff" * 4096 * 10
    path.write_bytes(content)
    with pytest.raises(StorageError, match="damaged"):
        check_health(pick_driver(), path)


def test_another_programs_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bower.db").write_text("no database " * 100, encoding="utf-8")
    with pytest.raises(StorageError, match="not a database"):
        check_health(pick_driver(), tmp_path / "bower.db")
