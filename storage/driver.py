"""Picks the SQLite driver: the only module that knows there are two.

Python's own `sqlite3` serves where it can load extensions; many builds cannot, and there
`pysqlite3` does. Its errors and rows are its own classes, so the rest of the storage asks
the chosen `Driver` for them.
"""

import importlib
import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from bot.errors import StorageError
from storage.search.words import words

log = logging.getLogger(__name__)

BUSY_SECONDS: Final = 20.0
"""How long a connection waits for another program's transaction."""

OLDEST: Final = (3, 37)
"""The first with strict tables."""

Choice = Literal["auto", "sqlite3", "pysqlite3"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """A SQLite driver. `extension`: connections carry sqlite-vec's functions.

    `error` is the base of everything the driver raises.
    """

    name: str
    sqlite_version: str
    extension: bool
    error: type[Exception]
    complete_statement: Callable[[str], bool]
    _connect: Callable[..., sqlite3.Connection]
    _row: type

    def connect(self, path: Path | str, *, read_only: bool = False) -> sqlite3.Connection:
        """A connection without implicit transactions; rows can be asked by column name.

        Raises StorageError if this SQLite is too old.
        """
        if tuple(int(part) for part in self.sqlite_version.split(".")[:2]) < OLDEST:
            raise StorageError(
                f"SQLite {self.sqlite_version} is too old; install 3.37 or newer, or pysqlite3."
            )
        connection = self._connect(
            str(path), timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            self._prepare(connection, read_only=read_only)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection, *, read_only: bool) -> None:
        connection.row_factory = self._row
        connection.create_function("words", 1, words, deterministic=True)
        if self.extension:
            _load(connection)
        connection.execute("pragma foreign_keys = on")
        connection.execute("pragma secure_delete = on")
        if read_only:
            connection.execute("pragma query_only = on")


def pick_driver(choice: Choice = "auto", *, extension: bool = True) -> Driver:
    """The driver to use; says once, as a warning, if sqlite-vec cannot be loaded.

    Without `extension` none is loaded. Raises ImportError if the chosen driver is missing.
    """
    names = ("sqlite3", "pysqlite3") if choice == "auto" else (choice,)
    if extension:
        for name in names:
            module = _module(name, required=choice != "auto")
            if module is not None and _loads_extension(module):
                return _driver(module, extension=True)
        log.warning(
            "This Python cannot load sqlite-vec: memories are compared with NumPy instead, "
            "which finds the same."
        )
    return _driver(_module(names[0], required=True), extension=False)


def connect(path: Path | str, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection of the driver that would be picked, for looking into a file."""
    return pick_driver().connect(path, read_only=read_only)


def _module(name: str, *, required: bool) -> object | None:
    if name == "sqlite3":
        return sqlite3
    try:
        module: object = importlib.import_module("pysqlite3")
    except ImportError:
        if required:
            raise
        return None
    return module


def _driver(module: object, *, extension: bool) -> Driver:
    # both modules follow PEP 249, and pysqlite3 has no type stubs
    return Driver(
        name=getattr(module, "__name__", "sqlite3"),
        sqlite_version=getattr(module, "sqlite_version", ""),
        extension=extension,
        error=getattr(module, "Error", sqlite3.Error),
        complete_statement=getattr(module, "complete_statement", sqlite3.complete_statement),
        _connect=getattr(module, "connect", sqlite3.connect),
        _row=getattr(module, "Row", sqlite3.Row),
    )


def _loads_extension(module: object) -> bool:
    driver = _driver(module, extension=True)
    try:
        driver.connect(":memory:").close()
    except (ImportError, AttributeError, driver.error) as error:
        log.debug("%s cannot load sqlite-vec: %s", driver.name, error)
        return False
    return True


def _load(connection: sqlite3.Connection) -> None:
    connection.enable_load_extension(True)
    importlib.import_module("sqlite_vec").load(connection)
    connection.enable_load_extension(False)
