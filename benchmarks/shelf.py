"""A store with given memories, asked through the program's own recall."""

import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bm25 import Bm25, z
from bot.emotion import Emotion
from bot.feeling import congruence
from bot.memory import Memory
from bot.passages import passage
from bot.persona import RecallMode
from bot.ports import Embedder, EmotionScorer, Storage
from bot.recall import DEFAULT_STRATEGY, STRATEGIES, Mind, Query, bring_to_mind
from bot.world import AccountKey, Hearing
from storage import open_storage

PERSONA = "witness"
ASKER = AccountKey(platform="bench", user="asker")

STRATEGY_ROWS: Mapping[str, tuple[str, RecallMode]] = {
    **{name: (name, RecallMode.MATCH) for name in STRATEGIES if name != DEFAULT_STRATEGY},
    "match": (DEFAULT_STRATEGY, RecallMode.MATCH),
    "regulate": (DEFAULT_STRATEGY, RecallMode.REGULATE),
    "off": (DEFAULT_STRATEGY, RecallMode.OFF),
}
"""Rows of the program's own: the strategies, the default one in each mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Memories in a store of their own, with the vectors and feelings that are stored.

    `emotions` and the rows of `vectors` belong to `memories`, in order.
    """

    memories: Sequence[Memory]
    vectors: NDArray[np.float32]
    emotions: Sequence[Emotion]
    storage: Storage
    hearing: Hearing
    embedder: Embedder
    scorer: EmotionScorer

    async def recall(
        self, query: Query, row: tuple[str, RecallMode], *, limit: int
    ) -> tuple[list[int], float]:
        """Which memories come to mind, best first, as positions; and in how many seconds."""
        strategy, mode = row
        started = time.perf_counter()
        mind = await bring_to_mind(
            replace(query, mode=mode),
            self.hearing,
            storage=self.storage,
            embedder=self.embedder,
            scorer=self.scorer,
            limit=limit,
            strategy=strategy,
        )
        return self._places(mind), time.perf_counter() - started

    def _places(self, mind: Mind) -> list[int]:
        places = {(memory.at, memory.text): at for at, memory in enumerate(self.memories)}
        return [places[r.event.at, r.event.text] for r in mind.recalled]


@asynccontextmanager
async def shelf(
    memories: Sequence[Memory], embedder: Embedder, scorer: EmotionScorer
) -> AsyncIterator[Shelf]:
    """Stores the memories as an import would, in a folder that is removed afterwards.

    Whoever speaks in the first of them is the one who asks.
    """
    texts = [passage(memory.speaker, memory.text) for memory in memories]
    vectors = await embedder.embed(texts, kind="passage")
    emotions = await scorer.score([memory.text for memory in memories])
    with tempfile.TemporaryDirectory() as folder:
        async with open_storage(Path(folder) / "bench.db") as storage:
            persona = await storage.persona(PERSONA, PERSONA)
            await storage.remember(
                PERSONA,
                "bench",
                memories,
                people={memories[0].speaker: ASKER},
                vectors=vectors,
                embedder=embedder.name,
                emotions=emotions,
                scorer=scorer.name,
            )
            asker = await storage.person(ASKER)
            assert asker is not None
            yield Shelf(
                memories=memories,
                vectors=vectors,
                emotions=emotions,
                storage=storage,
                hearing=Hearing(persona=persona.id, people=(asker.id,)),
                embedder=embedder,
                scorer=scorer,
            )


class Baselines:
    """The same texts ranked by words, by meaning, and by both."""

    def __init__(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._bm25 = Bm25(texts)
        self._vectors = vectors

    def orders(self, text: str, query: NDArray[np.float32]) -> dict[str, list[int]]:
        """Positions of the texts, best first, by baseline; equal scores in their order."""
        by_words = self._bm25.scores(text)
        by_vectors = (self._vectors @ query).astype(np.float64)
        return {
            "BM25": best_first(by_words),
            "vectors": best_first(by_vectors),
            "z-sum": best_first(z(by_words) + z(by_vectors)),
        }


def by_feeling(query: Emotion, emotions: Sequence[Emotion]) -> list[int]:
    """Positions in the order of likeness in feeling alone; without a direction, 0."""
    return best_first(np.array([congruence(query, one) or 0.0 for one in emotions]))


def best_first(scores: NDArray[np.float64]) -> list[int]:
    return [int(i) for i in np.argsort(-scores, kind="stable")]
