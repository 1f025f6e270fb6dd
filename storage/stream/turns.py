"""Steps two to four: a turn is composed, answered, sent and learned from."""

import json
from collections.abc import Sequence
from datetime import datetime

from bot.errors import StorageError
from bot.memory import EventKind, Recalled, Turn, Unfinished
from bot.world import PlaceKey
from storage.base import Part, reads, writes
from storage.connection import Row, Transaction
from storage.rows import GIVEN, id_list, place_of, stamp
from storage.stream.receiving import pass_on, reword, waiting
from storage.stream.turn_rows import note_recall, turn_by_id, turn_row, turns_where
from storage.world.people import persona_id
from storage.world.places import find_place, message_key
from storage.world.scope import scope_of_line


class Turns(Part):
    """The part of the storage that carries a turn through its durable steps."""

    @writes
    async def composing(
        self,
        db: Transaction,
        place: int,
        persona: str,
        said: Sequence[int],
        *,
        nonce: str,
        reply_to: str | None,
        at: datetime,
    ) -> Turn | None:
        who = await persona_id(db, persona)
        covered = await _still_waiting(db, place, who, said)
        if not covered:
            return None
        turn = await _open_turn(db, place, who, nonce, at)
        await db.run("update turn set reply_to = ? where id = ?", reply_to, turn)
        await db.run("delete from turn_event where turn = ?", turn)
        await db.many("insert into turn_event values (?, ?)", [(turn, one) for one in covered])
        return await turn_by_id(db, turn)

    @writes
    async def drafted(self, db: Transaction, turn: int, ids: Sequence[str]) -> None:
        await db.run("update turn set drafts = ? where id = ?", json.dumps(list(ids)), turn)

    @writes
    async def answered(
        self,
        db: Transaction,
        turn: int,
        text: str,
        *,
        at: datetime,
        recalled: Sequence[Recalled],
        strategy: str,
        failed: bool = False,
    ) -> Turn:
        row = await _expect(db, turn, "composing", "answered", "abandoned")
        if row["state"] == "composing":
            reply = await _keep_reply(db, row, text, at, remembered=not failed)
            await db.run(
                """
                update turn set state = 'answered', reply = ?, answered_at = ?, strategy = ?,
                                failed = ?
                where id = ?
                """,
                reply,
                stamp(at),
                strategy,
                failed,
                turn,
            )
            await db.run(
                """
                update inbox set state = 'covered', turn = ?
                where event in (select event from turn_event where turn = ?)
                """,
                turn,
                turn,
            )
            await note_recall(db, turn, recalled)
        return await turn_by_id(db, turn)

    @writes
    async def replace_reply(
        self,
        db: Transaction,
        turn: int,
        text: str,
        *,
        at: datetime,
        recalled: Sequence[Recalled],
        strategy: str,
    ) -> Turn:
        row = await _expect(db, turn, "answered", "sent", "learned")
        await db.run(
            "update event set remembered = ? where id = ?", bool(text.strip()), row["reply"]
        )
        await reword(db, row["reply"], text, at)
        await db.run("update turn set strategy = ?, failed = 0 where id = ?", strategy, turn)
        await note_recall(db, turn, recalled)
        return await turn_by_id(db, turn)

    @writes
    async def attempted(self, db: Transaction, turn: int, at: datetime) -> None:
        await db.run("update turn set attempted_at = ? where id = ?", stamp(at), turn)

    @writes
    async def sent(
        self,
        db: Transaction,
        turn: int,
        ids: Sequence[str],
        at: datetime,
        *,
        passed_to: str | None = None,
    ) -> None:
        row = await _expect(db, turn, "answered", "sent", "learned")
        if row["state"] == "answered":
            await db.run(
                "update turn set state = 'sent', sent_at = ? where id = ?", stamp(at), turn
            )
            if passed_to is not None:
                await pass_on(db, row["reply"], await persona_id(db, passed_to))
        await db.run("delete from event_message where event = ?", row["reply"])
        await db.many(
            "insert or replace into event_message values (?, ?, ?, ?)",
            [(row["place"], one, row["reply"], number) for number, one in enumerate(ids)],
        )

    @writes
    async def undeliverable(self, db: Transaction, turn: int, reason: str, at: datetime) -> None:
        row = await _expect(db, turn, "answered")
        await db.run(
            """
            update turn set state = 'undeliverable', reason = ?, attempted_at = ? where id = ?
            """,
            reason,
            stamp(at),
            turn,
        )
        # nobody ever read it
        await db.run("update event set remembered = 0 where id = ?", row["reply"])

    @writes
    async def abandoned(self, db: Transaction, turn: int, reason: str) -> None:
        changed = await db.run(
            """
            update turn set state = 'abandoned', reason = ?
            where id = ? and state = 'composing'
            """,
            reason,
            turn,
        )
        if changed:
            await db.run(
                """
                update inbox set state = 'ignored', reason = ?, turn = ?
                where state = 'pending'
                  and event in (select event from turn_event where turn = ?)
                """,
                reason,
                turn,
                turn,
            )

    @reads
    async def unfinished(self, db: Transaction, platform: str) -> Unfinished:
        return Unfinished(
            pending=await waiting(db, "p.platform = ?", platform),
            unsent=await turns_where(
                db, "p.platform = ? and t.state = 'answered' order by t.id", platform
            ),
            unlearned=await turns_where(
                db, "p.platform = ? and t.state = 'sent' order by t.id", platform
            ),
        )

    @reads
    async def last_turn(
        self, db: Transaction, place: int, persona: str | None = None, *, skip: int = 0
    ) -> Turn | None:
        found = await turns_where(
            db,
            """
            t.place = ? and (? is null or w.persona = ?) and t.reply is not null
            and t.state in ('answered', 'sent', 'learned')
            order by t.answered_at desc, t.id desc limit 1 offset ?
            """,
            place,
            persona,
            persona,
            skip,
        )
        return found[0] if found else None

    @reads
    async def turn_of_reply(self, db: Transaction, place: PlaceKey, message: str) -> Turn | None:
        row = await find_place(db, place)
        if row is None:
            return None
        found = await turns_where(
            db,
            """
            t.reply = (select event from event_message where place = ? and message = ?)
            """,
            row["id"],
            message_key(place_of(row), place, message),
        )
        return found[0] if found else None


