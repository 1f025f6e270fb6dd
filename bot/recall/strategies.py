"""The strategies by name. A new one is a function of a query and candidates, and a row here."""

from typing import Final

from bot.recall import paper
from bot.recall.blend import blend
from bot.recall.query import Strategy

STRATEGIES: Final[dict[str, Strategy]] = {
    "semantic": paper.semantic,
    "c-a": paper.combined_by_addition,
    "c-m": paper.combined_by_multiplication,
    "s-s": paper.semantic_first,
    "s-e": paper.emotion_first,
    "blend": blend,
}
DEFAULT_STRATEGY: Final = "blend"

LOOKS_AROUND: Final = frozenset({"blend"})
"""Strategies for which words and what stands beside the best are searched, too."""
