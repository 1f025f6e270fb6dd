"""Scores feelings on this machine: a small head on the sentence vector that retrieval needs too.

A head belongs to one encoder. With any other encoder the bundled one runs beside it, for
emotions alone.
"""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from adapters.embedder import LocalEmbedder, load_embedder
from adapters.embedder.encoders import BUNDLED
from adapters.emotion.heads import Linear, load, shares
from adapters.emotion.recent import Recent
from adapters.emotion.tuned import Corrections, tuned
from adapters.emotion.words import only_acknowledges, spelled
from bot.emotion import NEUTRAL, Emotion
from bot.errors import EmbeddingError, SettingsError
from bot.feeling import felt
from bot.ports import Embedder

log = logging.getLogger(__name__)

WEIGHTS: Final = Path(__file__).resolve().parent / "weights"
VERSION: Final = 2  # of the shipped weights: raise it with every training

ENGLISH: Final = "all-MiniLM-L6-v2"
MULTILINGUAL: Final = "multilingual-e5-small-q4"
HEADS: Final = (ENGLISH, MULTILINGUAL)
"""The encoders that heads are trained for, by their `Embedder.name`; one without a weights
file is treated like any other encoder."""

THRESHOLD: Final = 0.1
"""Where fewer than one in ten people would name any feeling, a text is neutral. Of XED's lines,
which all have a label, that silences 12 %; at 0.15 it would be 20 %, at 0.25 31 %."""


class LocalScorer:
    """An EmotionScorer of linear heads on one encoder, and its tuned copy if there is one.

    `own` are encoders that nobody else uses, ended by `close`. `unscored` counts the texts that
    had to be given NEUTRAL because an encoder failed.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        kinds: Linear,
        axes: Linear,
        tuned: Embedder | None = None,
        own: Sequence[LocalEmbedder] = (),
        threshold: float = THRESHOLD,
    ) -> None:
        self.name = f"local-{VERSION}:{embedder.name}"
        self.unscored = 0
        self._embedder, self._tuned = embedder, tuned
        self._kinds, self._axes = kinds, axes
        self._threshold = threshold
        self._own = own
        self._recent = Recent()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the encoders that were loaded for emotions alone."""
        for encoder in self._own:
            await encoder.close()

    async def score(self, texts: Sequence[str]) -> list[Emotion]:
        """One emotion per text, in order; blank texts and a bare yes, no or ok are NEUTRAL.

        Equal texts are looked at once, and recent ones not again. If the encoder fails the
        others are NEUTRAL, with a warning: no turn is lost over a feeling.
        """
        said = dict.fromkeys(text for text in texts if _says_something(text))
        found = {text: known for text in said if (known := self._recent.get(text))}
        missing = [text for text in said if text not in found]
        try:
            scored = await self._score(missing) if missing else []
        except EmbeddingError as error:
            self.unscored += len(missing)
            log.warning(
                "%d texts were taken for neutral, %d since the start: %s",
                len(missing),
                self.unscored,
                error,
            )
            scored = []
        for text, emotion in zip(missing, scored, strict=False):  # none at all after an error
            found[text] = emotion
            self._recent.keep(text, emotion)
        return [found.get(text, NEUTRAL) for text in texts]

    async def outputs(
        self, texts: Sequence[str]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the heads say before anything is cut off: shares (n, 8) and axes (n, 2).

        For measuring. Raises EmbeddingError.
        """
        vectors = [await self._embedder.embed(texts, kind="passage")]
        if self._tuned:
            vectors.append(await self._tuned.embed([spelled(t) for t in texts], kind="passage"))
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


def _says_something(text: str) -> bool:
    return bool(text.strip()) and not only_acknowledges(text)


def load_scorer(embedder: Embedder, *, weights: Path = WEIGHTS) -> LocalScorer:
    """The scorer for an encoder, with those encoders of its own that it needs beside it.

    They load in the background; close the scorer to end them. Raises SettingsError if the
    shipped weights are missing or damaged.
    """
    ships = embedder.name in HEADS and (weights / f"{embedder.name}.npz").exists()
    name = embedder.name if ships else ENGLISH
    try:
        kinds, axes = load(weights / f"{name}.npz", "kinds"), load(axes_file(name, weights), "axes")
        corrected = tuned(corrections(weights)) if name == ENGLISH else None
    except (OSError, KeyError, ValueError) as error:
        raise SettingsError(
            f"The emotion weights in {weights} cannot be read ({error}): get them again with git."
        ) from error
    beside = load_embedder(BUNDLED) if name != embedder.name else None
    second = LocalEmbedder(corrected) if corrected else None
    return LocalScorer(
        beside or embedder,
        kinds=kinds,
        axes=axes,
        tuned=second,
        own=[encoder for encoder in (beside, second) if encoder],
    )


def axes_file(name: str, weights: Path = WEIGHTS) -> Path:
    """Where the valence and arousal of an encoder's head lie: under a licence of their own."""
    return weights / "cc-by-sa" / f"{name}.npz"


def corrections(weights: Path = WEIGHTS) -> Corrections:
    """The low-rank corrections that ship for the bundled encoder."""
    with np.load(weights / f"{ENGLISH}.npz", allow_pickle=False) as file:
        names = [key.removeprefix("out/") for key in file.files if key.startswith("out/")]
        return {
            name: (file[f"out/{name}"].astype(np.float32), file[f"into/{name}"].astype(np.float32))
            for name in names
        }
