"""Places, under whatever identity the platform gives them."""

from dataclasses import replace

from bot.messages import Migrated
from bot.world import Answers, Place, PlaceKey, Where
from storage.base import Part, reads, writes
from storage.connection import Row, Transaction
from storage.rows import place_by_id, place_of
from storage.stream.vectors import renew_vectors


class Places(Part):
    """The part of the storage that knows where things happen."""

    async def place(self, where: Where) -> Place:
        known = await self._place_as_described(where)
        return known if known is not None else await self._place_kept(where)

    @reads
    async def _place_as_described(self, db: Transaction, where: Where) -> Place | None:
        """The place, if its description is not new."""
        row = await find_place(db, where.key)
        if row is None or not _describes(place_of(row), where):
            return None
        return await with_persona(db, place_of(row))

    @writes
    async def _place_kept(self, db: Transaction, where: Where) -> Place:
        return await keep_place(db, where)

    @writes
    async def open_place(
        self, db: Transaction, place: int, *, listens: bool, answers: Answers
    ) -> None:
        await db.run(
            "update place set listens = ?, answers = ? where id = ?",
            listens,
            answers.value,
            place,
        )

    @writes
    async def choose_persona(self, db: Transaction, place: int, persona: str | None) -> None:
        await db.run("update place set persona = ? where id = ?", persona, place)

    @writes
    async def put_to_sleep(self, db: Transaction, place: int, *, asleep: bool) -> None:
        await db.run("update place set asleep = ? where id = ?", asleep, place)

    @writes
    async def migrated(self, db: Transaction, moved: Migrated) -> None:
        old = await _by_key(db, moved.old)
        if old is not None:
            await _move(db, old["id"], moved.old, moved.new)


async def find_place(db: Transaction, key: PlaceKey) -> Row | None:
    """The place with this key, or the one that moved away from it."""
    found = await _by_key(db, key)
    if found is not None:
        return found
    return await db.row(
        """
        select p.* from moved m join place p on p.id = m.place
        where m.platform = ? and m.bot_account = ? and m.chat = ? and m.thread = ?
        """,
        *_parts(key),
    )


async def _by_key(db: Transaction, key: PlaceKey) -> Row | None:
    return await db.row(
        """
        select * from place
        where platform = ? and bot_account = ? and chat = ? and thread = ?
        """,
        *_parts(key),
    )


def _parts(key: PlaceKey) -> tuple[str, str, str, str]:
    return key.platform, key.bot_account, key.chat, key.thread


def _describes(place: Place, where: Where) -> bool:
    """Whether nothing of the description is new; a former key does not count."""
    return replace(place.where, key=where.key) == where


async def keep_place(db: Transaction, where: Where) -> Place:
    """The place, made or brought up to date."""
    row = await find_place(db, where.key)
    if row is None:
        new = await db.insert(
            """
            insert into place (platform, bot_account, chat, thread, kind, name, server,
                               server_name, parent, private, age_restricted)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            *_parts(where.key),
            where.kind.value,
            where.name,
            where.server,
            where.server_name,
            where.parent,
            where.private,
            where.age_restricted,
        )
        return await with_persona(db, await place_by_id(db, new))
    if not _describes(place_of(row), where) and await _by_key(db, where.key) is not None:
        await db.run(
            """
            update place set kind = ?, name = ?, server = ?, server_name = ?, parent = ?,
                             private = ?, age_restricted = ?
            where id = ?
            """,
            where.kind.value,
            where.name,
            where.server,
            where.server_name,
            where.parent,
            where.private,
            where.age_restricted,
            row["id"],
        )
    return await with_persona(db, await place_by_id(db, row["id"]))


async def parent_of(db: Transaction, place: Place) -> Row | None:
    """The channel that a thread is in, if it is known."""
    if not place.where.parent:
        return None
    return await find_place(db, replace(place.where.key, chat=place.where.parent, thread=""))


async def with_persona(db: Transaction, place: Place) -> Place:
    """In a thread without a choice of its own, the persona of its channel speaks."""
    if place.persona is not None:
        return place
    parent = await parent_of(db, place)
    return place if parent is None else replace(place, persona=parent["persona"])


def message_key(place: Place, key: PlaceKey, message: str) -> str:
    """How a message id is kept. In a place that moved, ids start again at 1, so those
    that came under the former key carry its chat."""
    return message if place.where.key == key else former(key, message)


def former(key: PlaceKey, message: str) -> str:
    return f"{key.chat}/{message}"


async def _move(db: Transaction, old: int, before: PlaceKey, after: PlaceKey) -> None:
    for table in ("event_message", "tombstone"):
        await db.run(
            f"update or replace {table} set message = ? || message where place = ?",
            former(before, ""),
            old,
        )
    target = await _by_key(db, after)
    place = old
    if target is None:
        await db.run(
            "update place set platform = ?, bot_account = ?, chat = ?, thread = ? where id = ?",
            *_parts(after),
            old,
        )
    else:
        place = target["id"]
        await _join(db, old, place)
    await db.run("insert or replace into moved values (?, ?, ?, ?, ?)", *_parts(before), place)


_KEPT_BY_PLACE = ("event", "event_message", "tombstone", "turn", "scene_item", "usage")


async def _join(db: Transaction, old: int, new: int) -> None:
    """Everything of one place becomes the other's; what both have, the new one keeps."""
    await db.run(
        """
        update turn set state = 'abandoned', reason = 'the place moved'
        where place = ? and state = 'composing'
        """,
        old,
    )
    for table in _KEPT_BY_PLACE:
        await db.run(f"update {table} set place = ? where place = ?", new, old)
    await db.run("update or ignore setting set place = ? where place = ?", new, old)
    await _join_scopes(db, old, new)
    await db.run("update agent set home = ? where home = ?", new, old)
    await db.run("update moved set place = ? where place = ?", new, old)
    await db.run(
        """
        update place set listens = o.listens, answers = o.answers, asleep = o.asleep,
                         persona = coalesce(place.persona, o.persona)
        from place o where o.id = ? and place.id = ?
        """,
        old,
        new,
    )
    await db.run("delete from place where id = ?", old)


async def _join_scopes(db: Transaction, old: int, new: int) -> None:
    for scope in await db.rows("select * from scope where place = ?", old):
        same = await db.row(
            "select id from scope where kind = ? and place = ? and persona is ?",
            scope["kind"],
            new,
            scope["persona"],
        )
        if same is None:
            await db.run("update scope set place = ? where id = ?", new, scope["id"])
            continue
        events = await db.rows("select id from event where scope = ?", scope["id"])
        await db.run("update event set scope = ? where scope = ?", same["id"], scope["id"])
        await renew_vectors(db, [row["id"] for row in events])
        await db.run("update claim set scope = ? where scope = ?", same["id"], scope["id"])
        await db.run(
            "update or ignore scope_part set part = ? where part = ?", same["id"], scope["id"]
        )
        await db.run(
            "update or ignore scope_member set scope = ? where scope = ?", same["id"], scope["id"]
        )
        await db.run("delete from scope where id = ?", scope["id"])
