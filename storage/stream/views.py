"""Streams: queries over events and pointers, so that no event is stored for an agent."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from bot.memory import Event
from bot.stream.bonds import StreamKind
from bot.world import Hearing
from storage.base import Part, reads
from storage.connection import Transaction, Value
from storage.rows import EVENT, GIVEN, event_of, events_by_id, id_list, same_agent, stamp
from storage.world.scope import FIRST_HAND, HEARD, hearable, heard

RECENT_POINTERS: Final = 400
"""What somebody told is looked for among so many of their newest lines: bounded time."""

TOOK_PART: Final = "k.role not in ('mentioned', 'subject')"
"""Somebody who was only talked about took no part."""

_MINE: Final = f"""
e.id in (select k.event from event_agent k where k.agent in {GIVEN} and {TOOK_PART})
"""
_OTHERS: Final = f"""
exists (select 1 from event_agent k where k.event = e.id and {TOOK_PART} and k.agent not in {GIVEN})
"""


class Streams(Part):
    """The part of the storage that shows the one store from each agent's side."""

    @reads
    async def full_stream(self, db: Transaction, *, limit: int) -> list[Event]:
        rows = await db.rows(f"{EVENT} order by e.at desc, e.id desc limit ?", limit)
        return [event_of(row) for row in reversed(rows)]

    @reads
    async def stream(
        self,
        db: Transaction,
        kind: StreamKind,
        agent: int,
        *,
        other: int | None = None,
        hearing: Hearing | None = None,
        limit: int,
    ) -> list[Event]:
        own = id_list(await same_agent(db, agent))
        conditions, values = [_MINE], [own]
        if kind is StreamKind.INDEPENDENT:
            conditions.append(f"not {_OTHERS}")
            values.append(own)
        elif kind is not StreamKind.EVENT:
            conditions.append(_OTHERS)
            values.append(own)
        if other is not None:
            conditions.append(_MINE)
            values.append(id_list(await same_agent(db, other)))
        parameters: list[Value] = [*values]
        if hearing is not None:
            conditions.append(HEARD)
            parameters.extend(heard(await hearable(db, hearing), hearing))
        rows = await db.rows(
            f"{EVENT} where {' and '.join(conditions)} order by e.at desc, e.id desc limit ?",
            *parameters,
            limit,
        )
        return [event_of(row) for row in reversed(rows)]

    @reads
    async def told_by(
        self,
        db: Transaction,
        agent: int,
        hearing: Hearing,
        *,
        before: datetime,
        shortest: int,
        limit: int,
    ) -> list[Event]:
        scopes, persona = heard(await hearable(db, hearing), hearing)
        rows = await db.rows(
            f"""
            select e.id from (
                select event from event_agent
                where role = 'speaker' and agent in {GIVEN}
                order by event desc limit ?
            ) n
            join event e on e.id = n.event
            where e.at < ? and e.scope in {GIVEN} and {FIRST_HAND} and length(e.text) >= ?
              and not exists (select 1 from supersession x where x.old = e.id)
            order by e.id desc limit ?
            """,
            id_list(await same_agent(db, agent)),
            RECENT_POINTERS,
            stamp(before),
            scopes,
            persona,
            shortest,
            limit,
        )
        found = await events_by_id(db, [row["id"] for row in rows])
        return sorted(found.values(), key=lambda event: (event.at, event.id))

    @reads
    async def own_past(self, db: Transaction, persona: int, *, limit: int) -> list[Event]:
        rows = await db.rows(
            f"""
            {EVENT}
            where e.remembered = 1
              and e.scope = (select id from scope where kind = 'past' and persona = ?)
            order by +e.at desc, e.id desc limit ?
            """,
            persona,
            limit,
        )
        return [event_of(row) for row in reversed(rows)]

    @reads
    async def aims(self, db: Transaction, events: Sequence[int]) -> Mapping[int, frozenset[int]]:
        ids = id_list(events)
        rows = await db.rows(
            f"""
            select k.event, coalesce(a.merged_into, a.id) as agent
            from event_agent k join agent a on a.id = k.agent
            where k.event in {GIVEN} and k.role in ('addressee', 'mentioned')
              and a.kind <> 'third_party'
            union
            select e.id, coalesce(a.merged_into, a.id)
            from event e
            join event_message m on m.place = e.place and m.message = e.reply_to
            join event t on t.id = m.event
            join agent a on a.id = t.speaker
            where e.id in {GIVEN} and e.reply_to is not null
            """,
            ids,
            ids,
        )
        found: dict[int, set[int]] = defaultdict(set)
        for row in rows:
            found[row["event"]].add(row["agent"])
        return {event: frozenset(agents) for event, agents in found.items()}

    @reads
    async def events(self, db: Transaction, ids: Sequence[int]) -> list[Event]:
        found = await events_by_id(db, ids)
        return sorted(found.values(), key=lambda event: (event.at, event.id))
