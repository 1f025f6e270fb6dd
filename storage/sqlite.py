"""The memory stream in one SQLite file: all parts of the storage together."""

from storage.books import Books
from storage.forgetting.forget import Forgetting
from storage.house import House
from storage.search.recall import Recall
from storage.stream.own_lines import OwnLines
from storage.stream.receiving import Receiving
from storage.stream.remembering import Remembering
from storage.stream.turns import Turns
from storage.stream.vectors import Vectors
from storage.world.links import Links
from storage.world.people import People
from storage.world.places import Places
from storage.world.servers import Servers


class SqliteStorage(
    Receiving,
    Turns,
    Remembering,
    Vectors,
    Recall,
    People,
    Places,
    Servers,
    Links,
    OwnLines,
    Forgetting,
    Books,
    House,
):
    """Implements the `Storage` port. Made by `storage.open_storage`."""
