"""BM25 over a handful of texts, as the baseline: Robertson's formula, k1 = 1.5, b = 0.75."""

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

K1 = 1.5
B = 0.75


def words(text: str) -> list[str]:
    """Lower-case words; every Chinese, Japanese or Korean character is one."""
    return re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+", text.casefold())


class Bm25:
    """Scores texts for a query; higher is better, 0 where no word is shared."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts = [Counter(words(text)) for text in texts]
        lengths = np.array([sum(c.values()) for c in self._counts], dtype=np.float64)
        self._norm = K1 * (1 - B + B * lengths / max(lengths.mean(), 1.0))
        found = Counter(word for count in self._counts for word in count)
        self._idf = {
            word: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for word, n in found.items()
        }

    def scores(self, query: str) -> NDArray[np.float64]:
        total = np.zeros(len(self._counts))
        for word in words(query):
            if (idf := self._idf.get(word)) is None:
                continue
            tf = np.array([count[word] for count in self._counts], dtype=np.float64)
            total += idf * tf * (K1 + 1) / (tf + self._norm)
        return total


def z(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores as distances from their mean in standard deviations."""
    spread = scores.std()
    return (scores - scores.mean()) / spread if spread else np.zeros_like(scores)
