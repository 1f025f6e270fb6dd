"""Names: who bears them where an event is said, and whom they meant."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np

from bot.memory import Event, Vector
from bot.names.forms import forms as forms_of
from bot.names.profile import AT_HOME_FOR, About, Bearer
from bot.names.values import Kept, Meant, Outcome
from bot.world import Agent, Hearing
from storage.base import Part, reads, writes
from storage.connection import Row, Transaction
from storage.rows import (
    GIVEN,
    OPTED_OUT,
    agent_by_id,
    agent_of,
    events_by_id,
    id_list,
    same_agent,
    stamp,
    text_list,
)
from storage.world.realm import SAME_SERVER
from storage.world.scope import WITNESSED, hearable, heard

MOST_BEARERS: Final = 12
PROFILE: Final = 60
"""So many of the newest lines by or about a bearer are looked at."""

_CALLED: Final = f"""
select distinct f.form, s.id, s.nature as kind, s.name, exists (
    select 1 from account c join agent g on g.id = c.agent
    where coalesce(g.merged_into, g.id) = s.id and c.id in {OPTED_OUT}
) as left_out
from name_form f
join name n on n.id = f.name
join agent a on a.id = n.agent
join agent s on s.id = coalesce(a.merged_into, a.id)
where f.form in {GIVEN} and s.kind <> 'persona'
  and n.server in ('', coalesce((select server from place where id = ?), ''))
order by s.id desc limit {3 * MOST_BEARERS}
"""

_PROFILE: Final = f"""
select k.event, max(k.role = 'speaker') as own
from event_agent k join event e on e.id = k.event
where k.agent in {GIVEN} and k.role in ('speaker', 'subject', 'mentioned') and e.at < ?
  and e.scope in {GIVEN} and {WITNESSED}
