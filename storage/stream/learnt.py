"""Step four: what is learnt, and what still has to be."""

from datetime import datetime

from bot.memory import Event, Turn
from storage.base import Part, reads, writes
from storage.connection import Transaction
from storage.rows import EVENT, event_of, stamp
from storage.stream.turn_rows import turns_where


class Learnt(Part):
    """The part of the storage that knows what followed from turns and lines."""

    @writes
    async def learned(self, db: Transaction, turn: int, at: datetime) -> None:
        await db.run(
            "update turn set state = 'learned', learned_at = ? where id = ? and state = 'sent'",
            stamp(at),
            turn,
        )
        await db.run(
            "delete from line_to_learn where event in "
            "(select event from turn_event where turn = ?)",
            turn,
        )

    @reads
    async def unlearned_turns(self, db: Transaction, event: int) -> list[Turn]:
        return await turns_where(
            db,
            """
            t.state = 'sent'
            and (t.reply = ? or t.id in (select turn from turn_event where event = ?))
            """,
            event,
            event,
        )

    @reads
    async def unlearned_lines(self, db: Transaction, place: int | None = None) -> list[Event]:
        rows = await db.rows(
            f"""
            {EVENT} where e.id in (select event from line_to_learn)
              and (? is null or e.place = ?)
            order by e.at, e.id
            """,
            place,
            place,
        )
        return [event_of(row) for row in rows]

    @writes
    async def line_learned(self, db: Transaction, event: int) -> None:
        await db.run("delete from line_to_learn where event = ?", event)
