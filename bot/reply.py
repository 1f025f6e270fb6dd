"""What the model wrote, made into what the persona says."""

import re
from collections.abc import Sequence

from bot.text import clean, clean_name

_MARKS = re.compile(r"<\|[^|>\n]{1,40}\|>|</?s>|\[/?INST\]")
LABEL_LENGTH = 60
"""A line's beginning is held back in drafts while it may still turn out to be a label."""


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
    may_be_label = len(last) < LABEL_LENGTH and any(
        name.casefold().startswith(last.strip(" *_[(").casefold()[: len(name)])
        for name in (persona, *others)
    )
    return clean_reply(finished if may_be_label or "<" in last else text, persona, others)
