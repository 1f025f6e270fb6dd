"""Relationships: each exchange is a row, and every total is a sum over rows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.stream.bonds import FIRST_WEIGHT, Bond, Change, Delta, Exchange, Stage, Standing, Tie
from bot.stream.stages import move
from bot.world import Agent, Hearing
from storage.base import Part
from storage.connection import Row, Transaction
from storage.rows import (
    GIVEN,
    OPTED_OUT,
    agent_by_id,
    agent_of,
    id_list,
    moment,
    optional_moment,
    same_agent,
    stamp,
)
from storage.world.scope import HEARD, hearable, heard

LATELY: Final = "28 days"
RECENT_ROWS: Final = 10

NOTICED: Final = 60
"""Of what two people exchanged, a bystander has so much in mind."""

ALSO_MERGED: Final = f"""(
    select value from json_each(?)
    union select id from agent where merged_into in {GIVEN}
)"""
"""Agents given by id, with those that were merged into them; the parameter twice."""


def _over(what: str, condition: str) -> str:
    """A figure over the exchanges with one other for which a condition holds."""
    return (
        f"(select {what} from relationship_delta d "
        f"where d.relationship in (select p.id from pair p where p.whom = s.whom) and {condition})"
    )


def _newest(what: str, condition: str) -> str:
    """A figure over the newest exchanges with one other."""
    return (
        f"(select {what} from (select d.delta, d.at from relationship_delta d "
        "where d.relationship in (select p.id from pair p where p.whom = s.whom) "
        f"order by d.at desc, d.id desc limit {RECENT_ROWS}) n where {condition})"
    )


# One row for each other; what was merged counts together, and the newest stage holds.
_CIRCLE: Final = f"""
with pair as (
    select r.id, r.relation, r.relation_event, r.stage, r.stage_since,
           coalesce(o.merged_into, o.id) as whom
    from relationship r join agent o on o.id = r.other
    where r.agent in {GIVEN} and (? or r.other in {ALSO_MERGED})
),
ranked as (
    select *, row_number() over (partition by whom order by stage_since desc, id desc) as place,
           row_number() over (
               partition by whom order by relation <> '' desc, stage_since desc, id desc
           ) as worded
    from pair
),
total as (
    select p.whom, sum(d.delta) as weight, count(*) as exchanges,
           count(distinct substr(d.at, 1, 10)) as days, max(d.at) as last_at
    from pair p join relationship_delta d on d.relationship = p.id
    group by p.whom
)
select a.id, a.kind, a.name, s.stage, s.stage_since, w.relation, w.relation_event, t.*,
       {_over("count(*)", "d.at >= strftime('%Y-%m-%dT%H:%M:%S', t.last_at, '-" + LATELY + "')")}
           as lately,
       {_over("count(*)", "d.at > s.stage_since")} as since_exchanges,
       {_over("count(distinct substr(d.at, 1, 10))", "d.at > s.stage_since")} as since_days,
       {_newest("coalesce(sum(n.delta), 0)", "true")} as recent,
       {_newest("count(distinct substr(n.at, 1, 10))", "n.delta < 0")} as bad_days
from ranked s
join ranked w on w.whom = s.whom and w.worded = 1
join agent a on a.id = s.whom
left join total t on t.whom = s.whom
where s.place = 1
order by coalesce(t.weight, 0) desc, coalesce(t.exchanges, 0) desc, a.id
"""

# What two people exchanged as far as it may be heard here.
_TIES: Final = f"""
select r.agent, r.other, count(d.id) as exchanges, coalesce(sum(d.delta), 0) as weight,
       max(case when r.relation_event is not null and exists (
               select 1 from event e where e.id = r.relation_event and {HEARD}
           ) then r.relation else '' end) as relation
from relationship r
left join relationship_delta d on d.id in (
         select n.id from relationship_delta n
         where n.relationship = r.id and ? not in (r.agent, r.other)
         order by n.at desc limit {NOTICED}
     )
     and exists (select 1 from event e where e.id = d.event and {HEARD})
     and exists (select 1 from event e where e.id = d.answer and {HEARD})
