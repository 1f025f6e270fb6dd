"""A person's right to be forgotten, and what platforms report as deleted."""

from collections import Counter
from datetime import timedelta

from bot.memory import Counts, Selection, Share, Whole
from bot.messages import Delete
from storage.base import Part, writes
from storage.connection import Transaction
from storage.forgetting.person import remove_person
from storage.forgetting.removal import remove
from storage.forgetting.scrub import scrub as scrub_file
from storage.rows import GIVEN, id_list, place_of, same_agent, stamp, text_list
from storage.world.places import find_place, message_key
from storage.world.realm import SAID, SAME_SERVER


class Forgetting(Part):
    """The part of the storage that removes for good."""

    @writes
    async def deleted(self, db: Transaction, delete: Delete) -> Counts:
        row = await find_place(db, delete.place)
        if row is None:
            return Counts()
        place = place_of(row)
        keys = [message_key(place, delete.place, one) for one in delete.ids]
        found = await db.rows(
            f"select event from event_message where place = ? and message in {GIVEN}",
            place.id,
            text_list(keys),
        )
        counts = await remove(db, [one["event"] for one in found])
        await db.many(
            "insert or ignore into tombstone values (?, ?)", [(place.id, key) for key in keys]
        )
        return Counts(removed=dict(counts))

    async def forgettable(self, selection: Selection) -> Counts:
        counts = await self._db.write(lambda db: _forget(db, selection), rehearsal=True)
        return Counts(removed=dict(counts))

    async def forget(self, selection: Selection, *, scrub: bool = True) -> Counts:
        counts = await self._db.write(lambda db: _forget(db, selection))
        if scrub:
            await scrub_file(self._db)
        return Counts(removed=dict(counts))


async def _forget(db: Transaction, selection: Selection) -> Counter[str]:
    if selection.agent is not None and selection.share is Share.EVERYTHING:
        return await remove_person(db, selection.agent)
    if selection.whole is not None and selection.place is not None:
        return await _forget_place(db, selection.place, selection.whole)
    return await remove(db, [*selection.events, *await _share(db, selection)])


async def _forget_place(db: Transaction, place: int, whole: Whole) -> Counter[str]:
    """All that was said there, and what the place looks like; imports and pasts stay."""
    here = "(select ?)" if whole is Whole.PLACE else SAME_SERVER
    said = await db.rows(f"select id from event where place in {here} and {SAID}", place)
    counts = await remove(db, [row["id"] for row in said])
    scene = await db.run(f"delete from scene_item where place in {here}", place)
    return +(counts + Counter({"scene changes": scene}))


async def _share(db: Transaction, selection: Selection) -> list[int]:
    """A person's own lines of the last exchange, or the last hour, in one place."""
    if selection.agent is None or selection.place is None:
        return []
    ids = id_list(await same_agent(db, selection.agent))
    if selection.share is Share.HOUR and selection.now is not None:
        rows = await db.rows(
            f"select id from event where speaker in {GIVEN} and place = ? and at > ?",
            ids,
            selection.place,
            stamp(selection.now - timedelta(hours=1)),
        )
    else:
        rows = await db.rows(
            f"""
            with newest (id) as (
                select id from event where speaker in {GIVEN} and place = ?
                order by at desc, id desc limit 1
            )
            select id from newest
            union
            select e.id from turn_event c
            join turn_event b on b.turn = c.turn
            join event e on e.id = b.event and e.speaker in {GIVEN}
            where c.event in (select id from newest)
            """,
            ids,
            selection.place,
            ids,
        )
    return [row["id"] for row in rows]
