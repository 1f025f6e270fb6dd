"""Places' items: a row per state, with the moment it began and the one it ended."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.stream.scenes import SceneChange, SceneItem, same_thing
from bot.world import Place
from storage.base import Part, reads, writes
from storage.connection import Row, Transaction
from storage.rows import moment, optional_moment, place_of, stamp

_NOW: Final = "until is null and state <> ''"


class Scenery(Part):
    """The part of the storage that knows what is in a place."""

    @reads
    async def scene(self, db: Transaction, place: int) -> list[SceneItem]:
        rows = await db.rows(
            f"""
            select s.* from scene_item s
            where place = ? and {_NOW}
            order by (select min(id) from scene_item f
                      where f.place = s.place and f.item = s.item)
            """,
            place,
        )
        return [_item(row) for row in rows]

    @reads
    async def scene_history(self, db: Transaction, place: int, *, limit: int) -> list[SceneItem]:
        rows = await db.rows(
            """
            select * from scene_item where place = ? and state <> ''
            order by since desc, id desc limit ?
            """,
            place,
            limit,
        )
        return [_item(row) for row in reversed(rows)]

    @writes
    async def change_scene(
        self,
        db: Transaction,
        place: int,
        changes: Sequence[SceneChange],
        *,
        at: datetime,
        event: int | None = None,
    ) -> int:
        if event is not None and await _has_changed(db, event):
            return 0
        return sum([await _change(db, place, one, at, event) for one in changes])

    @writes
    async def start_scene(
        self, db: Transaction, place: int, changes: Sequence[SceneChange], at: datetime
    ) -> None:
        begun = await db.row("select 1 from scene_item where place = ?", place)
        if begun is None:
            for change in changes:
                await _change(db, place, change, at, None)

    @reads
    async def furnished(self, db: Transaction) -> list[Place]:
        rows = await db.rows(
            f"""
            select * from place
            where id in (select place from scene_item where {_NOW}) order by id
            """
        )
        return [place_of(row) for row in rows]


async def _has_changed(db: Transaction, event: int) -> bool:
    """Whether the event is gone, or has changed a scene already."""
    found = await db.row(
        """
        select 1 where not exists (select 1 from event where id = ?)
            or exists (select 1 from scene_item where event = ?)
        """,
        event,
        event,
    )
    return found is not None


async def _change(
    db: Transaction, place: int, change: SceneChange, at: datetime, event: int | None
) -> bool:
    here = await db.rows(
        "select id, item, state from scene_item where place = ? and until is null", place
    )
    now = next((row for row in here if same_thing(row["item"]) == same_thing(change.item)), None)
    if (now["state"] if now is not None else "") == change.state:
        return False
    if now is not None:
        await db.run("update scene_item set until = ? where id = ?", stamp(at), now["id"])
    await db.insert(
        "insert into scene_item (place, item, state, since, event) values (?, ?, ?, ?, ?)",
        place,
        change.item if now is None else now["item"],  # a thing keeps its first name
        change.state,
        stamp(at),
        event,
    )
    return True


def _item(row: Row) -> SceneItem:
    return SceneItem(
        item=row["item"],
        state=row["state"],
        since=moment(row["since"]),
        until=optional_moment(row["until"]),
        event=row["event"],
    )
