"""What a text feels like: eight scores, and two axes beside them."""

from dataclasses import dataclass
from math import isnan
from typing import Final

DIMENSIONS: Final = (
    "joy",
    "acceptance",
    "fear",
    "surprise",
    "sadness",
    "disgust",
    "anger",
    "anticipation",
)
"""Plutchik's eight in the order of Emotional RAG, figure 2."""

LOWEST, HIGHEST = 1.0, 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Emotion:
    """How a text feels, as Emotional RAG scores it.

    `scores` holds the eight `DIMENSIONS` in order, each 1.0 (absent) .. 10.0 (extreme).
    `valence` is -1 unpleasant .. +1 pleasant, `arousal` -1 calm .. +1 excited.
    Raises ValueError for another number of scores or a value out of range.
    """

    scores: tuple[float, ...]
    valence: float = 0.0
    arousal: float = 0.0

    def __post_init__(self) -> None:
        if len(self.scores) != len(DIMENSIONS):
            raise ValueError(f"an emotion has {len(DIMENSIONS)} scores, not {len(self.scores)}")
        inside = min(self.scores) >= LOWEST and max(self.scores) <= HIGHEST
        if not inside or isnan(sum(self.scores)):
            raise ValueError(f"emotion scores lie in {LOWEST:g}..{HIGHEST:g}: {self.scores}")
        if not (-1 <= self.valence <= 1 and -1 <= self.arousal <= 1):
            raise ValueError("valence and arousal lie in -1..1")

    def named(self) -> dict[str, float]:
        """The eight scores by name, in order."""
        return dict(zip(DIMENSIONS, self.scores, strict=True))


NEUTRAL: Final = Emotion(scores=(LOWEST,) * len(DIMENSIONS))
"""A text without feeling: all ones, which is the zero vector after `score - 1`."""
