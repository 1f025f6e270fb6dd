"""What the model reads: role, memories, task, then the dialogue (Emotional RAG, figure 3).

Pure: the same scene gives the same prompt. What people said, wrote or are called stands in
it as quoted data; only what the operator's persona files say is expanded and followed.
"""

from bot.prompt.build import build_prompt
from bot.prompt.quotes import MEMORY_TOKENS, when_said
from bot.prompt.role import Expand, expander
from bot.prompt.scene import Prompt, Scene

__all__ = [
    "MEMORY_TOKENS",
    "Expand",
    "Prompt",
    "Scene",
    "build_prompt",
    "expander",
    "when_said",
]
