"""What the model wrote, made into what the persona says."""

import re
from collections.abc import Sequence

from bot.text import clean, clean_name

_MARKS = re.compile(r"<\|[^|>\n]{1,40}\|>|</?s>|\[/?INST\]")
LABEL_MARGIN = 4
"""Marks that may stand between a name and its colon, as in `**Ida** :`."""

MARK_LENGTH = 45
"""A mark of a chat template is no longer than this."""


def clean_reply(text: str, persona: str, others: Sequence[str]) -> str:
    """The persona's words alone: no label of its own, nothing said for others, no marks
    of a chat template. Empty if nothing of the persona's is left."""
    parts = [part for part in _MARKS.split(text) if part.strip()]
    text = clean(parts[0]) if parts else ""
    text = re.sub(rf"^\W*{re.escape(persona)}\W{{0,2}}:\s*", "", text, flags=re.IGNORECASE)
    labels = "|".join(re.escape(clean_name(other)) for other in others if other)
    speakers = rf"^\W*(?:{labels})\s*:" if labels else r"^(?!)"
    if cut := re.search(speakers, text, flags=re.IGNORECASE | re.MULTILINE):
        text = text[: cut.start()]
    text = re.sub(rf"\n\W*{re.escape(persona)}\s*:\s*", "\n", text, flags=re.IGNORECASE)
    return text.strip()


def showable(text: str, persona: str, others: Sequence[str]) -> str:
    """As much of a growing answer as can be shown without taking anything back later."""
    finished, _, last = text.rpartition("\n")
    names = [persona, *(clean_name(other) for other in others)]
    undecided = _may_become_label(last, names) or _ends_in_mark(last)
    return clean_reply(finished if undecided else text, persona, others)


def _may_become_label(line: str, names: Sequence[str]) -> bool:
    """Whether the line is the beginning of a name, or a name that a colon may follow."""
    start = re.sub(r"^\W+", "", line).casefold()
    return ":" not in line and any(
        len(start) <= len(name) + LABEL_MARGIN and name.casefold().startswith(start[: len(name)])
        for name in names
    )


def _ends_in_mark(line: str) -> bool:
    start = max(line.rfind("<"), line.rfind("["))
    return start >= 0 and len(line) - start < MARK_LENGTH
