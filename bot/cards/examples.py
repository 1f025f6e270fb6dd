"""`mes_example`: sample conversations as text, and as what is said and answered."""

import re
from collections.abc import Sequence

from bot.persona import Example

MOST_EXAMPLES = 60
MOST_CHARACTERS = 20_000
MOST_READ = 60_000
"""Of a longer text the rest is not used; the card keeps it."""

_START = re.compile(r"<start>|\{\{start\}\}|^\s*-{3,}\s*$", re.IGNORECASE | re.MULTILINE)
_USER = r"\{\{user\}\}|<user>|\{\{random_user_\d\}\}|you"
_CHAR = r"\{\{char\}\}|<bot>|<char>"


def read_examples(text: str, name: str) -> list[Example]:
    """The samples, in order. A line without a speaker continues the one before; a block
    without any is a sample of the voice alone."""
    speaker = re.compile(
        rf"^[ \t]*(?:(?P<user>{_USER})|(?P<char>{_CHAR}|{re.escape(name)}))[ \t]*:[ \t]?",
        re.IGNORECASE | re.MULTILINE,
    )
    examples: list[Example] = []
    for block in _START.split(text[:MOST_READ]):
        examples += _block(block, speaker)
        if len(examples) >= MOST_EXAMPLES:
            break
    return examples[:MOST_EXAMPLES]


def _block(block: str, speaker: re.Pattern[str]) -> list[Example]:
    marks = list(speaker.finditer(block))
    if not marks:
        return [_example("", block)] if block.strip() else []
    found: list[Example] = []
    asked: list[str] = []
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(block)
        said = block[mark.end() : end].strip()
        if mark["user"] is not None:
            asked.append(said)
        elif said:
            found.append(_example("\n".join(part for part in asked if part), said))
            asked = []
    return found


def _example(user: str, reply: str) -> Example:
    return Example(user=user[:MOST_CHARACTERS], reply=reply.strip()[:MOST_CHARACTERS])


def write_examples(examples: Sequence[Example]) -> str:
    """The samples as a card holds them."""
    blocks = []
    for example in examples:
        asked = f"{{{{user}}}}: {example.user}\n" if example.user else ""
        blocks.append(f"<START>\n{asked}{{{{char}}}}: {example.reply}")
    return "\n".join(blocks)
