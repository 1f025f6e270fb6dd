"""Brings to mind: candidates from the memory, ranked by a named strategy."""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.emotion import NEUTRAL, Emotion
from bot.memory import Candidate, Recalled
from bot.ports import Embedder, EmotionScorer, Storage
from bot.recall import context
from bot.recall.blend import match
from bot.recall.contrast import Contrast, Contrasted, contrast, contrasted
from bot.recall.query import Query
from bot.recall.scale import scale_for
from bot.recall.strategies import DEFAULT_STRATEGY, LOOKS_AROUND, STRATEGIES
from bot.recall.surroundings import LENDERS, REACH
from bot.text import same_text
from bot.world import Hearing

POOL: Final = 200
"""Candidates asked of each search. Twice as many find the evidence of 1 in 200 more of
LoCoMo's questions and take twice the time."""

PAPERS_POOL: Final = 1000
"""For the paper's strategies, which rank everything that is remembered."""

HALF: Final = 0.5
"""From this leaning on a query's words are searched with the asker's earlier ones."""

CORRECTED: Final = 0.5
"""An event that was corrected later loses half its score: it is past."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """What was brought to mind for a query, best first, and how."""

    recalled: tuple[Recalled, ...]
    strategy: str


async def bring_to_mind(
    query: str | Query,
    hearing: Hearing,
    *,
    storage: Storage,
    embedder: Embedder,
    limit: int,
    scorer: EmotionScorer | None = None,
    strategy: str = DEFAULT_STRATEGY,
    without: Collection[int] = (),
) -> Mind:
    """The memories that fit a query best, among those that may be heard.

    Without a `scorer` the query's feeling is the one it brings with it (a plain text:
    none). `without` are events that are in view anyway. Raises EmbeddingError,
    StorageError, and KeyError for a strategy that does not exist.
    """
    rank = STRATEGIES[strategy]
    asked = query if isinstance(query, Query) else Query(text=query, limit=limit)
    around = strategy in LOOKS_AROUND
    against = contrast(asked.text) if around else Contrast()
    vectors, emotion = await asyncio.gather(
        embedder.embed([*context.views(asked), *against.phrases], kind="query"),
        _feeling(asked, scorer),
    )
    memory = _Memory(storage=storage, embedder=embedder.name, hearing=hearing)
    pool = max(POOL if around else PAPERS_POOL, 4 * limit) + len(without)
    views = vectors[: len(vectors) - len(against.phrases)]
    asked, candidates = await memory.search(
        replace(asked, emotion=emotion), views, pool, around=around
    )
    if against.phrases:
        asked = replace(asked, against=await memory.against(against, vectors[len(views) :], pool))
    ranked = _corrected(rank(asked, [c for c in candidates if c.event.id not in without]))
    return Mind(recalled=tuple(islice(_once(ranked), limit)), strategy=strategy)


async def _feeling(query: Query, scorer: EmotionScorer | None) -> Emotion:
    if scorer is None or query.emotion != NEUTRAL:
        return query.emotion
    return (await scorer.score([query.text]))[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Memory:
    """What a persona may recall in a place."""

    storage: Storage
    embedder: str
    hearing: Hearing

    async def search(
        self, query: Query, vectors: NDArray[np.float32], pool: int, *, around: bool
    ) -> tuple[Query, list[Candidate]]:
        """The candidates, and the query with what was learnt from them. With `around` also
        what only words find, and what stands beside the best."""
        query, near = await self._near(query, vectors, pool)
        if not around:
            return query, near
        named = context.named(query.text, near, self.hearing.persona)
        said = context.own_words(query) if query.leaning >= HALF else query.text
        text = context.without_names(said, set().union(*named.values()))
        wordy = await self.storage.matching(text, self.hearing, limit=pool)
        candidates = together(near, wordy)
        best = np.argsort(-match(query, candidates), kind="stable")[:LENDERS]
        lenders = [candidates[at].event for at in best]
        beside = await self.storage.beside(lenders, self.hearing, reach=REACH)
        found = together(candidates, [Candidate(event=one.event) for one in beside])
        return replace(query, named=frozenset(named), beside=beside), found

    async def against(
        self, against: Contrast, vectors: NDArray[np.float32], pool: int
    ) -> Contrasted:
        """What fits the phrases that a question sets its answer against."""
        return contrasted(against, [await self._nearest(vector, pool) for vector in vectors])

    async def _near(
        self, query: Query, vectors: NDArray[np.float32], pool: int
    ) -> tuple[Query, list[Candidate]]:
        near = await self._nearest(vectors[0], pool)
        cosines = [c.semantic for c in near if c.semantic is not None]
        scale = scale_for(self.embedder, cosines)
        lean = context.leaning(max(cosines, default=0.0), scale) if len(vectors) > 1 else 0.0
        if lean > 0:
            near = await self._nearest(context.attended(vectors, lean), pool)
        return replace(query, scale=scale, leaning=lean), near

    async def _nearest(self, vector: NDArray[np.float32], pool: int) -> list[Candidate]:
        return await self.storage.nearest(vector, self.embedder, self.hearing, limit=pool)


def together(near: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """One candidate for each event, with what either search found out about it."""
    found = {c.event.id: c for c in near}
    for one in others:
        known = found.get(one.event.id)
        if known is None:
            found[one.event.id] = one
        elif one.words is not None:
            found[one.event.id] = replace(known, words=one.words)
    return list(found.values())


def _corrected(ranked: Sequence[Recalled]) -> list[Recalled]:
    """What was corrected steps back behind what is true now."""
    weighed = []
    for recalled in ranked:
        if recalled.event.superseded_by is None:
            weighed.append(recalled)
            continue
        loss = -abs(recalled.score) * CORRECTED
        parts = {**recalled.parts, "corrected": loss}
        weighed.append(Recalled(event=recalled.event, score=recalled.score + loss, parts=parts))
    return sorted(weighed, key=lambda r: -r.score)  # of equals, the order that they had


def _once(ranked: Sequence[Recalled]) -> Iterator[Recalled]:
    """Equal texts are different events, but come to mind once: the best of them."""
    seen: set[str] = set()
    for recalled in ranked:
        key = same_text(recalled.event.text) or str(recalled.event.id)
        if key not in seen:
            seen.add(key)
            yield recalled
