"""The production default: meaning, words and feeling together, each part named."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.emotion import NEUTRAL
from bot.feeling import congruence, strength
from bot.memory import Candidate, Recalled
from bot.persona import RecallMode
from bot.recall.query import Query

MEANING: Final = 1.0
WORDS: Final = 1.0
"""Equal weights of the standard scores: the plain sum of dense and sparse retrieval."""

FEELING: Final = 0.3
"""How much a fully congruent feeling adds when the query feels as strongly as can be."""

Numbers = NDArray[np.float64]


def blend(query: Query, candidates: Sequence[Candidate]) -> list[Recalled]:
    """Sums the parts of each candidate."""
    parts = {
        "meaning": MEANING * standard([c.semantic for c in candidates]),
        "words": WORDS * standard([c.words or 0.0 for c in candidates]),
        "feeling": FEELING * _feeling(query, candidates),
    }
    ranked = [
        Recalled(
            event=c.event,
            score=float(sum(values[i] for values in parts.values())),
            parts={name: float(values[i]) for name, values in parts.items()},
        )
        for i, c in enumerate(candidates)
    ]
    return sorted(ranked, key=lambda r: (-r.score, r.event.id))


def standard(values: Sequence[float | None]) -> Numbers:
    """Standard scores over the pool; what was not measured counts as the lowest measured."""
    known = [value for value in values if value is not None]
    if not known:
        return np.zeros(len(values))
    low = min(known)
    numbers = np.array([low if value is None else value for value in values])
    spread = float(numbers.std())
    return (numbers - numbers.mean()) / spread if spread > 0 else np.zeros(len(values))


def _feeling(query: Query, candidates: Sequence[Candidate]) -> Numbers:
    if query.mode is RecallMode.OFF:
        return np.zeros(len(candidates))
    felt = strength(query.emotion)
    alike = [congruence(query.emotion, c.event.emotion or NEUTRAL) or 0.0 for c in candidates]
    return felt * np.array(alike)
