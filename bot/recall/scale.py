"""What a cosine is worth: encoders bunch them differently, so each is measured against its own.

Standard scores over the few hundred nearest would depend on how large the memory is: the
nearest of many are all alike. So the mean and the spread of unrelated texts are kept for the
encoders that ship with Bower.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Mean and standard deviation of the cosines between a query and texts of no interest."""

    mean: float
    spread: float

    def of(self, cosine: float) -> float:
        """The cosine as a standard score: 0 unrelated, 3 and more about the same."""
        return (cosine - self.mean) / self.spread


SCALES: Final = {
    "all-MiniLM-L6-v2": Scale(mean=0.20, spread=0.13),
    "multilingual-e5-small-q4": Scale(mean=0.80, spread=0.025),
}
"""Measured between the questions and all turns of LoCoMo's given conversations (MiniLM: .23
and .14, on MADial-Bench .23 and .10), and between Chinese dialogues and memories."""


def scale_for(encoder: str, nearest: Sequence[float]) -> Scale:
    """The known scale of an encoder, or for another one that of the cosines at hand."""
    known = SCALES.get(encoder)
    if known is not None or not nearest:
        return known or Scale(mean=0.0, spread=1.0)
    spread = float(np.std(nearest))
    return Scale(mean=float(np.mean(nearest)), spread=spread if spread > 0 else 1.0)
