"""What a benchmark gives back: rows with intervals, and how they were made."""

import importlib.metadata
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

RESAMPLES = 1000
PACKAGES = ("numpy", "sentence-transformers", "sqlite-vec", "torch", "openai")

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many are done and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to run: where the data is, how much of it, and the seed of all chance.

    `cache` is a folder for embeddings; results do not depend on it.
    """

    data: Path | None
    cache: Path
    limit: int | None = None
    seed: int = 0
    cv: bool = False
    say: Callable[[str], None]
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a result: a strategy or baseline on a subset.

    `interval` holds, for metrics that have one, the 95 % bootstrap interval.
    """

    name: str
    subset: str
    metrics: Mapping[str, float]
    interval: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A whole run of one benchmark, enough to repeat it."""

    bench: str
    n: int
    seed: int
    settings: Mapping[str, object]
    rows: Sequence[Row]

    def as_json(self) -> dict[str, object]:
        """The record as plain JSON values, figures to six decimals."""
        return {
            "bench": self.bench,
            "n": self.n,
            "seed": self.seed,
            "versions": versions(),
            "settings": dict(self.settings),
            "rows": [
                {
                    "name": row.name,
                    "subset": row.subset,
                    "metrics": {name: round(value, 6) for name, value in row.metrics.items()},
                    "interval": {
                        name: [round(low, 6), round(high, 6)]
                        for name, (low, high) in row.interval.items()
                    },
                }
                for row in self.rows
            ],
        }


def versions() -> dict[str, str]:
    """Versions of what the figures depend on."""
    found = {"python": platform.python_version(), "bower": "0.1.0"}
    for package in PACKAGES:
        found[package] = importlib.metadata.version(package)
    return found


def bootstrap(values: Sequence[float], seed: int) -> tuple[float, float]:
    """The 95 % percentile interval of the mean, by resampling with replacement."""
    if not values:
        return (float("nan"), float("nan"))
    array = np.asarray(values, dtype=np.float64)
    draws = np.random.default_rng(seed).integers(0, len(array), (RESAMPLES, len(array)))
    low, high = np.percentile(array[draws].mean(axis=1), [2.5, 97.5])
    return (float(low), float(high))


def mean_row(name: str, subset: str, samples: Mapping[str, Sequence[float]], *, seed: int) -> Row:
    """A row of means over samples (one value per question or text), with intervals."""
    return Row(
        name=name,
        subset=subset,
        metrics={metric: float(np.mean(values)) for metric, values in samples.items() if values},
        interval={metric: bootstrap(values, seed) for metric, values in samples.items() if values},
    )
