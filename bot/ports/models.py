"""The border to language models, encoders and emotion scorers."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bot.emotion import Emotion
from bot.memory import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a streamed answer; the last one carries the usage if it is known."""

    text: str
    usage: Usage | None = None


class ChatModel(Protocol):
    """A language model. `context_tokens` is what prompt and answer may fill together."""

    name: str
    context_tokens: int

    def stream(
        self, lines: Sequence[Line], *, max_tokens: int, purpose: str
    ) -> AsyncGenerator[Piece, None]:
        """The answer, as it grows. Raises ModelDown or ModelRefused, also half-way.

        Close it (`aclosing`) where it may not be read to its end: that ends the request.
        """
        ...

    async def structured(
        self, lines: Sequence[Line], schema: Mapping[str, object], *, max_tokens: int, purpose: str
    ) -> tuple[object, Usage | None]:
        """One JSON value that should fit the JSON schema; the caller validates it.

        Raises ModelError where no JSON could be read from the answer.
        """
        ...


class Embedder(Protocol):
    """A sentence encoder. `name` tags stored vectors; another name means re-embedding."""

    name: str
    dimension: int

    async def embed(
        self, texts: Sequence[str], *, kind: Literal["query", "passage"]
    ) -> NDArray[np.float32]:
        """Unit-length rows, shape (len(texts), dimension). Raises EmbeddingError.

        Never blocks the event loop; calls made at once share batches.
        """
        ...


class EmotionScorer(Protocol):
    """Scores how texts feel. `name` tags stored scores."""

    name: str

    async def score(self, texts: Sequence[str]) -> list[Emotion]:
        """One emotion per text, in order. A text that cannot be scored is NEUTRAL."""
        ...


@runtime_checkable
class PaidScorer(EmotionScorer, Protocol):
    """An EmotionScorer whose calls cost tokens."""

    def paid_by(self, place: int, *, afford: bool) -> EmotionScorer:
        """The same, with its calls in the account book of a place. Where the place cannot
        afford it now, one that costs nothing."""
        ...


Progress = Callable[[int, int], None]
"""Called with how many are done and how many there are."""
