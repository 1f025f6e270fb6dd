"""Brings to mind: candidates from the memory, ranked by a named strategy."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from bot.emotion import NEUTRAL
from bot.memory import Candidate, Recalled
from bot.ports import Embedder, EmotionScorer, Storage
from bot.recall.query import Query
from bot.recall.strategies import DEFAULT_STRATEGY, STRATEGIES
from bot.text import same_text
from bot.world import Hearing

POOL = 400
"""Candidates asked of each search: the nearest of so many are compared exactly anyway."""

CORRECTED = 0.5
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
    asked = query if isinstance(query, Query) else Query(text=query)
    rank = STRATEGIES[strategy]
    asked = replace(asked, limit=limit)
    if scorer is not None and asked.emotion == NEUTRAL:
        asked = replace(asked, emotion=(await scorer.score([asked.text]))[0])
    vector = (await embedder.embed([asked.text], kind="query"))[0]
    pool = max(POOL, 4 * limit) + len(without)
    near = await storage.nearest(vector, embedder.name, hearing, limit=pool)
    wordy = await storage.matching(asked.text, hearing, limit=pool)
    candidates = [c for c in together(near, wordy) if c.event.id not in without]
    ranked = _once(_corrected(rank(asked, candidates)))
    return Mind(recalled=tuple(ranked[:limit]), strategy=strategy)


def together(near: Sequence[Candidate], wordy: Sequence[Candidate]) -> list[Candidate]:
    """One candidate for each event, with what either search found out about it."""
    found = {c.event.id: c for c in near}
    for one in wordy:
        also = found.get(one.event.id)
        found[one.event.id] = replace(also, words=one.words) if also else one
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


def _once(ranked: Sequence[Recalled]) -> list[Recalled]:
    """Equal texts are different events, but come to mind once: the best of them."""
    seen: set[str] = set()
    kept: list[Recalled] = []
    for recalled in ranked:
        key = same_text(recalled.event.text) or str(recalled.event.id)
        if key not in seen:
            seen.add(key)
            kept.append(recalled)
    return kept
