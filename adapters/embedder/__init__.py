"""Sentence encoders: the bundled one, the multilingual extra, or any of sentence-transformers."""

from adapters.embedder.model import LocalEmbedder, load_embedder

__all__ = ["LocalEmbedder", "load_embedder"]
