"""What every part of the storage has: the database."""

from pathlib import Path

from storage.connection import Database


class Part:
    """A part of the storage, about one subject; `SqliteStorage` is all of them."""

    def __init__(self, database: Database) -> None:
        self._db = database

    @property
    def path(self) -> Path:
        """The file."""
        return self._db.path
