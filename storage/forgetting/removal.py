"""Removes events with everything that rests on them, and counts what went."""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from storage.connection import Transaction
from storage.forgetting.echoes import redact_echoes
from storage.rows import moment, stamp
from storage.stream.names import forget_unheard

DOOMED: Final = "(select id from temp.doomed)"

SKEW: Final = timedelta(hours=1)
"""A platform's clock and ours differ by less."""

_COUNTED: Final = {
    "messages": f"select count(*) from event where kind = 'message' and id in {DOOMED}",
    "replies": f"select count(*) from event where kind = 'reply' and id in {DOOMED}",
    "memories": f"select count(*) from event where kind in ('seed', 'import') and id in {DOOMED}",
    "reflections": f"select count(*) from event where kind = 'reflection' and id in {DOOMED}",
    "vectors": f"select count(*) from embedding where event in {DOOMED}",
    "feelings": f"select count(*) from emotion where event in {DOOMED}",
    "relationship changes": f"select count(*) from relationship_delta where event in {DOOMED}",
    "claims": f"select count(*) from claim where event in {DOOMED}",
    "answers to claims": f"""
        select count(*) from claim_check c join claim l on l.id = c.claim
        where c.event in {DOOMED} or l.event in {DOOMED}
    """,
    "scene changes": f"select count(*) from scene_item where event in {DOOMED}",
}

_UNQUOTE: Final = f"""
    update event set quoted = '' where id in (
        select q.id
        from event_message m join event q on q.place = m.place and q.reply_to = m.message
        where m.event in {DOOMED}
    )
"""

# What a deleted exchange leaves behind in rows that others still need.
_UNTIE: Final = (
    f"""
    update claim set status = 'pending', resolved = null
    where status in ('confirmed', 'false')
      and id in (select claim from claim_check where event in {DOOMED})
    """,
    f"""
    update relationship set relation = '', relation_event = null
    where relation_event in {DOOMED}
    """,
    f"""
    update scene_item set until = (
        select min(next.since) from scene_item next
        where next.place = scene_item.place and next.item = scene_item.item
          and next.since >= scene_item.until
          and (next.event is null or next.event not in {DOOMED})
    )
    where exists (
        select 1 from scene_item later
        where later.place = scene_item.place and later.item = scene_item.item
          and later.since = scene_item.until and later.event in {DOOMED}
    )
    """,
)

_BURY: Final = (
    f"""
    insert or ignore into tombstone
    select place, message from event_message where event in {DOOMED}
    """,
    f"""
    insert or ignore into tombstone
    select t.place, d.value from turn t, json_each(t.drafts) d
    where t.reply in {DOOMED} or (t.reply is null and exists (
        select 1 from turn_event e where e.turn = t.id and e.event in {DOOMED}
    ))
    """,
    f"""
    insert or ignore into tombstone_source
    select source from event where source is not null and id in {DOOMED}
    """,
)

# After the events are gone: their turns.
_SETTLE: Final = (
    """
    update inbox set state = 'ignored', reason = 'the answer was deleted'
    where state = 'covered' and turn in (select id from temp.loosened)
    """,
    """
    update turn set state = 'abandoned', reason = 'the answer was deleted'
    where reply is null and state not in ('composing', 'abandoned')
      and id in (select id from temp.loosened)
    """,
    # whoever is composing at this moment finds that there is nothing to answer
    """
    update turn set state = 'abandoned', reason = 'what it answers was deleted', drafts = '[]'
    where state = 'composing' and id in (select id from temp.loosened)
      and not exists (select 1 from turn_event e where e.turn = turn.id)
    """,
    """
    delete from turn
    where reply is null and answered_at is not null and id in (select id from temp.loosened)
      and not exists (select 1 from turn_event e where e.turn = turn.id)
    """,
)


async def remove(db: Transaction, events: Iterable[int], *, bury: bool = True) -> Counter[str]:
    """Removes the events, the replies to them and what rests on them.

    Returns how much of what went, in words for people. `bury` leaves tombstones without
    text, so that nothing comes back by redelivery or import, and takes repeated passages
    out of what personas said later.
    """
    await choose(db, events)
    counts = Counter({what: await db.value(sql) for what, sql in _COUNTED.items()})
    if not await db.value("select count(*) from temp.doomed"):
        return +counts
    if bury:
        counts += await _redact_what_repeats(db)
    await loosen(db)
    for sql in (_UNQUOTE, *(_BURY if bury else ())):
        await db.run(sql)
    await db.run(
        f"""
        insert into temp.loosened
        select id from turn where reply in {DOOMED}
        union select turn from turn_event where event in {DOOMED}
        """
    )
    await db.run(f"delete from event where id in {DOOMED}")
    for sql in _SETTLE:
        await db.run(sql)
    await forget_unheard(db)
    return +counts


async def loosen(db: Transaction) -> None:
    """What others vouch for, or have to know of, no longer rests on what was chosen."""
    await _pass_on_claims(db)
    for sql in _UNTIE:
        await db.run(sql)


async def choose(db: Transaction, events: Iterable[int], *, replies: bool = True) -> None:
    """Fills the list of what goes: the events, replies to them, and what is derived; without
    `replies` the events alone."""
    for table in ("doomed", "loosened"):
        await db.run(f"create temp table if not exists {table} (id integer primary key)")
        await db.run(f"delete from temp.{table}")
    await db.many(
        "insert or ignore into temp.doomed select id from event where id = ?",
        [(event,) for event in events],
    )
    grown = -1 if replies else await db.value("select count(*) from temp.doomed")
    while grown != (now := await db.value("select count(*) from temp.doomed")):
        grown = now
        await db.run(
            f"""
            insert or ignore into temp.doomed
            select t.reply from turn t join turn_event e on e.turn = t.id
            where t.reply is not null and e.event in {DOOMED}
            union
            select event from evidence where rests_on in {DOOMED}
            """
        )


async def _redact_what_repeats(db: Transaction) -> Counter[str]:
    rows = await db.rows(
        f"select text, at from event where kind in ('message', 'import') and id in {DOOMED}"
    )
    if not rows:
        return Counter()
    since = stamp(moment(min(row["at"] for row in rows)) - SKEW)
    return await redact_echoes(db, [row["text"] for row in rows], since)


async def _pass_on_claims(db: Transaction) -> None:
    """A claim that someone else vouches for no longer rests on its first source."""
    heirs = await db.rows(
        f"""
        select c.id, c.claim, c.event, c.agent, min(c.at)
        from claim_check c join claim l on l.id = c.claim
        where l.event in {DOOMED} and c.event not in {DOOMED}
          and c.stance = 'support' and c.agent <> l.source
        group by c.claim
        """
    )
    for heir in heirs:
        await db.run(
            "update claim set event = ?, source = ?, status = 'pending', resolved = null "
            "where id = ?",
            heir["event"],
            heir["agent"],
            heir["claim"],
        )
        await db.run("delete from claim_check where id = ?", heir["id"])
