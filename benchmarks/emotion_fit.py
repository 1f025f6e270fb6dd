"""Fits the linear parts of the emotion model: a softmax over nine classes and two ridge lines."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from adapters.emotion.words import BUCKETS, hashed

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The inputs of the linear parts: one row per text."""

    dense: Floats  # (n, d), sentence vectors
    words: sparse.csr_matrix  # (n, BUCKETS), weighted and of unit length

    def rows(self, index: NDArray[np.int64]) -> "Design":
        return Design(dense=self.dense[index], words=self.words[index])


@dataclass(frozen=True, slots=True, kw_only=True)
class Softmax:
    """Weights of a fitted softmax; logits are `dense @ dense_w + words @ words_w + bias`."""

    dense_w: Floats  # (d, k)
    words_w: Floats  # (BUCKETS, k)
    bias: Floats  # (k,)

    def logits(self, design: Design) -> Floats:
        words = cast("Floats", design.words @ self.words_w)
        return design.dense @ self.dense_w + words + self.bias


def counted(texts: list[str]) -> sparse.csr_matrix:
    """The hashed features of each text, unweighted: shape (n, BUCKETS)."""
    rows = [hashed(text) for text in texts]
    ends = np.cumsum([0] + [len(buckets) for buckets, _ in rows])
    indices = np.concatenate([buckets for buckets, _ in rows])
    values = np.concatenate([value for _, value in rows]).astype(np.float64)
    return sparse.csr_matrix((values, indices, ends), shape=(len(texts), BUCKETS))


def rarity(counts: sparse.csr_matrix) -> Floats:
    """Smoothed inverse document frequency per bucket, as in TF-IDF."""
    seen = np.asarray((counts > 0).sum(axis=0)).ravel()
    return cast("Floats", np.log((1 + counts.shape[0]) / (1 + seen)) + 1)


def weighted(counts: sparse.csr_matrix, idf: Floats) -> sparse.csr_matrix:
    """Counts times rarity, every row scaled to unit length."""
    scaled = sparse.csr_matrix(counts.multiply(idf[None, :]))
    length = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1 / np.maximum(length, 1e-9)) @ scaled)


def fit_softmax(
    design: Design,
    wanted: Floats,
    offsets: Floats,
    *,
    dense_decay: float,
    words_decay: float,
    weight: Floats | None = None,
    steps: int = 60,
) -> Softmax:
    """Cross-entropy against `wanted` (n, k), rows summing to one, by L-BFGS.

    `offsets` (n, k) are added to the logits while fitting and not afterwards: with the log of
    the classes' frequencies there, the fitted logits are those of balanced classes.
    `weight` (n,) counts a row more or less.
    """
    n, d = design.dense.shape
    k = wanted.shape[1]
    share = (np.ones(n) if weight is None else weight)[:, None] / n
    across = design.words.T.tocsr()
    ends = (d * k, (d + BUCKETS) * k)

    def loss(flat: Floats) -> tuple[float, Floats]:
        dense_w = flat[: ends[0]].reshape(d, k)
        words_w = flat[ends[0] : ends[1]].reshape(BUCKETS, k)
        z = design.dense @ dense_w + design.words @ words_w + flat[ends[1] :] + offsets
        z -= z.max(axis=1, keepdims=True)
        log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        error = share * (np.exp(log_p) - wanted)
        value = -float((share * wanted * log_p).sum())
        value += dense_decay / 2 * float((dense_w**2).sum())
        value += words_decay / 2 * float((words_w**2).sum())
        slope = np.concatenate(
            [
                (design.dense.T @ error + dense_decay * dense_w).ravel(),
                (across @ error + words_decay * words_w).ravel(),
                error.sum(axis=0),
            ]
        )
        return value, slope

    start = np.zeros(ends[1] + k)
    found = optimize.minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps, "maxcor": 6}
    ).x
    return Softmax(
        dense_w=found[: ends[0]].reshape(d, k),
        words_w=found[ends[0] : ends[1]].reshape(BUCKETS, k),
        bias=found[ends[1] :],
    )
