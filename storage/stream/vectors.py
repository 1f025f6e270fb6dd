"""What is made of a text: its vector by encoder, and how it feels."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bot.emotion import Emotion
from bot.errors import StorageError
from bot.memory import Event
from storage.base import Part, reads, writes
from storage.connection import Transaction
from storage.rows import EVENT, GIVEN, OPTED_OUT, event_of, id_list


class Vectors(Part):
    """The part of the storage that keeps vectors and emotions."""

    @writes
    async def embedded(
        self, db: Transaction, events: Sequence[int], vectors: NDArray[np.float32], embedder: str
    ) -> None:
        await keep_vectors(db, events, vectors, embedder)

    @writes
    async def scored(
        self, db: Transaction, events: Sequence[int], emotions: Sequence[Emotion], scorer: str
    ) -> None:
        await keep_emotions(db, events, emotions, scorer)

    @reads
    async def unembedded(self, db: Transaction, embedder: str, limit: int) -> list[Event]:
        rows = await db.rows(
            f"""
            {EVENT}
            where e.remembered = 1
              and (e.account is null or e.account not in {OPTED_OUT})
              and not exists (
                select 1 from embedding v
                where v.event = e.id and v.model = (select id from model where name = ?)
              )
            order by e.id limit ?
            """,
            embedder,
            limit,
        )
        return [event_of(row) for row in rows]

    @reads
    async def embedders(self, db: Transaction) -> dict[str, int]:
        rows = await db.rows(
            """
            select m.name, count(*) as vectors
            from embedding v join model m on m.id = v.model group by m.id order by m.id
            """
        )
        return {row["name"]: row["vectors"] for row in rows}

    @writes
    async def drop_vectors(self, db: Transaction, keep: str) -> None:
        await db.run(
            "delete from embedding where model in (select id from model where name <> ?)", keep
        )
        await db.run("delete from model where name <> ?", keep)


async def keep_vectors(
    db: Transaction, events: Sequence[int], vectors: NDArray[np.float32], embedder: str
) -> None:
    """One row per event; events deleted meanwhile are passed over."""
    if len(events) == 0:
        return
    model = await _model(db, embedder, vectors.shape[1])
    rows = np.ascontiguousarray(vectors, dtype="<f4")
    kept = await _existing(db, events)
    pairs = [
        (event, model, row.tobytes())
        for event, row in zip(events, rows, strict=True)
        if event in kept
    ]
    # replaced, not updated: a new vector has a higher id
    await db.many("insert or replace into embedding (event, model, vector) values (?, ?, ?)", pairs)


async def renew_vectors(db: Transaction, events: Sequence[int]) -> None:
    """Gives the vectors of these events new ids: whoever can recall them has changed, and
    what is held in memory about vectors learns of changes by their ids."""
    await db.run(
        f"""
        insert or replace into embedding (event, model, vector)
        select event, model, vector from embedding where event in {GIVEN}
        """,
        id_list(events),
    )


async def keep_emotions(
    db: Transaction, events: Sequence[int], emotions: Sequence[Emotion], scorer: str
) -> None:
    """One row per event; events deleted meanwhile are passed over."""
    kept = await _existing(db, events)
    await db.many(
        "insert or replace into emotion values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (event, *emotion.scores, emotion.valence, emotion.arousal, scorer)
            for event, emotion in zip(events, emotions, strict=True)
            if event in kept
        ],
    )


async def _existing(db: Transaction, events: Sequence[int]) -> set[int]:
    rows = await db.rows(f"select id from event where id in {GIVEN}", id_list(events))
    return {row["id"] for row in rows}


async def _model(db: Transaction, name: str, dimension: int) -> int:
    row = await db.row("select id, dimension from model where name = ?", name)
    if row is None:
        return await db.insert("insert into model (name, dimension) values (?, ?)", name, dimension)
    if row["dimension"] != dimension:
        raise StorageError(
            f"The encoder {name} gives {dimension} numbers now, and {row['dimension']} before; "
            "give the changed encoder another name."
        )
    return int(row["id"])
