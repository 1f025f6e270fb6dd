"""An edited event: what followed from its old words is withdrawn and learnt anew."""

from collections.abc import Iterable
from typing import Final

from storage.connection import Transaction
from storage.forgetting.removal import choose, loosen
from storage.rows import GIVEN, id_list
from storage.world.restaging import restage

_WITHDRAW: Final = tuple(
    f"delete from {table} where {column} = ?"
    for table, column in (
        ("claim", "event"),
        ("claim_check", "event"),
        ("relationship_delta", "event"),
        ("relationship_delta", "answer"),
        ("scene_item", "event"),
        ("supersession", "new"),
        ("embedding", "event"),
        ("emotion", "event"),
    )
)


async def unlearn(db: Transaction, event: int) -> None:
    """Withdraws what rests on the event; it, its turn and the answers to it are to be learnt
    again. The event itself and the replies to it stay."""
    exchanges = await db.rows(
        """
        select r.agent, r.other, d.answer, d.turn
        from relationship_delta d join relationship r on r.id = d.relationship
        where d.event = ? or d.answer = ?
        """,
        event,
        event,
    )
    await choose(db, [event], replies=False)
    await loosen(db)
    await db.run(
        "delete from event where id in (select event from evidence where rests_on = ?)", event
    )
    for sql in _WITHDRAW:
        await db.run(sql, event)
    await restage(db, {agent for row in exchanges for agent in (row["agent"], row["other"])})
    await db.run(
        """
        update turn set state = 'sent'
        where state = 'learned'
          and (reply = ? or id in (select turn from turn_event where event = ?))
        """,
        event,
        event,
    )
    await to_learn(db, [event, *(row["answer"] for row in exchanges if row["turn"] is None)])


async def to_learn(db: Transaction, events: Iterable[int]) -> None:
    """Notes those that are remembered, and that no turn covers or will cover, so that a crash
    does not lose what is to be learnt of them."""
    await db.run(
        f"""
        insert or ignore into line_to_learn
        select e.id from event e
        where e.id in {GIVEN} and e.remembered = 1 and e.kind = 'message'
          and not exists (select 1 from inbox i where i.event = e.id and i.state = 'pending')
          and not exists (
            select 1 from turn_event t join turn on turn.id = t.turn
            where t.event = e.id and turn.state in ('answered', 'sent', 'learned')
          )
        """,
        id_list(events),
    )
