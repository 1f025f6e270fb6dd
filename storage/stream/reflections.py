"""Reflections: what a persona concludes, with pointers to what it rests on."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.memory import Event, EventKind
from bot.world import Hearing
from storage.base import Part, reads, writes
from storage.connection import Transaction
from storage.rows import GIVEN, agent_by_id, event_by_id, events_by_id, id_list, same_agent, stamp
from storage.world.scope import HEARD, hearable, heard


class Reflections(Part):
    """The part of the storage about what personas think of people."""

    @reads
    async def unreflected(
        self, db: Transaction, person: int, hearing: Hearing, *, limit: int
    ) -> list[Event]:
        rows = await db.rows(
            f"""
            select e.id from event e
            where e.speaker in {GIVEN} and e.kind = 'message' and e.forwarded = 0
              and not exists (select 1 from supersession x where x.old = e.id)
              and not exists (
                  select 1 from evidence v join event r on r.id = v.event
                  where v.rests_on = e.id and r.speaker = ?
              )
              and e.at > coalesce((
                  select max(r.at) from event r
                  join event_agent k on k.event = r.id and k.role = 'subject'
                  where r.kind = 'reflection' and r.speaker = ? and r.place = ?
                    and k.agent in {GIVEN}
              ), '')
              and {HEARD}
            order by e.at desc, e.id desc limit ?
            """,
            ids := id_list(await same_agent(db, person)),
            hearing.persona,
            hearing.persona,
            hearing.place,
            ids,
            *heard(await hearable(db, hearing), hearing),
            limit,
        )
        found = await events_by_id(db, [row["id"] for row in rows])
        return sorted(found.values(), key=lambda event: (event.at, event.id))

    @writes
    async def reflected(
        self,
        db: Transaction,
        persona: int,
        person: int,
        text: str,
        *,
        place: int,
        rests_on: Sequence[int],
        at: datetime,
    ) -> Event | None:
        rows = await db.rows(
            f"select scope from event where id in {GIVEN} and kind = 'message'",
            id_list(rests_on),
        )
        if not rests_on or len(rows) < len(set(rests_on)):
            return None
        thinker = await agent_by_id(db, persona)
        event = await db.insert(
            """
            insert into event (kind, at, place, scope, speaker, speaker_name, text, remembered)
            values (?, ?, ?, ?, ?, ?, ?, 1)
            """,
            EventKind.REFLECTION.value,
            stamp(at),
            place,
            await meeting(db, {row["scope"] for row in rows}),
            persona,
            thinker.name,
            text,
        )
        await db.many(
            "insert into event_agent values (?, ?, ?)",
            [(event, persona, "speaker"), (event, person, "subject")],
        )
        await db.many(
            "insert into evidence (event, rests_on) values (?, ?)",
            [(event, one) for one in dict.fromkeys(rests_on)],
        )
        return await event_by_id(db, event)


async def meeting(db: Transaction, scopes: Iterable[int]) -> int:
    """The scope of what rests on events of all these: heard only where all of them are."""
    rows = await db.rows(
        f"""
        select s.id from scope s where s.id in {GIVEN} and s.kind <> 'meet'
        union select p.part from scope_part p where p.scope in {GIVEN}
        """,
        *(id_list(scopes),) * 2,
    )
    parts = sorted(row["id"] for row in rows)
    if len(parts) == 1:
        return int(parts[0])
    known = await db.row(
        f"""
        select p.scope from scope_part p group by p.scope
        having count(*) = ? and sum(p.part in {GIVEN}) = count(*)
        """,
        len(parts),
        id_list(parts),
    )
    if known is not None:
        return int(known["scope"])
    scope = await db.insert("insert into scope (kind) values ('meet')")
    await db.many("insert into scope_part values (?, ?)", [(scope, part) for part in parts])
    return scope
