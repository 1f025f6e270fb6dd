"""Stages told anew from the exchanges, where it changed whose exchanges they are."""

from collections.abc import Iterable

from bot.stream.history import Past, stage_after
from storage.connection import Transaction
from storage.rows import GIVEN, agent_by_id, id_list, moment, same_agent, stamp


async def restage(db: Transaction, agents: Iterable[int]) -> None:
    """Each relationship from and to these agents takes the stage that its exchanges lead to."""
    rows = await db.rows(
        f"""
        select agent, other from relationship
        where agent in {GIVEN} or other in {GIVEN}
        """,
        *(id_list(agents),) * 2,
    )
    pairs = {
        ((await agent_by_id(db, row["agent"])).id, (await agent_by_id(db, row["other"])).id)
        for row in rows
    }
    for agent, other in sorted(pairs):
        await _restage_pair(db, agent, other)


async def _restage_pair(db: Transaction, agent: int, other: int) -> None:
    ids = id_list(await same_agent(db, agent)), id_list(await same_agent(db, other))
    rows = await db.rows(
        f"""
        select d.at, d.delta, coalesce(e.at, d.at) as begun
        from relationship r join relationship_delta d on d.relationship = r.id
        left join event e on e.id = d.event
        where r.agent in {GIVEN} and r.other in {GIVEN}
        order by d.at, d.id
        """,
        *ids,
    )
    past = [Past(begun=moment(r["begun"]), at=moment(r["at"]), delta=r["delta"]) for r in rows]
    if not past:
        return
    stage, since = stage_after(past)
    await db.run(
        f"""
        update relationship set stage = ?, stage_since = ?
        where agent in {GIVEN} and other in {GIVEN}
        """,
        stage.value,
        stamp(since),
        *ids,
    )
