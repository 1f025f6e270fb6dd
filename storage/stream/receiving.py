"""Step one: what people said is kept, waits for its answer, or is recorded as ignored."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bot.memory import Event, EventKind, Pending, Received
from bot.messages import Message, Rename
from bot.world import Place
from storage.base import Part, reads, writes
from storage.connection import Row, Transaction
from storage.forgetting.unlearning import to_learn, unlearn
from storage.rows import (
    GIVEN,
    event_by_id,
    id_list,
    place_by_id,
    place_of,
    stamp,
)
from storage.stream.vectors import renew_vectors
from storage.world.people import bears, has_opted_out, persona_id, seen
from storage.world.places import find_place, keep_place, message_key, with_persona
from storage.world.scope import scope_of_line


class Receiving(Part):
    """The part of the storage that takes in what platforms report."""

    @writes
    async def received(
        self,
        db: Transaction,
        message: Message,
        *,
        persona: str | None,
        ignored: str = "",
        hearers: Sequence[str] = (),
    ) -> Received:
        if await _is_left_out(db, message):
            # a DM is named after its person, and nothing of that person is kept
            return Received(
                event=None,
                place=await keep_place(db, replace(message.where, name="")),
                new=False,
            )
        place = await keep_place(db, message.where)
        key = message_key(place, message.where.key, message.id)
        known = await _event_of_message(db, place.id, key)
        if known is not None:
            return Received(event=await event_by_id(db, known), place=place, new=False)
        if await _is_buried(db, place.id, key):
            return Received(event=None, place=place, new=False)
        waits_for = None if persona is None else await persona_id(db, persona)
        others = [await persona_id(db, one) for one in hearers if one != persona]
        event = await _keep(db, message, place, key, persona=waits_for, hearers=others)
        await db.run(
            "insert into inbox (event, persona, state, reason) values (?, ?, ?, ?)",
            event,
            waits_for,
            "ignored" if waits_for is None else "pending",
            ignored,
        )
        if waits_for is None:
            await to_learn(db, [event])
        return Received(event=await event_by_id(db, event), place=place, new=True)

    @writes
    async def wants_answer(self, db: Transaction, event: int, persona: str) -> bool:
        who = await persona_id(db, persona)
        changed = await db.run(
            """
            update inbox set state = 'pending', persona = ?, reason = ''
            where event = ? and state = 'ignored'
            """,
            who,
            event,
        )
        if changed:
            await _address(db, event, who)
            await _remember(db, event, who)
        return changed > 0

    @reads
    async def pending(self, db: Transaction, place: int, persona: str) -> list[Pending]:
        return await waiting(db, "e.place = ? and w.persona = ?", place, persona)

    @writes
    async def ignore(self, db: Transaction, events: Sequence[int], reason: str) -> None:
        await db.run(
            f"""
            update inbox set state = 'ignored', reason = ?
            where state = 'pending' and event in {GIVEN}
            """,
            reason,
            id_list(events),
        )
        await to_learn(db, events)

    @writes
    async def edited(self, db: Transaction, message: Message, at: datetime) -> Event | None:
        if await _is_left_out(db, message):
            return None
        row = await find_place(db, message.where.key)
        if row is None:
            return None
        place = place_of(row)
        event = await _event_of_message(
            db, place.id, message_key(place, message.where.key, message.id)
        )
        if event is None:
            return None
        await reword(db, event, message.text, at)
        quoted, quoted_account = await _quoted(db, message)
        await db.run(
            "update event set quoted = ?, quoted_account = ? where id = ?",
            quoted,
            quoted_account,
            event,
        )
        return await event_by_id(db, event)

    @writes
    async def renamed(self, db: Transaction, rename: Rename) -> None:
        row = await db.row(
            "select id, agent from account where platform = ? and user = ?",
            rename.account.platform,
            rename.account.user,
        )
        if row is not None and not await has_opted_out(db, rename.account):
            await bears(
                db, row["id"], row["agent"], rename.name, server=rename.server, at=rename.at
            )


async def reword(db: Transaction, event: int, text: str, at: datetime) -> None:
    """The event reads differently; what was made of the old text goes."""
    row = await db.row("select text from event where id = ?", event)
    if row is None or row["text"] == text:
        return
    await db.run(
        """
        update event set text = ?, edited_at = ?, remembered = remembered and ? where id = ?
        """,
        text,
        stamp(at),
        bool(text.strip()),
        event,
    )
    await unlearn(db, event)


async def waiting(db: Transaction, condition: str, *values: str | int) -> list[Pending]:
    """Messages without an answer, oldest first. `condition` is on event, place and inbox."""
    rows = await db.rows(
        f"""
        select i.event, w.persona as persona_key, e.place, m.message
        from inbox i
        join event e on e.id = i.event
        join place p on p.id = e.place
        join agent w on w.id = i.persona
        join event_message m on m.event = e.id and m.number = 0
        where i.state = 'pending' and {condition}
        order by e.at, e.id
        """,
        *values,
    )
    return [await _pending_of(db, row) for row in rows]


async def _pending_of(db: Transaction, row: Row) -> Pending:
    return Pending(
        event=await event_by_id(db, row["event"]),
        place=await with_persona(db, await place_by_id(db, row["place"])),
        persona=row["persona_key"],
        message_id=row["message"],
    )


async def _event_of_message(db: Transaction, place: int, message: str) -> int | None:
    row = await db.row(
        "select event from event_message where place = ? and message = ?", place, message
    )
    return None if row is None else int(row["event"])


async def _is_buried(db: Transaction, place: int, message: str) -> bool:
    found = await db.row("select 1 from tombstone where place = ? and message = ?", place, message)
    return found is not None


async def _keep(
    db: Transaction,
    message: Message,
    place: Place,
    key: str,
    *,
    persona: int | None,
    hearers: Sequence[int],
) -> int:
    account, speaker = await seen(db, message.author, message.where.server, message.at)
    if place.is_dm and message.author.is_person:
        await db.run("update place set person = ? where id = ?", speaker, place.id)
    quoted, quoted_account = await _quoted(db, message)
    witnesses = [one for one in (persona, *hearers) if one is not None]
    event = await db.insert(
        """
        insert into event (kind, at, place, scope, speaker, account, speaker_name, text, quoted,
                           quoted_account, reply_to, forwarded, remembered)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        EventKind.MESSAGE.value,
        stamp(message.at),
        place.id,
        await scope_of_line(db, place.id, place.where.kind, next(iter(witnesses), None)),
        speaker,
        account,
        message.author.name,
        message.text,
        quoted,
        quoted_account,
        message.reply_to,
        message.forwarded,
        message.author.is_person
        and bool(message.text.strip())
        and (bool(witnesses) or place.listens),
    )
    await db.run("insert into event_message values (?, ?, ?, 0)", place.id, key, event)
    await db.run("insert into event_agent values (?, ?, 'speaker')", event, speaker)
    if persona is not None:
        await _address(db, event, persona)
    for one in hearers:
        await db.run("insert or ignore into event_agent values (?, ?, 'present')", event, one)
    await _mention(db, message, event)
    return event


