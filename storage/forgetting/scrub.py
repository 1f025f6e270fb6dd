"""Rebuilds the file so far that deleted text is no longer in it.

The full-text index keeps deleted terms until its segments are merged, pages keep what was
deleted before `secure_delete` was on, and the write-ahead log keeps old pages.
"""

import asyncio
import logging
from typing import Final

from storage.connection import Database

log = logging.getLogger(__name__)

TRIES: Final = 20
PAUSE_SECONDS: Final = 0.1


async def scrub(database: Database) -> None:
    """Waits for this program's readers. Warns if another program keeps the log in use.

    Raises StorageError, for instance if the disk has no room for the rebuilt file.
    """
    async with database.alone() as connection:
        await connection.execute_fetchall(
            "insert into event_words (event_words) values ('optimize')"
        )
        await connection.execute_fetchall("vacuum")
        for _ in range(TRIES):
            rows = list(await connection.execute_fetchall("pragma wal_checkpoint(truncate)"))
            if rows[0][0] == 0:
                return
            await asyncio.sleep(PAUSE_SECONDS)
    log.warning(
        "Another program has %s open, so deleted text stays in its write-ahead log "
        "until that program closes it.",
        database.path,
    )
