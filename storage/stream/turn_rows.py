"""How a turn is read from its rows and how what it recalled is noted."""

import json
from collections.abc import Sequence
from typing import Final

from bot.errors import StorageError
from bot.memory import Recalled, Turn, TurnState
from bot.world import Agent, AgentKind
from storage.connection import Row, Transaction, Value
from storage.rows import events_by_id, moment, optional_moment, place_of
from storage.world.places import with_persona

_TURN: Final = """
select t.id as turn, t.state, t.nonce, t.reply, t.reply_to, t.drafts, t.strategy, t.failed,
       t.started_at, t.attempted_at, t.place, w.id as persona_id, w.name as persona_name,
       p.*
from turn t
join place p on p.id = t.place
join agent w on w.id = t.persona
"""


async def turn_row(db: Transaction, turn: int) -> Row | None:
    return await db.row(f"{_TURN} where t.id = ?", turn)


async def turn_by_id(db: Transaction, turn: int) -> Turn:
    """Raises StorageError if there is no such turn."""
    row = await turn_row(db, turn)
    if row is None:
        raise StorageError(f"There is no turn {turn} in the database.")
    return await _turn_of(db, row)


async def turns_where(db: Transaction, condition: str, *values: Value) -> list[Turn]:
    """The turns `t` of a place `p` and a persona `w` for which the condition holds."""
    rows = await db.rows(f"{_TURN} where {condition}", *values)
    return [await _turn_of(db, row) for row in rows]


async def _turn_of(db: Transaction, row: Row) -> Turn:
    said = [
        one["event"]
        for one in await db.rows("select event from turn_event where turn = ?", row["turn"])
    ]
    recalled = await db.rows("select * from turn_recall where turn = ? order by rank", row["turn"])
    reply = [] if row["reply"] is None else [row["reply"]]
    events = await events_by_id(db, [*said, *reply, *(one["event"] for one in recalled)])
    sent = await db.rows(
        "select message from event_message where event = ? order by number", row["reply"]
    )
    return Turn(
        id=row["turn"],
        nonce=row["nonce"],
        persona=Agent(id=row["persona_id"], kind=AgentKind.PERSONA, name=row["persona_name"]),
        place=await with_persona(db, place_of(row)),
        state=TurnState(row["state"]),
        started_at=moment(row["started_at"]),
        said=tuple(sorted((events[one] for one in said), key=lambda event: (event.at, event.id))),
        reply=events[row["reply"]] if reply else None,
        reply_to=row["reply_to"],
        drafts=tuple(json.loads(row["drafts"])),
        sent=tuple(one["message"] for one in sent),
        attempted_at=optional_moment(row["attempted_at"]),
        recalled=tuple(
            Recalled(event=events[one["event"]], score=one["score"], parts=json.loads(one["parts"]))
            for one in recalled
        ),
        strategy=row["strategy"],
        failed=bool(row["failed"]),
    )


async def note_recall(db: Transaction, turn: int, recalled: Sequence[Recalled]) -> None:
    """Keeps what was in mind for a turn, in order, instead of what was kept before."""
    await db.run("delete from turn_recall where turn = ?", turn)
    await db.many(
        """
        insert or ignore into turn_recall
        select ?, id, ?, ?, ? from event where id = ?
        """,
        [
            (turn, rank, one.score, json.dumps(dict(one.parts)), one.event.id)
            for rank, one in enumerate(recalled)
        ],
    )
