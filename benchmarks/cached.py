"""An encoder and a scorer that keep what they computed on disk, for the next run."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from adapters.embedder import load_embedder
from adapters.emotion.local import load_scorer
from benchmarks.record import Options, Progress
from bot.emotion import Emotion
from bot.ports import Embedder, EmotionScorer

BATCH = 512


class _Kept:
    """Rows of numbers by text, in one file for each name; `save` writes it whole or not at all."""

    def __init__(self, name: str, folder: Path) -> None:
        self._file = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.npz"
        self.rows: dict[str, NDArray[np.float32]] = {}
        if self._file.exists():
            with np.load(self._file) as stored:
                self.rows = dict(zip(stored["keys"].tolist(), stored["rows"], strict=True))

    def missing(self, texts: Sequence[str], kind: str) -> list[tuple[str, str]]:
        """Keys and texts of which nothing is kept, each once."""
        wanted = {key(kind, text): text for text in texts}
        return [(one, text) for one, text in wanted.items() if one not in self.rows]

    def save(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(".part.npz")
        np.savez(part, keys=np.array(list(self.rows)), rows=np.array(list(self.rows.values())))
        part.replace(self._file)


def key(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind}\0{text}".encode()).hexdigest()


class CachedEmbedder:
    """The vectors of another encoder, each computed once; `save` keeps them for the next run."""

    def __init__(self, embedder: Embedder, folder: Path, progress: Progress) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._embedder = embedder
        self._progress = progress
        self._kept = _Kept(self.name, folder)

    async def embed(
        self, texts: Sequence[str], *, kind: Literal["query", "passage"]
    ) -> NDArray[np.float32]:
        items = self._kept.missing(texts, kind)
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            rows = await self._embedder.embed([text for _, text in part], kind=kind)
            self._kept.rows |= {one: row for (one, _), row in zip(part, rows, strict=True)}
            if len(items) > BATCH:
                self._progress("embed", start + len(part), len(items))
                self.save()
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._kept.rows[key(kind, text)] for text in texts])

    def save(self) -> None:
        """Writes the cache."""
        self._kept.save()


class CachedScorer:
    """The emotions of another scorer, each computed once; `save` keeps them for the next run."""

    def __init__(self, scorer: EmotionScorer, folder: Path, progress: Progress) -> None:
        self.name = scorer.name
        self._scorer = scorer
        self._progress = progress
        self._kept = _Kept(f"emotion of {self.name}", folder)

    async def score(self, texts: Sequence[str]) -> list[Emotion]:
        items = self._kept.missing(texts, "emotion")
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            found = await self._scorer.score([text for _, text in part])
            for (one, _), emotion in zip(part, found, strict=True):
                row = (*emotion.scores, emotion.valence, emotion.arousal)
                self._kept.rows[one] = np.array(row, dtype=np.float32)
            if len(items) > BATCH:
                self._progress("feel", start + len(part), len(items))
                self.save()
        return [_emotion(self._kept.rows[key("emotion", text)]) for text in texts]

    def save(self) -> None:
        """Writes the cache."""
        self._kept.save()


def _emotion(row: NDArray[np.float32]) -> Emotion:
    *scores, valence, arousal = (float(value) for value in row)
    return Emotion(scores=tuple(scores), valence=valence, arousal=arousal)


@asynccontextmanager
async def senses(
    model: str, options: Options
) -> AsyncIterator[tuple[CachedEmbedder, CachedScorer]]:
    """The program's encoder of that name and its scorer, both kept on disk."""
    async with load_embedder(model) as real, load_scorer(real) as local:
        embedder = CachedEmbedder(real, options.cache, options.progress)
        scorer = CachedScorer(local, options.cache, options.progress)
        try:
            yield embedder, scorer
        finally:
            embedder.save()
            scorer.save()
