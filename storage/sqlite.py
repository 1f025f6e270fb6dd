"""The memory stream in one SQLite file: all parts of the storage together."""

from storage.books import Books
from storage.forgetting.forget import Forgetting
from storage.house import House
from storage.search.recall import Recall
from storage.stream.learnt import Learnt
from storage.stream.names import Names
from storage.stream.own_lines import OwnLines
from storage.stream.receiving import Receiving
from storage.stream.reflections import Reflections
from storage.stream.remembering import Remembering
from storage.stream.turns import Turns
from storage.stream.vectors import Vectors
from storage.stream.views import Streams
from storage.world.bonds import Bonds
from storage.world.claims import Claims
from storage.world.links import Links
from storage.world.merging import Merging
from storage.world.people import People
from storage.world.places import Places
from storage.world.scenery import Scenery
from storage.world.servers import Servers


class SqliteStorage(
    Receiving,
    Turns,
    Learnt,
    Remembering,
    Vectors,
    Recall,
    People,
    Places,
    Servers,
    Links,
    OwnLines,
    Streams,
    Bonds,
    Claims,
    Scenery,
    Names,
    Merging,
    Reflections,
    Forgetting,
    Books,
    House,
):
    """Implements the `Storage` port. Made by `storage.open_storage`."""
