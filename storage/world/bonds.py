"""Relationships: each exchange is a row, and every total is a sum over rows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.stream.bonds import FIRST_WEIGHT, Bond, Change, Delta, Exchange, Tie
from bot.stream.stages import move
from bot.world import Agent, AgentKind, Hearing
from storage.base import Part, reads, writes
from storage.connection import Row, Transaction
from storage.rows import (
    GIVEN,
    OPTED_OUT,
    agent_of,
    id_list,
    moment,
    same_agent,
    stamp,
)
from storage.world.bond_rows import ALSO_MERGED, bonds_of
from storage.world.identities import own_agent, own_speaker
from storage.world.scope import HEARD, hearable, heard

NOTICED: Final = 60
"""Of what two people exchanged, a bystander has so much in mind."""

# What two people exchanged as far as it may be heard here; of relation words the newest.
_TIES: Final = f"""
select one.id as agent, one.nature as agent_kind, one.name as agent_name,
       two.id as other, two.nature as other_kind, two.name as other_name,
       count(d.id) as exchanges, coalesce(sum(d.delta), 0) as weight,
       substr(max(case when r.relation_event is not null and exists (
               select 1 from event e where e.id = r.relation_event and {HEARD}
           ) then printf('%020d', r.relation_event) || r.relation else '' end), 21) as relation
from relationship r
join agent a on a.id = r.agent
join agent o on o.id = r.other
join agent one on one.id = coalesce(a.merged_into, a.id)
join agent two on two.id = coalesce(o.merged_into, o.id)
left join relationship_delta d on d.id in (
         select n.id from relationship_delta n
         where n.relationship = r.id and ? not in (r.agent, r.other)
         order by n.at desc limit {NOTICED}
     )
     and exists (select 1 from event e where e.id = d.event and {HEARD})
     and exists (select 1 from event e where e.id = d.answer and {HEARD})
