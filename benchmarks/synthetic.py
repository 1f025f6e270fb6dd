"""Memories without meaning for measurements of speed: texts and vectors of any number."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from bot.memory import EventKind, Memory, Precision

WORDS = (
    *("harbour", "lantern", "bread", "river", "ladder", "winter", "guitar", "ticket"),
    *("garden", "storm", "letter", "bridge", "kettle", "market", "island", "pepper"),
    *("mirror", "candle", "forest", "doctor", "train", "violin", "pocket", "engine"),
)
CLUSTERS = 200
SPREAD = 0.6
START = datetime(2024, 1, 1, tzinfo=UTC)


def vectors(count: int, dimension: int, seed: int) -> NDArray[np.float32]:
    """Unit vectors in clusters, as sentence embeddings are; shape (count, dimension)."""
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(CLUSTERS, dimension)).astype(np.float32)
    rows = centres[chance.integers(0, CLUSTERS, count)]
    rows = rows + SPREAD * chance.normal(size=(count, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def memories(start: int, count: int, seed: int) -> Iterator[Memory]:
    """Imported lines with ten words each, a minute apart, by two speakers."""
    chance = np.random.default_rng(seed + start)
    for n in range(start, start + count):
        yield Memory(
            source=f"synthetic:{seed}:{n}",
            kind=EventKind.IMPORT,
            at=START + timedelta(minutes=n),
            precision=Precision.MINUTE,
            speaker=("Ana", "Ben")[n % 2],
            text=" ".join(chance.choice(WORDS, 10)),
        )
