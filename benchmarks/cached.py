"""An encoder that keeps what it computed on disk, so that a benchmark can be run again."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.record import Progress
from bot.ports import Embedder

BATCH = 512


class CachedEmbedder:
    """The vectors of another encoder, each computed once. One file per encoder; it is
    written by `save`, whole or not at all."""

    def __init__(self, embedder: Embedder, folder: Path, progress: Progress) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._embedder = embedder
        self._progress = progress
        self._file = folder / f"{hashlib.sha256(self.name.encode()).hexdigest()[:16]}.npz"
        self._known: dict[str, NDArray[np.float32]] = {}
        if self._file.exists():
            with np.load(self._file) as stored:
                self._known = dict(zip(stored["keys"].tolist(), stored["rows"], strict=True))

    async def embed(
        self, texts: Sequence[str], *, kind: Literal["query", "passage"]
    ) -> NDArray[np.float32]:
        keys = [hashlib.sha256(f"{kind}\0{text}".encode()).hexdigest() for text in texts]
        missing = {
            key: text for key, text in zip(keys, texts, strict=True) if key not in self._known
        }
        items = list(missing.items())
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            rows = await self._embedder.embed([text for _, text in part], kind=kind)
            self._known |= {key: row for (key, _), row in zip(part, rows, strict=True)}
            if len(items) > BATCH:
                self._progress("embed", start + len(part), len(items))
                self.save()
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._known[key] for key in keys])

    def save(self) -> None:
        """Writes the cache."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(".part.npz")
        np.savez(part, keys=np.array(list(self._known)), rows=np.array(list(self._known.values())))
        part.replace(self._file)