where r.agent in {ALSO_MERGED} and r.other in {ALSO_MERGED}
group by one.id, two.id
having exchanges > 0 or relation <> ''
"""


class Bonds(Part):
    """The part of the storage about who is related to whom."""

    @writes
    async def exchanged(self, db: Transaction, exchange: Exchange) -> bool:
        present = await db.value(
            "select count(*) from event where id in (?, ?)", exchange.said, exchange.answer
        )
        if present < 2:
            return False
        if exchange.turn is None and await _is_an_answer(db, exchange):
            return False
        ids = [await _own_relationship(db, d, exchange) for d in exchange.deltas]
        for relationship, delta in zip(ids, exchange.deltas, strict=True):
            await _move_on(db, delta, exchange.begun)
            await _keep(db, relationship, delta, exchange)
            await _move_on(db, delta, exchange.at)
        return True

    @reads
    async def bonds(
        self, db: Transaction, agent: int, *, others: Sequence[int] | None = None
    ) -> list[Bond]:
        return await bonds_of(db, agent, others)

    @reads
    async def bond_history(self, db: Transaction, agent: int, other: int) -> list[Change]:
        rows = await db.rows(
            f"""
            select d.at, d.delta, d.reason, d.rule, d.event
            from relationship r join relationship_delta d on d.relationship = r.id
            where r.agent in {GIVEN} and r.other in {GIVEN}
            order by d.at, d.id
            """,
            id_list(await same_agent(db, agent)),
            id_list(await same_agent(db, other)),
        )
        return _summed(rows)

    @writes
    async def related(
        self, db: Transaction, agent: int, other: int, relation: str, *, event: int, at: datetime
    ) -> None:
        if await db.row("select 1 from event where id = ?", event) is None:
            return
        own, others = await own_agent(db, agent, event), await own_agent(db, other, event)
        relationship = await _relationship(db, own, others, at)
        await db.run(
            "update relationship set relation = ?, relation_event = ? where id = ?",
            relation,
            event,
            relationship,
        )

    @reads
    async def ties(self, db: Transaction, agents: Sequence[int], hearing: Hearing) -> list[Tie]:
        ids = id_list(agents)
        filters = heard(await hearable(db, hearing), hearing)
        rows = await db.rows(_TIES, *filters, hearing.persona, *filters, *filters, *[ids] * 4)
        return [
            Tie(
                agent=_named(row, "agent"),
                other=_named(row, "other"),
                exchanges=row["exchanges"],
                weight=FIRST_WEIGHT + row["weight"],
                relation=row["relation"],
            )
            for row in rows
        ]

    @reads
    async def circle(self, db: Transaction, place: int | None) -> list[Agent]:
        rows = await db.rows(
            f"""
            select distinct s.id, s.nature as kind, s.name
            from event e
            join agent a on a.id = e.speaker
            join agent s on s.id = coalesce(a.merged_into, a.id)
            where (? is null or e.place = ?)
              and (e.account is null or e.account not in {OPTED_OUT})
            order by s.name, s.id
            """,
            place,
            place,
        )
        return [agent_of(row) for row in rows]


def _named(row: Row, side: str) -> Agent:
    kind = AgentKind(row[f"{side}_kind"])
    return Agent(id=row[side], kind=kind, name=row[f"{side}_name"])


async def _own_relationship(db: Transaction, delta: Delta, exchange: Exchange) -> int:
    """The relationship between the accounts that spoke, made if it is new."""
    events = exchange.said, exchange.answer
    agent = await own_speaker(db, delta.agent, *events)
    other = await own_speaker(db, delta.other, *events)
    return await _relationship(db, agent, other, exchange.begun)


async def _relationship(db: Transaction, agent: int, other: int, at: datetime) -> int:
    """The relationship of one to the other. A new one begins with the stage that the two
    have by other accounts, if any."""
    row = await db.row("select id from relationship where agent = ? and other = ?", agent, other)
    if row is not None:
        return int(row["id"])
    number = await db.insert(
        "insert into relationship (agent, other, stage_since) values (?, ?, ?)",
        agent,
        other,
        stamp(at),
    )
    await db.run(
        f"""
        update relationship set (stage, stage_since) = (
            select r.stage, r.stage_since from relationship r
            where r.agent in {GIVEN} and r.other in {GIVEN} and r.id <> ?
            order by r.stage_since desc, r.id desc limit 1
        )
        where id = ? and exists (
            select 1 from relationship r
            where r.agent in {GIVEN} and r.other in {GIVEN} and r.id <> ?
        )
        """,
        *(
            pair := (
                id_list(await same_agent(db, agent)),
                id_list(await same_agent(db, other)),
                number,
            )
        ),
        number,
        *pair,
    )
    return number


async def _move_on(db: Transaction, delta: Delta, now: datetime) -> None:
    """The relationship takes the stage that is due at this moment."""
    for bond in await bonds_of(db, delta.agent, [delta.other]):
        due = move(bond.stage, bond.standing, now)
        if due.after is not bond.stage:
            await db.run(
                f"""
                update relationship set stage = ?, stage_since = ?
                where agent in {GIVEN} and other in {GIVEN}
                """,
                due.after.value,
                stamp(now),
                id_list(await same_agent(db, delta.agent)),
                id_list(await same_agent(db, delta.other)),
            )


async def _is_an_answer(db: Transaction, exchange: Exchange) -> bool:
    """Whether what was said already ended an exchange of the two: it cannot begin one too."""
    one, other = exchange.deltas[0].agent, exchange.deltas[0].other
    both = id_list([*await same_agent(db, one), *await same_agent(db, other)])
    found = await db.row(
        f"""
        select 1 from relationship r join relationship_delta d on d.relationship = r.id
        where r.agent in {GIVEN} and r.other in {GIVEN} and d.answer = ?
        """,
        both,
        both,
        exchange.said,
    )
    return found is not None


async def _keep(db: Transaction, relationship: int, delta: Delta, exchange: Exchange) -> None:
    key = "relationship, event" if exchange.turn is None else "relationship, turn"
    condition = "where turn is null" if exchange.turn is None else ""
    await db.run(
        f"""
        insert into relationship_delta (relationship, event, answer, turn, delta, reason, rule, at)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        on conflict ({key}) {condition} do update
        set event = excluded.event, answer = excluded.answer, delta = excluded.delta,
            reason = excluded.reason, rule = excluded.rule
        """,
        relationship,
        exchange.said,
        exchange.answer,
        exchange.turn,
        delta.delta,
        delta.reason,
        exchange.rule.value,
        stamp(exchange.at),
    )


def _summed(rows: Sequence[Row]) -> list[Change]:
    changes, weight = [], FIRST_WEIGHT
    for row in rows:
        weight += row["delta"]
        changes.append(
            Change(
                at=moment(row["at"]),
                delta=row["delta"],
                weight=weight,
                reason=row["reason"],
                rule=row["rule"],
                event=row["event"],
            )
        )
    return changes
