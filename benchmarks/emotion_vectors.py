"""Sentence vectors of many texts, kept on disk because encoders take minutes over a data set."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adapters.embedder.encoders import BUNDLED, MULTILINGUAL, Encoder, choose
from adapters.emotion.local import ENGLISH
from adapters.emotion.local import MULTILINGUAL as MULTILINGUAL_NAME
from adapters.emotion.tuned import Corrections, TunedEncoder
from adapters.emotion.words import spelled

BATCH: Final = 64

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]
"""One unit-length row per text, in order."""


def encoder_vectors(name: str, cache: Path | None) -> Vectors:
    """The vectors of an encoder that heads ship for, as the Embedder would give them."""
    model = {ENGLISH: BUNDLED, MULTILINGUAL_NAME: MULTILINGUAL}[name]
    return _kept(lambda: choose(model).load(), name, cache)


def tuned_vectors(corrections: Corrections, cache: Path | None) -> Vectors:
    """The vectors of the bundled encoder with corrections."""
    digest = hashlib.blake2b(digest_size=6)
    for name in sorted(corrections):
        digest.update(corrections[name][0].tobytes() + corrections[name][1].tobytes())
    vectors = _kept(lambda: TunedEncoder(corrections), f"tuned-{digest.hexdigest()}", cache)
    return lambda texts: vectors([spelled(text) for text in texts])


def _kept(load: Callable[[], Encoder], name: str, cache: Path | None) -> Vectors:
    """Encodes with an encoder that is loaded when the first unknown set of texts comes."""
    encoders: list[Encoder] = []

    def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
        digest = hashlib.blake2b("\0".join(texts).encode(), digest_size=8).hexdigest()
        file = cache / f"{name}-{digest}.npy" if cache else None
        if file and file.is_file():
            kept: NDArray[np.float32] = np.load(file)
            return kept
        if not encoders:
            encoders.append(load())
        rows = encoded(encoders[0], texts)
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
            np.save(file, rows)
        return rows

    return vectors


def encoded(encoder: Encoder, texts: Sequence[str]) -> NDArray[np.float32]:
    """All texts in batches of similar length."""
    plain = [" ".join(text.split())[: encoder.reads] or " " for text in texts]
    order = sorted(range(len(plain)), key=lambda at: len(plain[at]))
    rows = np.zeros((len(plain), encoder.dimension), dtype=np.float32)
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        rows[batch] = encoder.encode([plain[at] for at in batch], "passage")
    return rows
