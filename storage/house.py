"""The account book, settings, figures and copies of the installation."""

import asyncio
from datetime import datetime
from pathlib import Path
from typing import Final

from bot.memory import Usage
from storage.base import Part, reads, writes
from storage.connection import Transaction
from storage.copies import back_up
from storage.rows import stamp

_COUNTED: Final = {
    "events": "select count(*) from event",
    "people": "select count(*) from agent where nature = 'person' and merged_into is null",
    "personas": "select count(*) from agent where kind = 'persona'",
    "places": "select count(*) from place where kind not in ('past', 'archive')",
    "turns": "select count(*) from turn",
    "vectors": "select count(*) from embedding",
}


class House(Part):
    """The part of the storage that serves the installation itself."""

    @writes
    async def used(self, db: Transaction, usage: Usage, *, place: int | None, at: datetime) -> None:
        await db.run(
            """
            insert into usage (purpose, model, prompt_tokens, completion_tokens, seconds,
                               place, at)
            values (?, ?, ?, ?, ?, ?, ?)
            """,
            usage.purpose,
            usage.model,
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.seconds,
            place,
            stamp(at),
        )

    @reads
    async def setting(self, db: Transaction, place: int | None, name: str) -> str | None:
        row = await db.row("select value from setting where place is ? and name = ?", place, name)
        return None if row is None else str(row["value"])

    @writes
    async def set_setting(
        self, db: Transaction, place: int | None, name: str, value: str | None
    ) -> None:
        await db.run("delete from setting where place is ? and name = ?", place, name)
        if value is not None:
            await db.run(
                "insert into setting (place, name, value) values (?, ?, ?)", place, name, value
            )

    @reads
    async def counts(self, db: Transaction) -> dict[str, int]:
        return {what: await db.value(sql) for what, sql in _COUNTED.items()}

    async def backup(self, file: str) -> None:
        await asyncio.to_thread(back_up, self._db.driver, self._db.path, Path(file))

    async def close(self) -> None:
        await self._db.close()
