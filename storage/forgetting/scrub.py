"""Rebuilds the file so far that deleted text is no longer in it.

The full-text index keeps deleted terms until its segments are merged, pages keep what was
deleted before `secure_delete` was on, and the write-ahead log keeps old pages.
"""

import logging
from typing import Final

from storage.connection import Database
from storage.driver import BUSY_SECONDS

log = logging.getLogger(__name__)

WAIT_SECONDS: Final = 2.0
"""So long other programs may go on reading before the log is left to them."""


async def scrub(database: Database, wait_seconds: float = WAIT_SECONDS) -> None:
    """Waits for this program's readers. Warns if another program keeps the log in use.

    Raises StorageError, for instance if the disk has no room for the rebuilt file.
    """
    async with database.alone() as connection:
        await connection.execute_fetchall(
            "insert into event_words (event_words) values ('optimize')"
        )
        await connection.execute_fetchall("vacuum")
        await connection.execute_fetchall(f"pragma busy_timeout = {int(wait_seconds * 1000)}")
        rows = list(await connection.execute_fetchall("pragma wal_checkpoint(truncate)"))
        await connection.execute_fetchall(f"pragma busy_timeout = {int(BUSY_SECONDS * 1000)}")
    if rows[0][0]:
        log.warning(
            "Another program reads %s, so deleted text stays in its write-ahead log until "
            "that program closes it.",
            database.path,
        )
