"""Finds the events most similar in meaning, exactly, over the vectors of one encoder."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bot.memory import Vector
from storage.connection import Transaction, Value
from storage.scope import HEARD


async def nearest_events(
    db: Transaction, vector: Vector, embedder: str, heard: Sequence[Value], limit: int
) -> list[tuple[int, float]]:
    """Event ids with the cosine to `vector`, best first."""
    rows = await db.rows(
        f"""
        select e.id, v.vector
        from event e
        join embedding v on v.event = e.id
        where v.model = (select id from model where name = ?) and {HEARD}
        """,
        embedder,
        *heard,
    )
    if not rows:
        return []
    stored = matrix([row["vector"] for row in rows], vector.shape[0])
    return best([row["id"] for row in rows], stored @ vector.astype(np.float32), limit)


def matrix(blobs: Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dimension)


def best(ids: Sequence[int], cosines: NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
    order = np.argsort(-cosines, kind="stable")[:limit]
    return [(ids[i], float(np.clip(cosines[i], -1.0, 1.0))) for i in order]