where r.agent in {GIVEN} and r.other in {GIVEN}
group by r.agent, r.other
having exchanges > 0 or relation <> ''
"""


class Bonds(Part):
    """The part of the storage about who is related to whom."""

    async def exchanged(self, exchange: Exchange) -> bool:
        async with self._db.write() as db:
            present = await db.value(
                "select count(*) from event where id in (?, ?)", exchange.said, exchange.answer
            )
            if present < 2:
                return False
            ids = [
                await _relationship(db, d.agent, d.other, exchange.begun) for d in exchange.deltas
            ]
            if exchange.turn is None and await _is_an_answer(db, ids, exchange.said):
                return False
            for relationship, delta in zip(ids, exchange.deltas, strict=True):
                await _move_on(db, delta, exchange.begun)
                await _keep(db, relationship, delta, exchange)
                await _move_on(db, delta, exchange.at)
            return True

    async def bonds(self, agent: int, *, others: Sequence[int] | None = None) -> list[Bond]:
        async with self._db.read() as db:
            return await _bonds(db, agent, others)

    async def bond_history(self, agent: int, other: int) -> list[Change]:
        async with self._db.read() as db:
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

    async def related(
        self, agent: int, other: int, relation: str, *, event: int, at: datetime
    ) -> None:
        async with self._db.write() as db:
            if await db.row("select 1 from event where id = ?", event) is None:
                return
            relationship = await _relationship(db, agent, other, at)
            await db.run(
                "update relationship set relation = ?, relation_event = ? where id = ?",
                relation,
                event,
                relationship,
            )

    async def ties(self, agents: Sequence[int], hearing: Hearing) -> list[Tie]:
        async with self._db.read() as db:
            ids = id_list(agents)
            filters = heard(await hearable(db, hearing), hearing)
            rows = await db.rows(_TIES, *filters, hearing.persona, *filters, *filters, ids, ids)
            found = [
                (await agent_by_id(db, row["agent"]), await agent_by_id(db, row["other"]), row)
                for row in rows
            ]
        return [
            Tie(
                agent=agent,
                other=other,
                exchanges=row["exchanges"],
                weight=FIRST_WEIGHT + row["weight"],
                relation=row["relation"],
            )
            for agent, other, row in found
        ]

    async def circle(self, place: int | None) -> list[Agent]:
        async with self._db.read() as db:
            rows = await db.rows(
                f"""
                select distinct s.id, s.kind, s.name
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


async def _relationship(db: Transaction, agent: int, other: int, at: datetime) -> int:
    """The relationship of one to the other, made if it is new."""
    await db.run(
        "insert or ignore into relationship (agent, other, stage_since) values (?, ?, ?)",
        agent,
        other,
        stamp(at),
    )
    return await db.value("select id from relationship where agent = ? and other = ?", agent, other)


async def _bonds(db: Transaction, agent: int, others: Sequence[int] | None) -> list[Bond]:
    only = id_list(others or ())
    own = await agent_by_id(db, agent)
    rows = await db.rows(_CIRCLE, id_list(await same_agent(db, agent)), others is None, only, only)
    return [_bond(own, row) for row in rows if row["id"] != own.id]


async def _move_on(db: Transaction, delta: Delta, now: datetime) -> None:
    """The relationship takes the stage that is due at this moment."""
    for bond in await _bonds(db, delta.agent, [delta.other]):
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


async def _is_an_answer(db: Transaction, relationships: Sequence[int], said: int) -> bool:
    """Whether what was said already ended an exchange of the two: it cannot begin one too."""
    found = await db.row(
        f"select 1 from relationship_delta where relationship in {GIVEN} and answer = ?",
        id_list(relationships),
        said,
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


def _bond(own: Agent, row: Row) -> Bond:
    if row["exchanges"] is None:
        standing = Standing()
    else:
        standing = Standing(
            weight=FIRST_WEIGHT + row["weight"],
            exchanges=row["exchanges"],
            days=row["days"],
            lately=row["lately"],
            recent=row["recent"],
            bad_days=row["bad_days"],
            since_exchanges=row["since_exchanges"],
            since_days=row["since_days"],
            last_at=optional_moment(row["last_at"]),
        )
    return Bond(
        agent=own,
        other=agent_of(row),
        stage=Stage(row["stage"]),
        stage_since=moment(row["stage_since"]),
        standing=standing,
        relation=row["relation"],
        relation_event=row["relation_event"],
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
