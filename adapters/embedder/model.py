"""The Embedder that runs here: loads in the background, encodes in one worker thread."""

import asyncio
import logging
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from adapters.embedder.encoders import BUNDLED, Choice, Encoder, Kind, choose
from adapters.embedder.queue import Call, Key, Queue, Text
from adapters.local_models import give_back_memory
from bot.errors import EmbeddingError

log = logging.getLogger(__name__)

TIDY_BATCHES = 16
"""After so many batches, memory that they left is given back."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def load_embedder(model: str = BUNDLED) -> "LocalEmbedder":
    """The encoder that EMBEDDING_MODEL names, loading in the background from now on.

    "bundled", "multilingual", or an id or folder of sentence-transformers. Returns at once;
    what is wrong with it is raised by `ready` and `embed`.
    """
    return LocalEmbedder(choose(model))


class LocalEmbedder:
    """Implements `Embedder`, on one event loop at a time.

    `dimension` is 0 until the encoder is `ready`, unless it is known before: it is for the
    bundled and for the multilingual one.
    """

    def __init__(self, choice: Choice) -> None:
        self.name = choice.name
        self.dimension = choice.dimension
        self._choice = choice
        self._queue = Queue()
        self._at_work: asyncio.Task[None] | None = None
        self._closed = False
        self._encoded = 0
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="encoder")
        self._loading = self._worker.submit(self._load)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def ready(self) -> None:
        """Returns when the encoder is loaded. Raises EmbeddingError if it cannot be."""
        await self._encoder()

    async def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """Unit-length rows, shape (len(texts), dimension). Raises EmbeddingError.

        Any string has a vector: of a long one what the encoder reads, and control characters
        and lone surrogates count as nothing. A few texts go before many.
        """
        encoder = await self._encoder()
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        keys = [_key(text, kind, encoder) for text in texts]
        call = Call()
        found = self._queue.ask(keys, call)
        if call.missing:
            self._wake(encoder)
            await call.done
        return np.stack([_vector(text) for text in found])

    async def close(self) -> None:
        """Ends the worker; whoever still waits is cancelled."""
        self._closed = True
        if self._at_work and not self._at_work.done():
            self._at_work.cancel()
            await asyncio.wait([self._at_work])
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _encoder(self) -> Encoder:
        if self._closed:
            raise EmbeddingError("The encoder is closed: open it again before embedding.")
        return await asyncio.shield(asyncio.wrap_future(self._loading))

    def _wake(self, encoder: Encoder) -> None:
        if self._at_work is None or self._at_work.done():
            self._at_work = asyncio.create_task(self._work(encoder), name="embedding")

    async def _work(self, encoder: Encoder) -> None:
        """Encodes batch after batch until nobody waits."""
        loop = asyncio.get_running_loop()
        try:
            while batch := self._queue.take():
                try:
                    rows = await loop.run_in_executor(self._worker, self._encode, encoder, batch)
                except EmbeddingError as error:
                    self._queue.fail(batch, error)
                else:
                    self._queue.deliver(batch, rows)
        except asyncio.CancelledError:
            self._queue.clear()
            raise

    # -- in the worker thread ------------------------------------------------------------
    def _load(self) -> Encoder:
        try:
            encoder = self._choice.load()
        except Exception as error:  # the libraries raise anything
            log.debug("loading the encoder %s failed", self.name, exc_info=True)
            raise EmbeddingError(
                f"The encoder {self.name} could not be loaded ({error}): {self._choice.remedy}."
            ) from error
        self.dimension = encoder.dimension
        return encoder

    def _encode(self, encoder: Encoder, batch: Sequence[Text]) -> NDArray[np.float32]:
        kind = batch[0].key[0]
        try:
            rows = encoder.encode([text.key[1] for text in batch], kind)
            self._encoded += 1
            if self._encoded % TIDY_BATCHES == 0:
                give_back_memory()
        except Exception as error:  # the libraries raise anything
            log.debug("encoding failed", exc_info=True)
            raise EmbeddingError(
                f"The encoder {self.name} failed ({error}): {self._choice.remedy}."
            ) from error
        return _unit_rows(rows, (len(batch), self.dimension), self.name)


def _key(text: str, kind: Kind, encoder: Encoder) -> Key:
    """What the encoder will read of a text; equal keys have equal vectors."""
    head = _CONTROL.sub(" ", text[: encoder.reads * 4]).encode("utf-8", "replace").decode("utf-8")
    return (kind if encoder.tells_kinds else "passage"), " ".join(head.split())[: encoder.reads]


def _vector(text: Text) -> NDArray[np.float32]:
    if text.vector is None:
        raise EmbeddingError("The encoder gave no vector for a text: report this as a bug.")
    return text.vector


def _unit_rows(rows: NDArray[np.float32], shape: tuple[int, int], name: str) -> NDArray[np.float32]:
    if rows.shape != shape:
        raise EmbeddingError(
            f"The encoder {name} gave vectors of shape {rows.shape} instead of {shape}: "
            "set another EMBEDDING_MODEL."
        )
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise EmbeddingError(f"The encoder {name} gave no numbers: set another EMBEDDING_MODEL.")
    unit: NDArray[np.float32] = rows / norms
    return unit
