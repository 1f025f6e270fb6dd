"""The retrieval strategies of Emotional RAG, section III, and the ordinary one beside them.

Semantic distance is Euclidean between unit vectors, emotion distance is the cosine distance
of the eight scores. They live on different scales, so each is brought to 0..1 over the pool
and turned into a likeness, 1 for the nearest and 0 for the farthest:

- C-A: likeness in meaning plus likeness in feeling
- C-M: likeness in meaning times likeness in feeling
- S-S: the POOL_FACTOR * k nearest in meaning, in the order of feeling
- S-E: the POOL_FACTOR * k nearest in feeling, in the order of meaning

Feelings are compared as `score - 1`. A text without feeling has no direction: for such a
query all four rank by meaning alone, and a memory without feeling counts as fitting in feeling
as well as it does in meaning, so it is neither lifted by its silence nor punished for it.

With `Query.scaled` False the distances are added and multiplied as they come, those of
feeling between the raw scores: the way of the authors' own code, for comparison.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.emotion import NEUTRAL, Emotion
from bot.feeling import congruence, strength
from bot.memory import Candidate, Recalled
from bot.recall.query import Query

POOL_FACTOR: Final = 2
"""The sequential strategies look at twice as many memories as are wanted: the paper's code
takes 20 for k = 10."""

Numbers = NDArray[np.float64]


def semantic(query: Query, candidates: Sequence[Candidate]) -> list[Recalled]:
    """Plain retrieval by meaning: the cosine of query and memory."""
    del query
    scored = [
        Recalled(event=c.event, score=c.semantic, parts={"semantic": c.semantic})
        for c in candidates
        if c.semantic is not None
    ]
    return sorted(scored, key=lambda r: (-r.score, r.event.id))


def combined_by_addition(query: Query, candidates: Sequence[Candidate]) -> list[Recalled]:
    """C-A."""
    pool = _pool(query, candidates)
    return _ranked(pool, pool.meaning + pool.feeling, _both(pool))


def combined_by_multiplication(query: Query, candidates: Sequence[Candidate]) -> list[Recalled]:
    """C-M."""
    pool = _pool(query, candidates)
    sign = 1.0 if query.scaled else -1.0  # the product of two distances, both negative here
    score = sign * pool.meaning * pool.feeling if pool.felt else pool.meaning
    name = "semantic x emotion" if pool.felt else "semantic"
    return _ranked(pool, score, lambda i: {name: float(score[i])})


def semantic_first(query: Query, candidates: Sequence[Candidate]) -> list[Recalled]:
    """S-S."""
    pool = _pool(query, candidates)
    return _in_sequence(query, pool, pool.meaning, pool.feeling if pool.felt else pool.meaning)


def emotion_first(query: Query, candidates: Sequence[Candidate]) -> list[Recalled]:
    """S-E."""
    pool = _pool(query, candidates)
    return _in_sequence(query, pool, pool.feeling if pool.felt else pool.meaning, pool.meaning)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pool:
    """The candidates that have a vector, and how well each fits: more is better.

    `felt` False: the query has no direction and feeling is zero for all.
    """

    candidates: Sequence[Candidate]
    meaning: Numbers
    feeling: Numbers
    felt: bool


def _pool(query: Query, candidates: Sequence[Candidate]) -> _Pool:
    compared = [c for c in candidates if c.semantic is not None]
    far = np.array([euclidean(c.semantic or 0.0) for c in compared])
    if query.scaled:
        felt = strength(query.emotion) > 0
        meaning = likeness(far)
        feeling = _likeness_in_feeling(query, compared, meaning) if felt else 0 * meaning
    else:
        felt = True
        meaning = -far
        feeling = -np.array([raw_distance(query.emotion, _felt(c)) for c in compared])
    return _Pool(candidates=compared, meaning=meaning, feeling=feeling, felt=felt)


def _felt(candidate: Candidate) -> Emotion:
    return candidate.event.emotion or NEUTRAL


def _likeness_in_feeling(
    query: Query, candidates: Sequence[Candidate], meaning: Numbers
) -> Numbers:
    cosines = [congruence(query.emotion, _felt(c)) for c in candidates]
    directed = [i for i, cosine in enumerate(cosines) if cosine is not None]
    feeling = meaning.copy()
    feeling[directed] = likeness(np.array([1 - (cosines[i] or 0.0) for i in directed]))
    return feeling


def euclidean(cosine: float) -> float:
    """The distance of two unit vectors with this cosine, 0..2."""
    return math.sqrt(max(0.0, 2 - 2 * cosine))


def likeness(distances: Numbers) -> Numbers:
    """1 for the nearest, 0 for the farthest; 1 for all where all are equally far."""
    if not len(distances):
        return distances
    near, far = distances.min(), distances.max()
    return 1 - (distances - near) / (far - near) if far > near else np.ones_like(distances)


def raw_distance(one: Emotion, other: Emotion) -> float:
    """Cosine distance of the scores 1..10 as they are."""
    a, b = np.array(one.scores), np.array(other.scores)
    return float(1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


Parts = Callable[[int], dict[str, float]]


def _both(pool: _Pool) -> Parts:
    if not pool.felt:
        return lambda i: {"semantic": float(pool.meaning[i])}
    return lambda i: {"semantic": float(pool.meaning[i]), "emotion": float(pool.feeling[i])}


def _ranked(pool: _Pool, score: Numbers, parts: Parts) -> list[Recalled]:
    ranked = [
        Recalled(event=c.event, score=float(score[i]), parts=parts(i))
        for i, c in enumerate(pool.candidates)
    ]
    return sorted(ranked, key=lambda r: (-r.score, r.event.id))


def _in_sequence(query: Query, pool: _Pool, first: Numbers, then: Numbers) -> list[Recalled]:
    """The best by the first measure, in the order of the second; ties go to the first."""
    ids = [c.event.id for c in pool.candidates]
    by_first = sorted(range(len(ids)), key=lambda i: (-first[i], ids[i]))
    kept = by_first[: POOL_FACTOR * query.limit]
    name = "emotion" if then is pool.feeling else "semantic"
    return [
        Recalled(event=pool.candidates[i].event, score=float(then[i]), parts={name: float(then[i])})
        for i in sorted(kept, key=lambda i: (-then[i], -first[i], ids[i]))
    ]
