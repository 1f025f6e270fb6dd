"""How good a ranking is, and the means of many of them."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from benchmarks.record import Row, mean_row

T = TypeVar("T")


def recall_at(k: int, ranked: Sequence[Hashable], gold: Set[Hashable]) -> float:
    """The share of the gold among the first k, 0..1. Gold must not be empty."""
    return len(gold & set(ranked[:k])) / len(gold)


def hit_at(k: int, ranked: Sequence[Hashable], gold: Set[Hashable]) -> float:
    """1 if any gold is among the first k, else 0."""
    return float(bool(gold & set(ranked[:k])))


def ndcg_at(k: int, ranked: Sequence[Hashable], gold: Set[Hashable]) -> float:
    """Normalised discounted cumulative gain, 0..1: a gold at rank n gains 1 / log2(n + 1), and
    the sum is divided by that of the best ranking (Järvelin and Kekäläinen 2002)."""
    gained = sum(_gain(n) for n, one in enumerate(ranked[:k], start=1) if one in gold)
    return gained / sum(_gain(n) for n in range(1, min(k, len(gold)) + 1))


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def reciprocal_rank(ranked: Sequence[Hashable], gold: Set[Hashable]) -> float:
    """1 / rank of the first gold; 0 where there is none."""
    return next((1 / n for n, one in enumerate(ranked, start=1) if one in gold), 0.0)


@dataclass(slots=True)
class Samples:
    """One value for each question, by row, subset and metric."""

    values: dict[tuple[str, str], dict[str, list[float]]] = field(default_factory=dict)

    def add(self, row: str, subsets: Iterable[str], metrics: Mapping[str, float]) -> None:
        for subset in subsets:
            kept = self.values.setdefault((row, subset), {})
            for metric, value in metrics.items():
                kept.setdefault(metric, []).append(value)

    def rows(self, seed: int) -> list[Row]:
        """The means with their intervals, in the order in which rows were first added."""
        return [
            mean_row(row, subset, metrics, seed=seed)
            for (row, subset), metrics in self.values.items()
        ]


def some(items: Sequence[T], most: int | None, seed: int) -> list[T]:
    """At most so many of the items, drawn by the seed, in their order; all without a limit."""
    if most is None or most >= len(items):
        return list(items)
    drawn = np.random.default_rng(seed).choice(len(items), size=most, replace=False)
    return [items[i] for i in sorted(drawn)]
