"""The memory stream in one SQLite file: all parts of the storage together."""

from storage.house import House
from storage.people import People
from storage.places import Places
from storage.recall import Recall
from storage.receiving import Receiving
from storage.turns import Turns
from storage.vectors import Vectors


class SqliteStorage(Receiving, Turns, Vectors, Recall, People, Places, House):
    """Implements the `Storage` port. Made by `storage.open_storage`."""