async def _is_left_out(db: Transaction, message: Message) -> bool:
    """Whether its words are those of somebody who opted out."""
    said = message.author, message.forwarded_from
    return any([await has_opted_out(db, one.account) for one in said if one is not None])


async def _quoted(db: Transaction, message: Message) -> tuple[str, int | None]:
    """What is quoted, without words of people who opted out, and the account it is from."""
    who = message.quoted_from
    if not message.quoted or who is None or not who.is_person:
        return message.quoted, None
    if await has_opted_out(db, who.account):
        return "", None
    account, _ = await seen(db, who, message.where.server, message.at)
    return message.quoted, account


async def _remember(db: Transaction, event: int, persona: int) -> None:
    """What was only overheard belongs to the persona now."""
    line = await event_by_id(db, event)
    kind = (await place_by_id(db, line.place_id)).where.kind
    await db.run(
        "update event set remembered = ?, scope = ? where id = ?",
        bool(line.text.strip()),
        await scope_of_line(db, line.place_id, kind, persona),
        event,
    )
    await renew_vectors(db, [event])


async def pass_on(db: Transaction, event: int, persona: int) -> None:
    """A persona's line waits for the answer of another persona, unless it did before."""
    await db.run(
        "insert or ignore into inbox (event, persona, state) values (?, ?, 'pending')",
        event,
        persona,
    )
    await _address(db, event, persona)


async def _address(db: Transaction, event: int, persona: int) -> None:
    await db.run("insert or ignore into event_agent values (?, ?, 'addressee')", event, persona)


async def _mention(db: Transaction, message: Message, event: int) -> None:
    for author in message.mentions:
        if author.is_me or await has_opted_out(db, author.account):
            continue
        _, agent = await seen(db, author, message.where.server, message.at)
        await db.run("insert or ignore into event_agent values (?, ?, 'mentioned')", event, agent)
