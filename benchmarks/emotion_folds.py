"""Scores lines with heads that never saw them: trained on four fifths, asked about the rest."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.emotion_data import Labelled, Rated, folds
from benchmarks.emotion_recipe import fit_axes, fit_speech

Floats = NDArray[np.float64]
Index = NDArray[np.int64]

FOLDS: Final = 5


def by_folds(
    texts: Sequence[str], answer: Callable[[Index, Index], Floats], *, width: int, seed: int
) -> Floats:
    """What `answer(train, test)` says of each line when the line is in the test fold.

    Both are row numbers. Lines that differ in case, space or marks alone share a fold.
    """
    fold = np.asarray(folds(texts, FOLDS, seed))
    found = np.zeros((len(texts), width))
    for number in range(FOLDS):
        test = np.flatnonzero(fold == number)
        if len(test):
            found[test] = answer(np.flatnonzero(fold != number), test)
    return found


def speech_by_folds(lines: Sequence[Labelled], vectors: Floats, *, seed: int) -> Floats:
    """The eight logits of the `speech` outputs, shape (n, 8)."""
    texts = [line.text for line in lines]

    def answer(train: Index, test: Index) -> Floats:
        head = fit_speech([lines[at] for at in train], vectors[train])
        rows = vectors[test].astype(np.float32)
        return head.outputs(rows, [texts[at] for at in test]).astype(np.float64)

    return by_folds(texts, answer, width=8, seed=seed)


def axes_by_folds(lines: Sequence[Rated], vectors: Floats, *, seed: int) -> Floats:
    """Valence and arousal, shape (n, 2)."""
    texts = [line.text for line in lines]

    def answer(train: Index, test: Index) -> Floats:
        head = fit_axes([lines[at] for at in train], vectors[train])
        rows = vectors[test].astype(np.float32)
        return head.outputs(rows, [texts[at] for at in test]).astype(np.float64)

    return by_folds(texts, answer, width=2, seed=seed)