async def _still_waiting(
    db: Transaction, place: int, persona: int, said: Sequence[int]
) -> list[int]:
    rows = await db.rows(
        f"""
        select i.event from inbox i join event e on e.id = i.event
        where i.state = 'pending' and i.persona = ? and e.place = ? and i.event in {GIVEN}
        """,
        persona,
        place,
        id_list(said),
    )
    return [row["event"] for row in rows]


async def _open_turn(db: Transaction, place: int, persona: int, nonce: str, at: datetime) -> int:
    """The turn a killed process left open here, or a new one."""
    row = await db.row(
        "select id from turn where place = ? and persona = ? and state = 'composing'",
        place,
        persona,
    )
    if row is not None:
        return int(row["id"])
    return await db.insert(
        """
        insert into turn (place, persona, state, nonce, started_at)
        values (?, ?, 'composing', ?, ?)
        """,
        place,
        persona,
        nonce,
        stamp(at),
    )


async def _expect(db: Transaction, turn: int, *states: str) -> Row:
    """The turn's row. Raises StorageError if it is gone or in none of these states."""
    row = await turn_row(db, turn)
    if row is None:
        raise StorageError(f"Turn {turn} is gone: what it answers was deleted meanwhile.")
    if row["state"] not in states:
        raise StorageError(f"Turn {turn} is {row['state']}, which allows no such step.")
    return row


async def _keep_reply(
    db: Transaction, turn: Row, text: str, at: datetime, *, remembered: bool
) -> int:
    where = place_of(turn).where
    persona, name = turn["persona_id"], turn["persona_name"]
    event = await db.insert(
        """
        insert into event (kind, at, place, scope, speaker, speaker_name, text, reply_to,
                           remembered)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        EventKind.REPLY.value,
        stamp(at),
        turn["place"],
        await scope_of_line(db, turn["place"], where.kind, persona),
        persona,
        name,
        text,
        turn["reply_to"],
        remembered and bool(text.strip()),
    )
    await db.run("insert into event_agent values (?, ?, 'speaker')", event, persona)
    await db.run(
        """
        insert or ignore into event_agent
        select ?, e.speaker, 'addressee'
        from turn_event t join event e on e.id = t.event
        where t.turn = ?
        """,
        event,
        turn["turn"],
    )
    # whoever of the personas was present for the question is present for the answer
    await db.run(
        """
        insert or ignore into event_agent
        select ?, k.agent, 'present'
        from turn_event t
        join event_agent k on k.event = t.event and k.role in ('present', 'addressee')
        join agent a on a.id = k.agent and a.kind = 'persona' and a.id <> ?
        where t.turn = ?
        """,
        event,
        persona,
        turn["turn"],
    )
    return event
