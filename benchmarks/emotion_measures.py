"""How well feelings are told: F1, Jaccard, calibration, correlation, with bootstrap intervals."""

from collections.abc import Callable, Mapping
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.record import RESAMPLES, Row

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

BINS: Final = 10


def row(
    name: str,
    subset: str,
    measured: Mapping[str, "Measure"],
    count: int,
    *,
    seed: int,
    **more: float,
) -> Row:
    """Each measure on all lines and on resampled ones; `more` is added without an interval."""
    weights = resampled(count, seed)
    metrics: dict[str, float] = {"n": float(count)}
    interval: dict[str, tuple[float, float]] = {}
    for metric, measure in measured.items():
        metrics[metric] = float(measure(np.ones((1, count)))[0])
        low, high = np.percentile(measure(weights), [2.5, 97.5])
        interval[metric] = (float(low), float(high))
    return Row(name=name, subset=subset, metrics=metrics | more, interval=interval)


Measure = Callable[[Floats], Floats]
"""Takes how often each line counts, shape (b, n), and gives b values."""


def resampled(count: int, seed: int) -> Floats:
    """How often each of `count` lines is drawn, for RESAMPLES draws with replacement."""
    generator = np.random.default_rng(seed)
    chance = np.full(count, 1 / max(count, 1))
    return generator.multinomial(count, chance, size=RESAMPLES).astype(np.float64)


def macro_f1(said: Flags, true: Flags) -> Measure:
    """The mean F1 of the columns; a column that is never said nor true counts 0."""

    def measure(weights: Floats) -> Floats:
        hit, missed, wrong = _counts(said, true, weights)
        return cast("Floats", (2 * hit / np.maximum(2 * hit + missed + wrong, 1)).mean(axis=1))

    return measure


def micro_f1(said: Flags, true: Flags) -> Measure:
    """F1 over all cells; with one column per line said and true it is the accuracy."""

    def measure(weights: Floats) -> Floats:
        hit, missed, wrong = (part.sum(axis=1) for part in _counts(said, true, weights))
        return cast("Floats", 2 * hit / np.maximum(2 * hit + missed + wrong, 1))

    return measure


def jaccard(said: Flags, true: Flags) -> Measure:
    """The mean over lines of what is both said and true among what is either; 1 if nothing is."""
    either = (said | true).sum(axis=1)
    share = np.where(either > 0, (said & true).sum(axis=1) / np.maximum(either, 1), 1.0)
    return lambda weights: cast("Floats", weights @ share / weights.sum(axis=1))


def correlation(said: Floats, true: Floats) -> Measure:
    """Pearson's r."""

    def measure(weights: Floats) -> Floats:
        total = weights.sum(axis=1)
        mean_s, mean_t = weights @ said / total, weights @ true / total
        both = weights @ (said * true) / total - mean_s * mean_t
        spread = (weights @ said**2 / total - mean_s**2) * (weights @ true**2 / total - mean_t**2)
        return cast("Floats", both / np.sqrt(np.maximum(spread, 1e-12)))

    return measure


def calibration_error(shares: Floats, true: Flags) -> float:
    """Expected calibration error over all cells in bins of equal width, 0 best .. 1."""
    flat, named = shares.ravel(), true.ravel()
    bins = np.minimum((flat * BINS).astype(int), BINS - 1)
    error = 0.0
    for number in range(BINS):
        inside = bins == number
        if inside.any():
            error += inside.mean() * abs(float(flat[inside].mean()) - float(named[inside].mean()))
    return float(error)


def _counts(said: Flags, true: Flags, weights: Floats) -> tuple[Floats, Floats, Floats]:
    hit = weights @ (said & true).astype(np.float64)
    missed = weights @ (~said & true).astype(np.float64)
    wrong = weights @ (said & ~true).astype(np.float64)
    return hit, missed, wrong


def one_hot(columns: NDArray[np.int64], width: int) -> Flags:
    """True in each row's column."""
    return cast("Flags", np.eye(width, dtype=bool)[columns])
