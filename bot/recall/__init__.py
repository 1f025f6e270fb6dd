"""What comes to mind: the memories that fit what is said, in topic and in feeling."""

from bot.recall.mind import Mind, bring_to_mind
from bot.recall.query import Earlier, Query, Strategy
from bot.recall.strategies import DEFAULT_STRATEGY, STRATEGIES

__all__ = [
    "DEFAULT_STRATEGY",
    "STRATEGIES",
    "Earlier",
    "Mind",
    "Query",
    "Strategy",
    "bring_to_mind",
]
