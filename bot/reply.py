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
    own, theirs = _label(persona), _labels(others)
    if theirs.match(text) and (start := own.search(text)):
        text = text[start.start() :]  # it repeated the conversation before it answered
    text = own.sub("", text, count=1) if own.match(text) else text
    if cut := theirs.search(text):
        text = text[: cut.start()]
    return own.sub("", text).strip()


def unlabelled(text: str, persona: str, others: Sequence[str]) -> str:
    """The text without the first speaker's label, whoever's it is: for a model that puts the
    wrong name in front of the persona's words and does so again when asked anew."""
    rest = _labels(others).sub("", clean(text), count=1)
    return clean_reply(rest, persona, others)


def _label(name: str) -> re.Pattern[str]:
    return re.compile(rf"^[^\w\n]*{re.escape(name)}\W{{0,2}}:\s*", re.IGNORECASE | re.MULTILINE)


def _labels(names: Sequence[str]) -> re.Pattern[str]:
    some = "|".join(re.escape(clean_name(name)) for name in names if name) or r"(?!)"
    return re.compile(rf"^[^\w\n]*(?:{some})[^\S\n]*:\s*", re.IGNORECASE | re.MULTILINE)


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
