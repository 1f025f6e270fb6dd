"""The contract runs over every way to reach SQLite that this interpreter has."""

import importlib.util
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from storage import SqliteStorage, open_storage
from storage.driver import Choice, Driver, pick_driver


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to reach SQLite, as `open_storage` takes it."""

    choice: Choice
    extension: bool

    @property
    def is_here(self) -> bool:
        if self.choice == "pysqlite3" and importlib.util.find_spec("pysqlite3") is None:
            return False
        return not self.extension or pick_driver(self.choice).extension


VARIANTS = {
    "sqlite3-extension": Variant(choice="sqlite3", extension=True),
    "pysqlite3": Variant(choice="pysqlite3", extension=True),
    "sqlite3-numpy": Variant(choice="sqlite3", extension=False),
}


@pytest.fixture(params=[name for name, variant in VARIANTS.items() if variant.is_here])
def variant(request: pytest.FixtureRequest) -> Variant:
    return VARIANTS[request.param]


@pytest.fixture
def driver(variant: Variant) -> Driver:
    return pick_driver(variant.choice, extension=variant.extension)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "bower.db"


Reopen = Callable[[], AbstractAsyncContextManager[SqliteStorage]]


@pytest.fixture
def reopen(variant: Variant, path: Path) -> Reopen:
    """Opens the same file again, as a restarted program does."""
    return lambda: open_storage(path, driver=variant.choice, extension=variant.extension)


@pytest.fixture
async def store(reopen: Reopen) -> AsyncIterator[SqliteStorage]:
    async with reopen() as opened:
        yield opened
