"""Language models: any OpenAI-compatible endpoint, and several of them as one."""

from adapters.llm.fallback import FallbackModel
from adapters.llm.model import OpenAIModel, Patience
from adapters.llm.wire import Timeouts

__all__ = ["FallbackModel", "OpenAIModel", "Patience", "Timeouts"]
