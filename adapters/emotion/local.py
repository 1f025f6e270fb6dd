"""Scores feelings on this machine: a small head on the sentence vector that retrieval needs too.

A head belongs to one encoder. With any other encoder the bundled one runs beside it, for
emotions alone.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adapters.emotion.heads import Linear, load, shares
from adapters.emotion.tuned import Corrections, TunedEncoder
from bot.emotion import NEUTRAL, Emotion
from bot.errors import EmbeddingError, SettingsError
from bot.feeling import felt
from bot.ports import Embedder

log = logging.getLogger(__name__)

WEIGHTS: Final = Path(__file__).resolve().parent / "weights"
VERSION: Final = 1  # of the shipped weights: raise it with every training

ENGLISH: Final = "all-MiniLM-L6-v2"
MULTILINGUAL: Final = "multilingual-e5-small"
HEADS: Final = (ENGLISH, MULTILINGUAL)
"""The encoders that heads ship for, by their `Embedder.name`."""

THRESHOLD: Final = 0.25
"""Where fewer than a quarter of people would name any feeling, a text is neutral."""


class LocalScorer:
    """An EmotionScorer of linear heads on one encoder, and its tuned copy if there is one.

    `unscored` counts the texts that had to be given NEUTRAL because an encoder failed.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        kinds: Linear,
        axes: Linear,
        tuned: Embedder | None = None,
        threshold: float = THRESHOLD,
    ) -> None:
        self.name = f"local-{VERSION}:{embedder.name}"
        self.unscored = 0
        self._encoders = [embedder] if tuned is None else [embedder, tuned]
        self._kinds, self._axes = kinds, axes
        self._threshold = threshold

    async def score(self, texts: Sequence[str]) -> list[Emotion]:
        """One emotion per text, in order; blank texts are NEUTRAL.

        If the encoder fails all are NEUTRAL, with a warning: no turn is lost over a feeling.
        """
        said = [text for text in texts if text.strip()]
        try:
            found = iter(await self._score(said) if said else [])
        except EmbeddingError as error:
            self.unscored += len(said)
            log.warning(
                "%d texts were taken for neutral, %d since the start: %s",
                len(said),
                self.unscored,
                error,
            )
            return [NEUTRAL] * len(texts)
        return [next(found) if text.strip() else NEUTRAL for text in texts]

    async def outputs(
        self, texts: Sequence[str]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the heads say before anything is cut off: shares (n, 8) and axes (n, 2).

        For measuring. Raises EmbeddingError.
        """
        vectors = [await encoder.embed(texts, kind="passage") for encoder in self._encoders]
        return await asyncio.to_thread(self._outputs, np.concatenate(vectors, axis=1), texts)

    def _outputs(
        self, vectors: NDArray[np.float32], texts: Sequence[str]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return shares(self._kinds.outputs(vectors, texts)), self._axes.outputs(vectors, texts)

    async def _score(self, texts: Sequence[str]) -> list[Emotion]:
        kinds, axes = await self.outputs(texts)
        return [
            felt(row.tolist(), valence=float(v), arousal=float(a), threshold=self._threshold)
            for row, (v, a) in zip(kinds, axes, strict=True)
        ]


def local_scorer(embedder: Embedder, bundled: Callable[[], Embedder]) -> LocalScorer:
    """The scorer for an encoder. `bundled` makes the bundled one where no head fits `embedder`.

    Raises SettingsError if the shipped weights are missing or damaged.
    """
    encoder = embedder if embedder.name in HEADS else bundled()
    try:
        return LocalScorer(
            encoder,
            kinds=load(WEIGHTS / f"{encoder.name}.npz", "kinds"),
            axes=load(WEIGHTS / f"{encoder.name}.axes.npz", "axes"),
            tuned=TunedEncoder(corrections()) if encoder.name == ENGLISH else None,
        )
    except (OSError, KeyError, ValueError) as error:
        raise SettingsError(
            f"The emotion weights in {WEIGHTS} cannot be read ({error}): get them again with git."
        ) from error


def corrections(path: Path = WEIGHTS / f"{ENGLISH}.npz") -> Corrections:
    """The low-rank corrections that ship for the bundled encoder."""
    with np.load(path, allow_pickle=False) as file:
        names = [key.removeprefix("out/") for key in file.files if key.startswith("out/")]
        return {
            name: (file[f"out/{name}"].astype(np.float32), file[f"into/{name}"].astype(np.float32))
            for name in names
        }
