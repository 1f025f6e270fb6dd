"""The language model that needs no account: SmolLM2-135M-Instruct, or one named by LOCAL_MODEL."""

from adapters.bundled_model.model import BundledModel

__all__ = ["BundledModel"]
