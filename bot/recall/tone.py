"""How well the feeling of a memory suits the moment: by likeness, or by the comfort in it."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.emotion import DIMENSIONS, HIGHEST, LOWEST, NEUTRAL, Emotion
from bot.feeling import strength, vector
from bot.memory import Event
from bot.persona import RecallMode
from bot.recall.query import Query

QUIET: Final = 0.15
"""Strength of feeling up to which a query counts as matter-of-fact: feeling plays no part ..."""

FULL: Final = 0.60
"""... and from which it plays its full part."""

MOOD_SHARE: Final = 0.3
"""What a strong mood of the persona's adds to the feeling of the query."""

MOOD_FROM: Final = 0.3
"""A mood weaker than this plays no part in recall."""

PLEASANT: Final = np.array([name in {"joy", "acceptance"} for name in DIMENSIONS], dtype=float)
UNPLEASANT: Final = np.array(
    [name in {"fear", "sadness", "disgust", "anger"} for name in DIMENSIONS], dtype=float
)


_UNPLEASANT_WORDS: Final = re.compile(
    r"\b(?:lowest|darkest|worst|deepest|saddest|hardest|bleakest|loneliest|harshest|sharpest"
    r"|despair|grief|shame|panic|terror|dread|rage|fury|crushing|devastat\w*|humiliat\w*"
    r"|sorrow|anguish|frustrat\w*|crisis|peor|m[aá]s (?:triste|duro|oscur[oa])|desesperaci[oó]n"
    r"|verg[uü]enza|p[aá]nico)\b|最(?:难过|伤心|痛苦|糟|低落|生气|害怕)|绝望",
    re.IGNORECASE,
)
_PLEASANT_WORDS: Final = re.compile(
    r"\b(?:happiest|proudest|warmest|joy|joyful|joyous|pride|relief|triumph\w*|elation|delight"
    r"|euphori\w*|best (?:day|moment|time)|breakthrough|turning point|finally broke|gratitude"
    r"|victory|contentment|m[aá]s (?:feliz|alegre|orgullos[oa])|alegr[ií]a|alivio|mejor d[ií]a)"
    r"\b|最(?:开心|高兴|快乐|幸福|骄傲|自豪)|转折",
    re.IGNORECASE,
)


def asked_tone(query: Query) -> int:
    """Whether a question asks for a pleasant memory (1), an unpleasant one (-1), or says
    nothing of it, or both (0): "When were you happiest?" feels nothing itself."""
    text = query.text.rstrip()
    if query.mode is RecallMode.OFF or not text.endswith(("?", "？")):
        return 0
    return bool(_PLEASANT_WORDS.search(text)) - bool(_UNPLEASANT_WORDS.search(text))


def gate(query: Query) -> float:
    """How much feeling counts for a query, 0 not at all .. 1 fully."""
    if query.mode is RecallMode.OFF:
        return 0.0
    return float(np.clip((strength(query.emotion) - QUIET) / (FULL - QUIET), 0.0, 1.0))


def pleasantness(emotion: Emotion) -> float:
    """-1 all sorrow, fear, disgust or anger .. +1 all joy and acceptance; 0 for no feeling."""
    felt = vector(emotion)
    total = float(felt.sum())
    return float(felt @ (PLEASANT - UNPLEASANT)) / total if total > 0 else 0.0


def suiting(query: Query, events: Sequence[Event]) -> NDArray[np.float64]:
    """How the feelings of memories suit a query that feels something, -1..1, shape (events,).

    Match: 1 for the same mixture of feelings, 0 for none or another. Regulate: to somebody
    in distress the pleasantness of the memory instead.
    """
    felt = np.array([(event.emotion or NEUTRAL).scores for event in events]) - LOWEST
    if query.mode is RecallMode.REGULATE and pleasantness(query.emotion) < 0:
        return _ratio(felt @ (PLEASANT - UNPLEASANT), felt.sum(axis=1))
    asked = np.array(_with_mood(query).scores) - LOWEST
    lengths = np.linalg.norm(felt, axis=1) * np.linalg.norm(asked)
    return np.clip(_ratio(felt @ asked, lengths), 0.0, 1.0)


def _ratio(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Their quotient, 0 where the other is 0."""
    return np.divide(one, other, out=np.zeros_like(one), where=other > 0)


def _with_mood(query: Query) -> Emotion:
    if strength(query.mood) < MOOD_FROM:
        return query.emotion
    return Emotion(
        scores=tuple(
            min(max(asked + MOOD_SHARE * (own - LOWEST), LOWEST), HIGHEST)
            for asked, own in zip(query.emotion.scores, query.mood.scores, strict=True)
        )
    )
