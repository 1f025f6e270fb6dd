"""Who may hear an event again: the filter that comes before any ranking.

A scope says where an event may be heard, so that a place that becomes private closes at
once: nothing of the place is copied into its events.

- past: a persona's own past, heard wherever that persona speaks
- dm: a DM place with one persona
- place: heard there, and in the same server if the place is open to everybody in it
- members: an archive, heard in DMs with whoever took part
- meet: heard only where all its parts are (what is derived from several events)
"""

import json
from collections.abc import Sequence
from typing import Final

from bot.world import Hearing, PlaceKind
from storage.connection import Transaction, Value
from storage.rows import GIVEN, OPTED_OUT, id_list

# A thread's channel has the same chat and no thread.
OPEN: Final = """
p.private = 0 and p.kind <> 'dm' and not exists (
    select 1 from place c
    where c.platform = p.platform and c.bot_account = p.bot_account and c.chat = p.chat
      and c.thread = '' and c.private = 1
)
"""

_HERE: Final = f"""
select s.id from scope s where s.kind = 'past' and s.persona = :persona
union
select s.id from scope s join place h on h.id = s.place
where h.id = :place and s.kind = 'dm' and h.kind = 'dm' and s.persona = :persona
union
select s.id from scope s join place h on h.id = s.place
where h.id = :place and s.kind = 'place' and h.kind <> 'dm'
union
select s.id
from place h
join place p on p.platform = h.platform and p.bot_account = h.bot_account
            and p.server = h.server and p.age_restricted <= h.age_restricted
join scope s on s.place = p.id and s.kind = 'place'
where h.id = :place and h.kind <> 'dm' and h.server <> '' and {OPEN}
union
select m.scope from place h
join agent b on b.id = h.person
join agent a on coalesce(a.merged_into, a.id) = coalesce(b.merged_into, b.id)
join scope_member m on m.agent = a.id
where h.id = :place and h.kind = 'dm'
"""

_LOOKING_IN: Final = f"""
with them (id) as (
    select a.id from agent a join agent b
      on coalesce(a.merged_into, a.id) = coalesce(b.merged_into, b.id)
    where b.id in {GIVEN.replace("?", ":people")}
)
select s.id from scope s where s.kind = 'past' and s.persona = :persona
union
select s.id from scope s join place p on p.id = s.place
where s.kind = 'dm' and s.persona = :persona and p.person in (select id from them)
union
select m.scope from scope_member m where m.agent in (select id from them)
"""

_MEETING: Final = f"""
select s.id from scope s
where s.kind = 'meet' and exists (select 1 from scope_part p where p.scope = s.id)
  and not exists (
    select 1 from scope_part p where p.scope = s.id and p.part not in {GIVEN}
  )
"""


async def hearable(db: Transaction, hearing: Hearing) -> list[int]:
    """The scopes that may be heard."""
    if hearing.place is not None:
        rows = await db.named(_HERE, {"persona": hearing.persona, "place": hearing.place})
    else:
        people = json.dumps(hearing.people)
        rows = await db.named(_LOOKING_IN, {"persona": hearing.persona, "people": people})
    base = [row["id"] for row in rows]
    return base + [row["id"] for row in await db.rows(_MEETING, id_list(base))]


WITNESSED: Final = f"""
e.remembered = 1
and (e.account is null or e.account not in {OPTED_OUT})
and exists (select 1 from event_agent k where k.event = e.id and k.agent = ?)
"""
"""What a persona (the parameter) witnessed of events `e`: it must know them first-hand, so
two personas or bot accounts share nothing by accident."""

FIRST_HAND: Final = f"""
{WITNESSED}
and not exists (select 1 from claim l where l.event = e.id and l.status = 'pending')
"""
"""What of it the persona can remember: hearsay that nobody verified yet is no memory."""

HEARD: Final = f"e.scope in {GIVEN} and {FIRST_HAND}"
"""The condition on an event `e` to be recalled; its parameters are made by `heard`."""


def heard(scopes: Sequence[int], hearing: Hearing) -> tuple[Value, Value]:
    """The parameters of HEARD."""
    return id_list(scopes), hearing.persona


async def scope_id(
    db: Transaction, kind: str, *, place: int | None = None, persona: int | None = None
) -> int:
    """The scope of this kind, made if it is new (any but `meet`)."""
    row = await db.row(
        "select id from scope where kind = ? and place is ? and persona is ?", kind, place, persona
    )
    if row is not None:
        return int(row["id"])
    return await db.insert(
        "insert into scope (kind, place, persona) values (?, ?, ?)", kind, place, persona
    )


async def scope_of_line(db: Transaction, place: int, kind: PlaceKind, persona: int | None) -> int:
    """The scope of what is said in a place to (or by) a persona."""
    if kind is PlaceKind.DM and persona is not None:
        return await scope_id(db, "dm", place=place, persona=persona)
    return await scope_id(db, "place", place=place)
