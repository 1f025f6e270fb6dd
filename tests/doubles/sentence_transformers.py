"""What the embedder uses of sentence-transformers, by the words of a text instead of a model."""

import re
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DIMENSION = 384


class SentenceTransformer:
    """Texts that share words are near each other."""

    max_seq_length = 256

    def __init__(self, source: str, **_how: object) -> None:
        del source
        self.prompts: dict[str, str] = {}

    def get_embedding_dimension(self) -> int:
        return DIMENSION

    def encode_query(self, texts: Sequence[str], **_how: object) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0] = 0.1
            for word in re.findall(r"\w+", text.lower()):
                row[zlib.crc32(word.encode()) % DIMENSION] += 1
        lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / lengths

    encode_document = encode_query