group by k.event order by k.event desc limit {PROFILE}
"""


class Names(Part):
    """The part of the storage that knows who is called what."""

    @reads
    async def bearers(
        self,
        db: Transaction,
        forms: Sequence[str],
        hearing: Hearing,
        event: Event,
        *,
        embedder: str,
    ) -> Mapping[str, list[Bearer]]:
        rows = await db.rows(_CALLED, text_list(forms), hearing.place)
        if not rows:
            return {}
        scopes = await hearable(db, hearing)
        speaker = id_list(await same_agent(db, event.speaker.id))
        known: dict[int, Bearer | None] = {}
        found: dict[str, list[Bearer]] = defaultdict(list)
        for row in rows:
            if row["id"] not in known and len(known) < MOST_BEARERS:
                known[row["id"]] = await _bearer(
                    db, row, hearing, scopes, event, speaker=speaker, embedder=embedder
                )
            if (bearer := known.get(row["id"])) is not None:
                found[row["form"]].append(bearer)
        return found

    @writes
    async def named(
        self, db: Transaction, event: int, found: Sequence[Meant]
    ) -> Mapping[str, int | None]:
        row = await db.row("select place, at from event where id = ?", event)
        if row is None:
            return {}
        before = await db.rows("select name, agent from mention where event = ?", event)
        earlier = {one["name"]: one["agent"] for one in before}
        await db.run("delete from mention where event = ?", event)
        await db.run("delete from event_agent where event = ? and role = 'subject'", event)
        kept: dict[str, int | None] = {}
        for one in found:
            agent = one.decision.agent
            if one.decision.outcome is Outcome.NEW:
                agent = earlier.get(one.said.name) or await heard_of(
                    db, row["place"], one.said.name, row["at"]
                )
            await _point(db, event, one, agent)
            kept[one.said.form] = agent
        await forget_unheard(db)
        return kept

    @reads
    async def open_names(
        self, db: Transaction, place: int, speaker: int, since: datetime
    ) -> list[int]:
        rows = await db.rows(
            f"""
            select e.id from event e
            where e.speaker in {GIVEN} and e.place = ? and e.at >= ?
              and exists (select 1 from mention m where m.event = e.id and m.agent is null)
            order by e.at, e.id
            """,
            id_list(await same_agent(db, speaker)),
            place,
            stamp(since),
        )
        return [row["id"] for row in rows]

    @reads
    async def witness(self, db: Transaction, event: int) -> int | None:
        row = await db.row(
            """
            select k.agent from event_agent k join agent a on a.id = k.agent
            where k.event = ? and a.kind = 'persona' order by k.agent limit 1
            """,
            event,
        )
        return None if row is None else int(row["agent"])

    @reads
    async def names_in(self, db: Transaction, event: int) -> list[Kept]:
        rows = await db.rows("select * from mention where event = ? order by position", event)
        return [
            Kept(name=r["name"], position=r["position"], agent=r["agent"], why=r["why"])
            for r in rows
        ]

    @reads
    async def heard_of(self, db: Transaction, hearing: Hearing | None) -> list[Agent]:
        condition, values = "true", []
        if hearing is not None:
            condition = f"""exists (
                select 1 from event_agent k join event e on e.id = k.event
                where k.agent = a.id and e.scope in {GIVEN} and {WITNESSED}
            )"""
            values = list(heard(await hearable(db, hearing), hearing))
        rows = await db.rows(
            f"""
            select distinct s.* from agent a
            join agent s on s.id = coalesce(a.merged_into, a.id)
            where s.kind = 'third_party' and {condition} order by s.name, s.id
            """,
            *values,
        )
        return [agent_of(row) for row in rows]


async def heard_of(db: Transaction, place: int, name: str, at: str) -> int:
    """Somebody new who is only heard of, in this place first."""
    agent = await db.insert(
        "insert into agent (kind, name, home) values ('third_party', ?, ?)", name, place
    )
    row = await db.insert(
        "insert into name (agent, name, folded, first_seen, last_seen) values (?, ?, ?, ?, ?)",
        agent,
        name,
        name.casefold(),
        at,
        at,
    )
    await add_forms(db, row, name)
    return agent


async def add_forms(db: Transaction, row: int, name: str) -> None:
    """What the bearer of a name (a row of the history) may be called."""
    await db.many(
        "insert or ignore into name_form (name, form) values (?, ?)",
        [(row, form) for form in forms_of(name)],
    )


async def forget_unheard(db: Transaction) -> None:
    """Of whom nothing is kept any more, the name goes too."""
    await db.run(
        """
        delete from agent where kind = 'third_party'
          and not exists (select 1 from event_agent where agent = agent.id)
          and not exists (select 1 from mention where agent = agent.id)
          and not exists (select 1 from event where speaker = agent.id)
          and not exists (select 1 from claim where subject = agent.id)
          and not exists (select 1 from agent m where m.merged_into = agent.id)
        """
    )


async def _point(db: Transaction, event: int, meant: Meant, agent: int | None) -> None:
    await db.run(
        "insert or replace into mention (event, position, name, agent, why) values (?, ?, ?, ?, ?)",
        event,
        meant.said.position,
        meant.said.name,
        agent,
        meant.decision.why,
    )
    if agent is not None:
        await db.run(
            """
            insert or ignore into event_agent
            select ?, id, 'subject' from agent where id = ? and kind <> 'persona'
            """,
            event,
            agent,
        )


async def _bearer(
    db: Transaction,
    row: Row,
    hearing: Hearing,
    scopes: Sequence[int],
    event: Event,
    *,
    speaker: str,
    embedder: str,
) -> Bearer | None:
    """One who bears the name, as far as they may be known here; None if they may not."""
    group = id_list(await same_agent(db, row["id"]))
    pointers = await db.rows(_PROFILE, group, stamp(event.at), *heard(scopes, hearing))
    own = {p["event"]: bool(p["own"]) for p in pointers if p["event"] != event.id}
    at_home = await db.row(
        f"""
        select 1 from event e join place p on p.id = e.place
        where e.speaker in {GIVEN} and e.place in {SAME_SERVER} and p.kind <> 'dm' and e.at >= ?
        limit 1
        """,
        group,
        hearing.place,
        stamp(event.at - AT_HOME_FOR),
    )
    circle = await db.rows(
        f"""
        select coalesce(o.merged_into, o.id) as id, r.agent in {GIVEN} as is_speaker,
               case when e.scope in {GIVEN} then r.relation else '' end as relation
        from relationship r join agent o on o.id = r.agent
        left join event e on e.id = r.relation_event
        where r.other in {GIVEN}
        """,
        speaker,
        id_list(scopes),
        group,
    )
    of_speaker = [one for one in circle if one["is_speaker"]]
    if not (own or at_home or of_speaker):
        return None
    return Bearer(
        agent=await agent_by_id(db, row["id"]),
        lines=await _about(db, own, embedder),
        circle=frozenset(one["id"] for one in circle),
        relation=next((one["relation"] for one in of_speaker if one["relation"]), ""),
        left_out=bool(row["left_out"]),
        lives_here=at_home is not None,
    )


async def _about(db: Transaction, own: Mapping[int, bool], embedder: str) -> list[About]:
    events = await events_by_id(db, own)
    vectors = await _vectors(db, own, embedder)
    lines = [
        About(event=event, by_bearer=own[number], vector=vectors.get(number))
        for number, event in events.items()
    ]
    return sorted(lines, key=lambda about: (about.event.at, about.event.id))


async def _vectors(db: Transaction, events: Iterable[int], embedder: str) -> dict[int, Vector]:
    rows = await db.rows(
        f"""
        select v.event, v.vector from embedding v join model m on m.id = v.model
        where m.name = ? and v.event in {GIVEN}
        """,
        embedder,
        id_list(events),
    )
    return {row["event"]: np.frombuffer(row["vector"], dtype="<f4") for row in rows}
