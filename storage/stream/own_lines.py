"""What a person may see of, and say about, their own lines."""

from datetime import datetime

from bot.memory import Event, EventKind, Exported
from bot.world import Hearing
from storage.base import Part, reads, writes
from storage.connection import Row, Transaction, Value
from storage.rows import (
    EVENT,
    GIVEN,
    event_by_id,
    event_of,
    id_list,
    moment,
    place_by_id,
    same_agent,
    stamp,
)
from storage.search.words import any_of, terms
from storage.world.people import persona_id
from storage.world.scope import HEARD, hearable, heard, scope_of_line

OWN = f"e.speaker in {GIVEN} and e.kind in ('{EventKind.MESSAGE}', '{EventKind.IMPORT}')"


class OwnLines(Part):
    """The part of the storage about a person's own words."""

    @reads
    async def export(self, db: Transaction, agent: int) -> list[Exported]:
        rows = await db.rows(
            f"""
            select e.id, e.at, e.text, p.name as place, p.platform, t.id as turn,
                   w.name as persona, r.text as reply
            from event e
            join place p on p.id = e.place
            left join turn_event c on c.event = e.id
            left join turn t on t.id = c.turn and t.reply is not null
            left join agent w on w.id = t.persona
            left join event r on r.id = t.reply
            where {OWN}
            order by e.at, e.id
            """,
            id_list(await same_agent(db, agent)),
        )
        return _with_replies(rows)

    @reads
    async def own_words(
        self, db: Transaction, agent: int, about: str, hearing: Hearing | None, *, limit: int
    ) -> list[Event]:
        condition, query = OWN, any_of(terms(about))
        values: list[Value] = [id_list(await same_agent(db, agent))]
        if query:
            condition += " and e.id in (select rowid from event_words where event_words match ?)"
            values.append(query)
        if hearing is not None:
            condition += f" and {HEARD}"
            values.extend(heard(await hearable(db, hearing), hearing))
        rows = await db.rows(
            f"{EVENT} where {condition} order by e.at desc, e.id desc limit ?", *values, limit
        )
        return [event_of(row) for row in rows]

    @writes
    async def supersede(self, db: Transaction, old: int, new: int, at: datetime) -> None:
        # the persona's reply to the old line repeats it, and is past with it
        await db.run(
            """
            insert or replace into supersession
            select ?, ?, ?
            union
            select turn.reply, ?, ? from turn_event join turn on turn.id = turn_event.turn
            where turn_event.event = ? and turn.reply is not null and turn.reply <> ?
            """,
            *(old, new, stamp(at)),
            *(new, stamp(at), old, new),
        )

    @writes
    async def correction(
        self,
        db: Transaction,
        agent: int,
        place: int,
        text: str,
        at: datetime,
        *,
        persona: str | None = None,
    ) -> Event:
        told = await (_last_persona(db, place) if persona is None else persona_id(db, persona))
        account, name = await _label(db, agent, place)
        kind = (await place_by_id(db, place)).where.kind
        event = await db.insert(
            """
            insert into event (kind, at, place, scope, speaker, account, speaker_name, text,
                               remembered)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            EventKind.MESSAGE.value,
            stamp(at),
            place,
            await scope_of_line(db, place, kind, told),
            agent,
            account,
            name,
            text,
            bool(text.strip()),
        )
        await db.run("insert into event_agent values (?, ?, 'speaker')", event, agent)
        if told is not None:
            await db.run("insert into event_agent values (?, ?, 'addressee')", event, told)
        return await event_by_id(db, event)


def _with_replies(rows: list[Row]) -> list[Exported]:
    """A reply that covers several lines stands beside the last of them."""
    last = {row["turn"]: row["id"] for row in rows}
    return [
        Exported(
            at=moment(row["at"]),
            place=row["place"],
            platform=row["platform"],
            persona=row["persona"] or "",
            text=row["text"],
            reply=row["reply"] or "" if last[row["turn"]] == row["id"] else "",
        )
        for row in rows
    ]


async def _last_persona(db: Transaction, place: int) -> int | None:
    row = await db.row(
        "select persona from turn where place = ? order by answered_at desc, id desc limit 1", place
    )
    return None if row is None else int(row["persona"])


async def _label(db: Transaction, agent: int, place: int) -> tuple[int | None, str]:
    """The account with which this agent is in the place, and its name there."""
    row = await db.row(
        """
        select c.id, n.name
        from account c
        join place p on p.id = ?
        left join name n on n.account = c.id
        where c.agent in (
            select a.id from agent a join agent b
              on coalesce(a.merged_into, a.id) = coalesce(b.merged_into, b.id)
            where b.id = ?
        )
        order by c.platform = p.platform desc, n.server = p.server desc, n.last_seen desc limit 1
        """,
        place,
        agent,
    )
    if row is not None and row["name"] is not None:
        return int(row["id"]), str(row["name"])
    named = await db.row("select name from agent where id = ?", agent)
    assert named is not None
    return (None if row is None else int(row["id"])), str(named["name"])
