"""Databases that tests begin with: the schema is made once, and copied for each test."""

import tempfile
from functools import lru_cache
from pathlib import Path

from storage.driver import pick_driver
from storage.migrations import migrate, read_migrations


def ready(path: Path) -> Path:
    """The path, with an empty database of the present schema where there was no file. Tests of
    the migrations themselves are in tests/storage, and begin with nothing."""
    if not path.exists():
        path.write_bytes(_template())
    return path


@lru_cache(maxsize=1)
def _template() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "template.db"
        migrate(pick_driver(), file, read_migrations())
        return file.read_bytes()
