"""Searching the memory: by time, by meaning and by words, each inside what may be heard."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.memory import Beside, Candidate, Event, EventKind, Vector
from bot.world import Hearing
from storage.base import Part, reads
from storage.connection import Database, Transaction
from storage.rows import EVENT, GIVEN, OPTED_OUT, event_of, events_by_id, id_list, stamp, text_list
from storage.search.nearness import Nearness
from storage.search.words import any_of, terms
from storage.world.scope import HEARD, hearable, heard

COMMON: Final = 1_000
COMMON_SHARE: Final = 0.02
"""A term in more events than this, and than this share of all, is no help in finding one."""

SAID: Final = f"('{EventKind.MESSAGE}', '{EventKind.REPLY}')"


class Recall(Part):
    """The part of the storage that finds events again."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._nearness = Nearness(extension=database.driver.extension)

    @reads
    async def window(
        self, db: Transaction, place: int, *, before: datetime, limit: int
    ) -> list[Event]:
        rows = await db.rows(
            f"""
            {EVENT}
            where e.place = ? and e.at < ? and e.kind in {SAID}
              and (e.account is null or e.account not in {OPTED_OUT})
              and not exists (
                select 1 from turn t where t.reply = e.id and t.state = 'undeliverable'
              )
            order by e.at desc, e.id desc limit ?
            """,
            place,
            stamp(before),
            limit,
        )
        return [event_of(row) for row in reversed(rows)]

    @reads
    async def nearest(
        self, db: Transaction, vector: Vector, embedder: str, hearing: Hearing, *, limit: int
    ) -> list[Candidate]:
        scopes = await hearable(db, hearing)
        found = await self._nearness.nearest(
            db,
            vector,
            embedder,
            persona=hearing.persona,
            scopes=scopes,
            heard=heard(scopes, hearing),
            limit=limit,
        )
        events = await events_by_id(db, [event for event, _ in found])
        return [Candidate(event=events[event], semantic=cosine) for event, cosine in found]

    @reads
    async def matching(
        self, db: Transaction, text: str, hearing: Hearing, *, limit: int
    ) -> list[Candidate]:
        query = any_of(await _telling(db, terms(text)))
        if not query:
            return []
        scopes = await hearable(db, hearing)
        rows = await db.rows(
            f"""
            select e.id, -bm25(event_words) as score
            from event_words join event e on e.id = event_words.rowid
            where event_words match ? and {HEARD}
            order by score desc, e.id desc limit ?
            """,
            query,
            *heard(scopes, hearing),
            limit,
        )
        return await _candidates(db, [(row["id"], row["score"]) for row in rows])

    @reads
    async def beside(
        self, db: Transaction, events: Sequence[Event], hearing: Hearing, *, reach: int
    ) -> list[Beside]:
        scopes = await hearable(db, hearing)
        may_be_heard = heard(scopes, hearing)
        rows = await db.rows(
            _BESIDE, *may_be_heard, reach, *may_be_heard, reach, id_list(e.id for e in events)
        )
        steps = [
            (int(row["id"]), near, sign * number)
            for row in rows
            for sign, side in ((-1, "before"), (1, "after"))
            for number, near in enumerate(json.loads(row[side]), start=1)
        ]
        found = await events_by_id(db, {near for _, near, _ in steps})
        by_id = {event.id: event for event in events}
        return [
            Beside(event=found[near], to=by_id[event], steps=number)
            for event, near, number in steps
        ]


def _side(order: str, sign: str) -> str:
    return f"""
    (select json_group_array(id) from (
        select e.id from event e
        where e.place = o.place and (e.at, e.id) {sign} (o.at, o.id) and {HEARD}
        order by e.at {order}, e.id {order} limit ?
    ))
    """


_BESIDE: Final = f"""
select o.id, {_side("desc", "<")} as before, {_side("asc", ">")} as after
from event o where o.id in {GIVEN}
"""


async def _candidates(db: Transaction, found: list[tuple[int, float]]) -> list[Candidate]:
    events = await events_by_id(db, [event for event, _ in found])
    return [Candidate(event=events[event], words=max(0.0, score)) for event, score in found]


async def _telling(db: Transaction, words: list[str]) -> list[str]:
    """The terms without those in so many events that they tell nothing and cost much."""
    newest = await db.value("select coalesce(max(id), 0) from event")
    most = max(COMMON, int(COMMON_SHARE * newest))
    rows = await db.rows(
        """
        select t.value as term, (
            select count(*) from (
                select 1 from event_words where event_words match t.value limit ?
            )
        ) as events
        from json_each(?) t
        """,
        most,
        text_list(words),
    )
    return [row["term"] for row in rows if 0 < row["events"] < most]
