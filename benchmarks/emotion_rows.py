"""Rows of the emotion bench: what was said of the lines of a set, against what people say."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from benchmarks.emotion_data import Labelled, Rated, targets
from benchmarks.emotion_measures import (
    Flags,
    Floats,
    calibration_error,
    correlation,
    jaccard,
    macro_f1,
    micro_f1,
    one_hot,
    row,
)
from benchmarks.record import Row
from bot.emotion import DIMENSIONS

WIDTH: Final = len(DIMENSIONS)

NAMED: Final = 0.25
"""From this share on a dimension counts as named, where a line may have several."""


def one_label_row(
    name: str, subset: str, lines: Sequence[Labelled], shares: Floats, *, seed: int, **more: float
) -> Row:
    """Over the lines with exactly one label: is the highest of the eight the right one?

    A line for which nothing is higher than the rest is wrong. `shares` (n, 8) are for all
    lines; `more` is added to the metrics.
    """
    one = np.array([len(line.named) == 1 for line in lines], dtype=bool)
    true = one_hot(np.array([named[0] for named in targets(lines) if len(named) == 1]), WIDTH)
    said = one_hot(shares[one].argmax(axis=1), WIDTH)
    said &= (np.ptp(shares[one], axis=1) > 0)[:, None]
    measures = {"macro-F1": macro_f1(said, true), "micro-F1": micro_f1(said, true)}
    return row(name, subset, measures, int(one.sum()), seed=seed, **more)


def labels_row(
    name: str,
    subset: str,
    lines: Sequence[Labelled],
    shares: Floats,
    *,
    named: float = NAMED,
    seed: int,
    **more: float,
) -> Row:
    """Over all lines: which of the eight are named, by shares from `named` on, and are the
    shares those of the lines (ECE, expected calibration error, 0 best)?"""
    true = flags(lines)
    said = shares >= named
    measures = {
        "macro-F1": macro_f1(said, true),
        "micro-F1": micro_f1(said, true),
        "Jaccard": jaccard(said, true),
    }
    error = calibration_error(shares, true)
    return row(name, subset, measures, len(lines), seed=seed, ECE=error, **more)


def axes_row(
    name: str, subset: str, lines: Sequence[Rated], said: Floats, *, seed: int, **more: float
) -> Row:
    """Pearson's r of valence and, where it was rated, arousal; `said` has shape (n, 2)."""
    valence = np.array([line.valence for line in lines])
    measures = {"valence r": correlation(said[:, 0], valence)}
    if all(line.arousal is not None for line in lines):
        arousal = np.array([line.arousal for line in lines], dtype=np.float64)
        measures["arousal r"] = correlation(said[:, 1], arousal)
    return row(name, subset, measures, len(lines), seed=seed, **more)


def flags(lines: Sequence[Labelled]) -> Flags:
    """Which of the eight each line names, shape (n, 8)."""
    found = np.zeros((len(lines), WIDTH), dtype=bool)
    for flag, named in zip(found, targets(lines), strict=True):
        flag[list(named)] = True
    return found
