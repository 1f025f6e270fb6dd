"""An agent's circle as rows add up to it: one bond for each other, merged ids together."""

from collections.abc import Sequence
from typing import Final

from bot.stream.bonds import FIRST_WEIGHT, Bond, Stage, Standing
from bot.world import Agent, AgentKind
from storage.connection import Row, Transaction
from storage.rows import (
    GIVEN,
    agent_of,
    id_list,
    moment,
    optional_moment,
)

LATELY: Final = "28 days"
RECENT_ROWS: Final = 10

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
with me as (
    select s.id, s.nature as kind, s.name
    from agent a join agent s on s.id = coalesce(a.merged_into, a.id)
    where a.id = ?
),
pair as materialized (
    select r.id, r.relation, r.relation_event, r.stage, r.stage_since,
           coalesce(o.merged_into, o.id) as whom
    from relationship r join agent o on o.id = r.other
    where r.agent in (
        select id from me union select m.id from me join agent m on m.merged_into = me.id
    ) and (? or r.other in {ALSO_MERGED})
),
ranked as (
    select *, row_number() over (partition by whom order by stage_since desc, id desc) as place,
           row_number() over (
               partition by whom order by relation <> '' desc, relation_event desc, id desc
           ) as worded
    from pair
),
total as (
    select p.whom, sum(d.delta) as weight, count(*) as exchanges,
           count(distinct substr(d.at, 1, 10)) as days, max(d.at) as last_at
    from pair p join relationship_delta d on d.relationship = p.id
    group by p.whom
)
select me.id as own_id, me.kind as own_kind, me.name as own_name,
       a.id, a.nature as kind, a.name, s.stage, s.stage_since, w.relation, w.relation_event, t.*,
       {_over("count(*)", "d.at >= strftime('%Y-%m-%dT%H:%M:%S', t.last_at, '-" + LATELY + "')")}
           as lately,
       {_over("count(*)", "d.at > s.stage_since")} as since_exchanges,
       {_over("count(distinct substr(d.at, 1, 10))", "d.at > s.stage_since")} as since_days,
       {_newest("coalesce(sum(n.delta), 0)", "true")} as recent,
       {_newest("count(distinct substr(n.at, 1, 10))", "n.delta < 0")} as bad_days
from me cross join ranked s
join ranked w on w.whom = s.whom and w.worded = 1
join agent a on a.id = s.whom
left join total t on t.whom = s.whom
where s.place = 1 and a.id <> me.id
order by coalesce(t.weight, 0) desc, coalesce(t.exchanges, 0) desc, a.id
"""


async def bonds_of(db: Transaction, agent: int, others: Sequence[int] | None) -> list[Bond]:
    """The circle of an agent, or those of it that are asked for, the closest first."""
    only = id_list(others or ())
    return [_bond(row) for row in await db.rows(_CIRCLE, agent, others is None, only, only)]


def _bond(row: Row) -> Bond:
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
        agent=Agent(id=row["own_id"], kind=AgentKind(row["own_kind"]), name=row["own_name"]),
        other=agent_of(row),
        stage=Stage(row["stage"]),
        stage_since=moment(row["stage_since"]),
        standing=standing,
        relation=row["relation"],
        relation_event=row["relation_event"],
    )
