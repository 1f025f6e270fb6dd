"""Sentence vectors of many texts, kept on disk because encoders take minutes over a data set.

What an interrupted run has encoded is there for the next one.
"""

import asyncio
import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from adapters.embedder.encoders import BUNDLED, MULTILINGUAL, Encoder, choose
from adapters.emotion.local import ENGLISH
from adapters.emotion.local import MULTILINGUAL as MULTILINGUAL_NAME
from adapters.emotion.tuned import Corrections, TunedEncoder
from adapters.emotion.words import spelled
from benchmarks.record import Progress

BATCH: Final = 64
CHUNK: Final = 2048
"""So many new texts are kept in one file, written when they are encoded."""

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]
"""One unit-length row per text, in order."""


def silent(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def encoder_vectors(name: str, cache: Path | None, progress: Progress = silent) -> Vectors:
    """The vectors of an encoder that heads ship for, as the Embedder would give them."""
    model = {ENGLISH: BUNDLED, MULTILINGUAL_NAME: MULTILINGUAL}[name]
    return KeptVectors(lambda: choose(model).load(), name, cache, progress)


def tuned_vectors(
    corrections: Corrections, cache: Path | None, progress: Progress = silent
) -> Vectors:
    """The vectors of the bundled encoder with corrections."""
    digest = hashlib.blake2b(digest_size=6)
    for name in sorted(corrections):
        digest.update(corrections[name][0].tobytes() + corrections[name][1].tobytes())
    name = f"tuned-{digest.hexdigest()}"
    vectors = KeptVectors(lambda: TunedEncoder(corrections), name, cache, progress)
    return lambda texts: vectors([spelled(text) for text in texts])


class KeptVectors:
    """Vectors of one encoder, loaded when the first unknown text comes; each text once.

    The cache is a folder of files with hashes of texts and their rows; without one nothing is
    kept beyond this object.
    """

    def __init__(
        self, load: Callable[[], Encoder], name: str, cache: Path | None, progress: Progress
    ) -> None:
        self._load, self._name, self._progress = load, name, progress
        self._folder = cache / f"vectors-{name}" if cache else None
        self._encoder: Encoder | None = None
        self._known: dict[int, NDArray[np.float32]] = {}
        for file in sorted(self._folder.glob("*.npz")) if self._folder else ():
            with np.load(file, allow_pickle=False) as kept:
                self._known.update(zip(kept["keys"].tolist(), kept["rows"], strict=True))

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [hash_of(text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        items = list(new.items())
        for start in range(0, len(items), CHUNK):
            self._progress(f"encode ({self._name})", start, len(items))
            self._learn(items[start : start + CHUNK])
        if items:
            self._progress(f"encode ({self._name})", len(items), len(items))
        return np.stack([self._known[key] for key in keys])

    def _learn(self, items: Sequence[tuple[int, str]]) -> None:
        if self._encoder is None:
            self._encoder = self._load()
        rows = encoded(self._encoder, [text for _, text in items])
        self.keep([key for key, _ in items], rows)

    def keep(self, keys: Sequence[int], rows: NDArray[np.float32]) -> None:
        """Takes rows for the hashes of texts, and writes them if there is a cache."""
        self._known.update(zip(keys, rows, strict=True))
        if self._folder is None or not keys:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._folder / f"{os.getpid()}.part"
        with part.open("wb") as file:
            np.savez(file, keys=np.asarray(keys, dtype=np.uint64), rows=rows)
        part.replace(self._folder / f"{keys[0]:016x}-{len(keys)}.npz")


class KeptEmbedder:
    """An Embedder of kept vectors, so that the program's own scorer can be asked."""

    def __init__(self, name: str, vectors: Vectors) -> None:
        self.name, self.dimension = name, 384
        self._vectors = vectors

    async def embed(
        self, texts: Sequence[str], *, kind: Literal["query", "passage"]
    ) -> NDArray[np.float32]:
        """The vectors as passages, whatever `kind` says. Raises EmbeddingError."""
        del kind
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return await asyncio.to_thread(self._vectors, texts)


def hash_of(text: str) -> int:
    """64 bits that stand for a text."""
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def encoded(encoder: Encoder, texts: Sequence[str]) -> NDArray[np.float32]:
    """All texts in batches of similar length."""
    plain = [" ".join(text.split())[: encoder.reads] or " " for text in texts]
    order = sorted(range(len(plain)), key=lambda at: len(plain[at]))
    rows = np.zeros((len(plain), encoder.dimension), dtype=np.float32)
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        rows[batch] = encoder.encode([plain[at] for at in batch], "passage")
    return rows
