"""The small models that read a feeling from a sentence vector and the wording: NumPy alone.

A *linear* part maps [sentence vectors, hashed wording] to a few numbers. The `kinds` part gives
eighteen of them, which `shares` turns into the share of people who would name each dimension:

    0..8   how posts are labelled: the eight dimensions and "none" (from GoEmotions)
    9..16  how spoken lines are labelled: the eight, given that there is feeling (from XED)
    17     whether the text reads like speech rather than like a post

The two sources name feelings differently, so each keeps its own outputs, and the last one mixes
them. Only posts were labelled "none"; that output decides for both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adapters.emotion.words import BUCKETS, hashed
from bot.emotion import DIMENSIONS

Floats = NDArray[np.float32]

KINDS: Final = 2 * len(DIMENSIONS) + 2
_NONE: Final = len(DIMENSIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """`outputs = vectors @ dense + wording @ words + bias`, k numbers per text.

    `wording` is the row of hashed counts times `rarity`, scaled to unit length.
    """

    dense: Floats  # (d, k)
    words: Floats  # (BUCKETS, k)
    bias: Floats  # (k,)
    rarity: Floats  # (BUCKETS,)

    def outputs(self, vectors: Floats, texts: Sequence[str]) -> Floats:
        """Shape (len(texts), k). Raises ValueError if the vectors are not (len(texts), d)."""
        if vectors.shape != (len(texts), self.dense.shape[0]):
            raise ValueError(f"the head reads {self.dense.shape[0]} numbers, not {vectors.shape}")
        found: Floats = np.asarray(vectors @ self.dense + self.bias, dtype=np.float32)
        for at, text in enumerate(texts):
            buckets, counts = hashed(text)
            value = counts * self.rarity[buckets]
            length = float(np.linalg.norm(value))
            if length > 0:
                found[at] += (value / length) @ self.words[buckets]
        return found


def shares(kinds: Floats) -> Floats:
    """The share of people who would name each dimension, 0..1, shape (n, 8); rows sum to 1 at most.

    Takes the outputs of a `kinds` part, shape (n, 18).
    """
    posts = _softmax(kinds[:, : _NONE + 1])
    spoken = _softmax(kinds[:, _NONE + 1 : KINDS - 1])
    feeling = 1 - posts[:, _NONE:]
    written = posts[:, :_NONE] / np.maximum(feeling, 1e-6)
    speech = 1 / (1 + np.exp(-np.clip(kinds[:, KINDS - 1 :], -30, 30)))
    mixed = feeling * (speech * spoken + (1 - speech) * written)
    return np.asarray(mixed, dtype=np.float32)


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: Floats = powers / powers.sum(axis=1, keepdims=True)
    return result


def save(path: Path, parts: dict[str, Linear], **more: NDArray[np.generic]) -> None:
    """Writes linear parts and other arrays in one file, in a few bits where that costs nothing.

    Wording weights are kept as whole numbers -127..127 times a factor per output.
    """
    arrays: dict[str, NDArray[np.generic]] = dict(more)
    for name, part in parts.items():
        factor = np.maximum(np.abs(part.words).max(axis=0), 1e-12) / 127
        arrays[f"{name}/words"] = np.rint(part.words / factor).astype(np.int8)
        arrays[f"{name}/factor"] = factor.astype(np.float32)
        arrays[f"{name}/dense"] = part.dense.astype(np.float16)
        arrays[f"{name}/bias"] = part.bias.astype(np.float32)
        arrays[f"{name}/rarity"] = part.rarity.astype(np.float16)
    np.savez_compressed(path, allow_pickle=False, **arrays)


def load(path: Path, name: str) -> Linear:
    """One linear part of a file. Raises OSError, KeyError or ValueError if it is not there."""
    with np.load(path, allow_pickle=False) as file:
        words = file[f"{name}/words"].astype(np.float32) * file[f"{name}/factor"]
        part = Linear(
            dense=file[f"{name}/dense"].astype(np.float32),
            words=words,
            bias=file[f"{name}/bias"],
            rarity=file[f"{name}/rarity"].astype(np.float32),
        )
    if part.words.shape[0] != BUCKETS or part.words.shape[1] != part.dense.shape[1]:
        raise ValueError(f"{path.name} does not fit this version of Bower")
    return part
