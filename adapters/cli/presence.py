"""Which processes use a database for one purpose: a lock that dies with its holder."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from bot.errors import SettingsError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Presence:
    """This process among the others. `alone` is True if it came while there was no other;
    until it makes room, those that come know that they are not alone."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.alone = self._lock(exclusive=True)

    def make_room(self) -> None:
        """Others may stay beside it from now on; none of them came alone."""
        self._lock(exclusive=False)

    def _lock(self, *, exclusive: bool) -> bool:
        if fcntl is None:
            return True
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(self._file, kind | fcntl.LOCK_NB)
            return True
        return False


@contextmanager
def presence(database: Path, purpose: str) -> Iterator[Presence]:
    """Is present for one purpose (a word for a file name) as long as it lasts.

    Raises SettingsError where no file can be made beside the database.
    """
    path = database.with_name(f".{database.name}.{purpose}.lock")
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be written: {error.strerror}; set DATABASE to a file in a folder "
            "that the program may write to."
        ) from error
    with file:
        yield Presence(file)
