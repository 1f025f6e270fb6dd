"""What can be computed from feelings: how strong one is, and whether two point the same way.

Everything works on `score - 1`, so that a text without feeling is the zero vector. A zero
vector has no direction: whoever compares it with another gets None, never a similarity.
"""

import math
from collections.abc import Sequence
from operator import mul
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.emotion import DIMENSIONS, HIGHEST, LOWEST, NEUTRAL, Emotion

SPAN: Final = HIGHEST - LOWEST
_NOTHING: Final = NEUTRAL.scores

CIRCUMPLEX: Final = (
    (0.9, 0.4),  # joy
    (0.6, -0.3),  # acceptance
    (-0.7, 0.7),  # fear
    (0.1, 0.8),  # surprise
    (-0.8, -0.4),  # sadness
    (-0.7, 0.2),  # disgust
    (-0.7, 0.7),  # anger
    (0.3, 0.4),  # anticipation
)
"""Valence and arousal of each dimension at its strongest, read off the circumplex by eye."""

QUIET_SHARE: Final = 0.03
"""A dimension that fewer than 3 in 100 people would name is absent: its score is exactly 1."""

QUIET_AXIS: Final = 0.1
"""Valence and arousal nearer to 0 than this are 0 in a text without feeling."""


def vector(emotion: Emotion) -> NDArray[np.float64]:
    """The eight scores as 0 (absent) .. 1 (extreme), shape (8,)."""
    return (np.asarray(emotion.scores, dtype=np.float64) - LOWEST) / SPAN


def strength(emotion: Emotion) -> float:
    """How much feeling there is at all, 0 none .. 1 extreme: that of the strongest dimension."""
    return (max(emotion.scores) - LOWEST) / SPAN


def congruence(one: Emotion, other: Emotion) -> float | None:
    """Cosine of two feelings, 0 nothing in common .. 1 the same mixture, whatever their strength.

    None if either has no direction.
    """
    # plain numbers: for eight of them NumPy takes ten times as long, and recall asks hundreds of
    # times for each answer
    length = math.dist(one.scores, _NOTHING) * math.dist(other.scores, _NOTHING)
    if length <= 0:
        return None
    a = [score - LOWEST for score in one.scores]
    along: float = sum(map(mul, a, other.scores)) - LOWEST * sum(a)
    return min(max(along / length, 0.0), 1.0)


def leading(emotion: Emotion) -> str | None:
    """The dimension with the highest score, the first of equals; None for no feeling."""
    at = max(range(len(DIMENSIONS)), key=lambda i: emotion.scores[i])
    return DIMENSIONS[at] if emotion.scores[at] > LOWEST else None


def felt(shares: Sequence[float], *, valence: float, arousal: float, threshold: float) -> Emotion:
    """The emotion of a text of which `shares` of people would name each dimension (0 .. 1 each).

    A share p becomes the score 1 + 9 p. Where all shares together are below `threshold` the
    text counts as without feeling: all ones, and the axes only as far as they leave the quiet
    zone. Axes out of range are cut to -1 .. 1; what is not a number counts as 0.
    """
    clean = np.clip(np.nan_to_num(np.asarray(shares, dtype=np.float64), posinf=1.0), 0.0, 1.0)
    axes = np.clip(np.nan_to_num(np.asarray([valence, arousal], dtype=np.float64)), -1.0, 1.0)
    if float(clean.sum()) < threshold:
        return Emotion(scores=NEUTRAL.scores, valence=_outside(axes[0]), arousal=_outside(axes[1]))
    clean[clean < QUIET_SHARE] = 0.0
    return Emotion(
        scores=tuple(float(score) for score in LOWEST + SPAN * clean),
        valence=float(axes[0]),
        arousal=float(axes[1]),
    )


def _outside(axis: float) -> float:
    return float(axis) if abs(axis) >= QUIET_AXIS else 0.0


def axes_of(scores: Sequence[float]) -> tuple[float, float]:
    """Valence and arousal that go with eight scores (1..10), each -1..1; (0, 0) for all ones.

    The mean of where each feeling lies on Russell's circumplex (1980), weighted by how strong
    it is, times how strong the strongest is.
    """
    weights = np.asarray([score - LOWEST for score in scores], dtype=np.float64) / SPAN
    total = float(weights.sum())
    if total <= 0:
        return 0.0, 0.0
    valence, arousal = weights @ np.asarray(CIRCUMPLEX) / total * float(weights.max())
    return float(np.clip(valence, -1, 1)), float(np.clip(arousal, -1, 1))
