"""Step four: what is learnt, and what still has to be."""

from datetime import datetime

from bot.memory import Event, Turn
from storage.base import Part
from storage.rows import EVENT, event_of, stamp
from storage.stream.turn_rows import turns_where


class Learnt(Part):
    """The part of the storage that knows what followed from turns and lines."""

    async def learned(self, turn: int, at: datetime) -> None:
        async with self._db.write() as db:
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

    async def unlearned_turns(self, event: int) -> list[Turn]:
        async with self._db.read() as db:
            return await turns_where(
                db,
                """
                t.state = 'sent'
                and (t.reply = ? or t.id in (select turn from turn_event where event = ?))
                """,
                event,
                event,
            )

    async def unlearned_lines(self, place: int | None = None) -> list[Event]:
        async with self._db.read() as db:
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

    async def line_learned(self, event: int) -> None:
        async with self._db.write() as db:
            await db.run("delete from line_to_learn where event = ?", event)
