"""Under which of a person's ids something is kept.

Linked accounts are one person, but each has an agent of its own, and every pointer is kept
under the one that it came from: so taking accounts apart gives each its own again.
"""

from storage.connection import Transaction
from storage.rows import GIVEN, id_list, same_agent


async def own_agent(db: Transaction, agent: int, event: int) -> int:
    """The id of an agent that took part around an event: who said it, else who spoke last in
    that place until then; the agent itself where none of its ids did."""
    row = await db.row(
        f"""
        select o.speaker from event e join event o on o.place = e.place and o.at <= e.at
        where e.id = ? and o.speaker in {GIVEN}
        order by o.id = e.id desc, o.at desc, o.id desc
        limit 1
        """,
        event,
        id_list(await same_agent(db, agent)),
    )
    return agent if row is None else int(row["speaker"])


async def own_speaker(db: Transaction, agent: int, *events: int) -> int:
    """The id under which an agent said one of these events; itself where it said none."""
    rows = await db.rows(
        f"""
        with me (id) as (select coalesce(merged_into, id) from agent where id = ?)
        select distinct e.speaker from event e
        where e.id in {GIVEN} and e.speaker in (
            select id from me union select a.id from me join agent a on a.merged_into = me.id
        )
        """,
        agent,
        id_list(events),
    )
    return int(rows[0]["speaker"]) if len(rows) == 1 else agent
