"""What comes to mind: candidates from the memory, ranked by a named strategy."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from bot.memory import Candidate, Recalled
from bot.ports import Embedder, Storage
from bot.text import same_text
from bot.world import Hearing

POOL = 4
"""Candidates asked of the store for each memory that is wanted."""

CORRECTED = 0.5
"""What remains of the score of an event that was corrected later: it is past."""

Strategy = Callable[[Sequence[Candidate]], list[Recalled]]
"""Gives every candidate a score, best first."""


def semantic(candidates: Sequence[Candidate]) -> list[Recalled]:
    """Plain retrieval by meaning: the cosine of query and memory."""
    scored = [
        Recalled(event=c.event, score=c.semantic, parts={"semantic": c.semantic})
        for c in candidates
        if c.semantic is not None
    ]
    return sorted(scored, key=lambda r: (-r.score, r.event.id))


STRATEGIES: dict[str, Strategy] = {"semantic": semantic}
DEFAULT_STRATEGY = "semantic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """What was brought to mind for a query, best first, and how."""

    recalled: tuple[Recalled, ...]
    strategy: str


async def bring_to_mind(
    query: str,
    hearing: Hearing,
    *,
    storage: Storage,
    embedder: Embedder,
    limit: int,
    strategy: str = DEFAULT_STRATEGY,
    without: Collection[int] = (),
) -> Mind:
    """The memories that fit a query best, among those that may be heard.

    `without` are events that are in view anyway. Raises EmbeddingError, StorageError.
    """
    vector = (await embedder.embed([query], kind="query"))[0]
    pool = POOL * limit + len(without)
    candidates = await storage.nearest(vector, embedder.name, hearing, limit=pool)
    ranked = STRATEGIES[strategy]([c for c in candidates if c.event.id not in without])
    return Mind(recalled=tuple(_once(_corrected(ranked))[:limit]), strategy=strategy)


def _corrected(ranked: Sequence[Recalled]) -> list[Recalled]:
    """What was corrected steps back behind what is true now."""
    weighed = [
        r
        if r.event.superseded_by is None
        else Recalled(
            event=r.event,
            score=r.score * CORRECTED,
            parts={**r.parts, "corrected": r.score * (CORRECTED - 1)},
        )
        for r in ranked
    ]
    return sorted(weighed, key=lambda r: (-r.score, r.event.id))


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
