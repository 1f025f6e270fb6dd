"""The memory stream in one SQLite file: all parts of the storage together."""

from storage.forgetting.forget import Forgetting
from storage.house import House
from storage.own_lines import OwnLines
from storage.people import People
from storage.places import Places
from storage.recall import Recall
from storage.receiving import Receiving
from storage.remembering import Remembering
from storage.turns import Turns
from storage.vectors import Vectors


class SqliteStorage(
    Receiving,
    Turns,
    Remembering,
    Vectors,
    Recall,
    People,
    Places,
    OwnLines,
    Forgetting,
    House,
):
    """Implements the `Storage` port. Made by `storage.open_storage`."""
