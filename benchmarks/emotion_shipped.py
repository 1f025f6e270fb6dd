"""The shipped scorers as the benchmarks ask them: the program's own, over kept vectors."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from adapters.embedder import load_embedder
from adapters.emotion.heads import load
from adapters.emotion.local import (
    ENGLISH,
    MULTILINGUAL,
    WEIGHTS,
    LocalScorer,
    axes_file,
    corrections,
    load_scorer,
)
from benchmarks.emotion_vectors import KeptEmbedder, Vectors, encoder_vectors, tuned_vectors
from benchmarks.record import Progress

MODELS: Final = {ENGLISH: "bundled", MULTILINGUAL: "multilingual"}


def vectors_of(name: str, cache: Path, progress: Progress) -> tuple[Vectors, ...]:
    """The vectors that the head of an encoder reads, side by side."""
    plain = encoder_vectors(name, cache, progress)
    return (plain, tuned_vectors(corrections(), cache, progress)) if name == ENGLISH else (plain,)


def shipped(name: str, vectors: Sequence[Vectors]) -> LocalScorer:
    """The shipped scorer of an encoder. Raises OSError where no weights ship for it."""
    first, *second = (KeptEmbedder(name, one) for one in vectors)
    return LocalScorer(
        first,
        kinds=load(WEIGHTS / f"{name}.npz", "kinds"),
        axes=load(axes_file(name), "axes"),
        tuned=second[0] if second else None,
    )


def ships(name: str) -> bool:
    """Whether weights for an encoder are there."""
    return (WEIGHTS / f"{name}.npz").is_file() and axes_file(name).is_file()


def seen_by(name: str) -> frozenset[int]:
    """The fingerprints of the lists of lines that the head of an encoder was fitted to."""
    found: set[int] = set()
    for path in (WEIGHTS / f"{name}.npz", axes_file(name)):
        with np.load(path, allow_pickle=False) as file:
            found |= set(file["seen"].tolist()) if "seen" in file.files else set()
    return frozenset(found)


async def milliseconds(name: str, texts: Sequence[str]) -> float:
    """How long a text takes on average, one after the other, everything loaded."""
    async with load_embedder(MODELS[name]) as embedder, load_scorer(embedder) as local:
        await local.score(["Is everything loaded?"])
        begun = time.perf_counter()
        for text in texts:
            await local.score([text])
        return (time.perf_counter() - begun) * 1000 / max(len(texts), 1)
