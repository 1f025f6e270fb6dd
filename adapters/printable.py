"""Text from people and models, made safe to print on a terminal."""

import re

from bot.text import clean

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|\][^\x07\x1b]*(?:\x07|\x1b\\|$)|.?)|\x9b")


def printable(text: str) -> str:
    """The text without escape sequences and control characters: it cannot move the cursor,
    change colours or speak to the terminal."""
    return clean(_ESCAPES.sub("", text))
