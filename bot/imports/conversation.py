"""What every reader makes of a file: conversations of lines, each with a lasting source."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from bot.memory import Precision
from bot.text import clean as clean_text
from bot.world import AccountKey

MOST_TEXT = 1_000_000
"""Characters of one line; whatever is longer is not something that somebody said."""

MOST_NAME = 80
"""Characters of a speaker's name; the rest is cut."""

MOST_IDENTITY = 100
"""Characters of an id inside a source; a longer one is replaced by its digest."""


class Format(StrEnum):
    LOCOMO = "locomo"
    TRANSCRIPT = "transcript"
    SILLYTAVERN = "sillytavern"
    TELEGRAM = "telegram"
    DISCORD = "discord"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something somebody said. `at` is in UTC, as exact as `precision`.

    `source` is "<format>:<conversation>:<line>": the same for the same line in whichever
    file it comes, and no other line's. `origin` is the message's own id where it has
    one, `reply_to` that of the message it answers. `forwarded` text is not the
    speaker's own words, and says so.
    """

    speaker: str
    text: str
    at: datetime
    source: str
    precision: Precision = Precision.MINUTE
    origin: str = ""
    reply_to: str = ""
    forwarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One chat, in the order of its file. `archive` names it for good.

    `accounts` are the accounts behind speakers, where the file knows them; `bots` are
    speakers that are no people.
    """

    archive: str
    lines: tuple[Line, ...]
    accounts: Mapping[str, AccountKey] = field(default_factory=dict)
    bots: frozenset[str] = frozenset()

    @property
    def speakers(self) -> list[str]:
        """Who speaks, in order of appearance."""
        return list(dict.fromkeys(line.speaker for line in self.lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A file as it was understood. `skipped` lines were left out; `warnings` say why."""

    format: Format
    conversations: tuple[Conversation, ...]
    skipped: int = 0
    warnings: tuple[str, ...] = ()


class Notes:
    """Collects what a reader leaves out, counted by reason, and what else it must say."""

    def __init__(self) -> None:
        self.skipped = 0
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}
        self._sentences: list[str] = []

    def skip(self, reason: str, where: str) -> None:
        """One line was left out; `where` is how to find it."""
        self.skipped += 1
        self.count(f"left out: {reason}", where)

    def count(self, fate: str, where: str) -> None:
        """Something happened to one line that many may share; `fate` follows "lines"."""
        self._counts[fate] += 1
        self._first.setdefault(fate, where)

    def say(self, sentence: str) -> None:
        """A warning of its own; the same one is said once."""
        if sentence not in self._sentences:
            self._sentences.append(sentence)

    def warnings(self) -> tuple[str, ...]:
        counted = (
            f"{count} {'line' if count == 1 else 'lines'} {fate} (first: {self._first[fate]})."
            for fate, count in self._counts.items()
        )
        return (*self._sentences, *counted)


def digest(*parts: str) -> str:
    """A short fingerprint of some texts, the same on every machine."""
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=10).hexdigest()


def source_key(form: Format, conversation: str, line: str) -> str:
    """The source of a line. A colon in the conversation's id is written %3A, so that the
    first two colons always part the three."""
    return f"{form}:{_bounded(conversation)}:{_short(line)}"


def _short(identity: str) -> str:
    return identity if len(identity) <= MOST_IDENTITY else digest(identity)


def _bounded(identity: str) -> str:
    return _short(identity).replace("%", "%25").replace(":", "%3A")


class Fingerprints:
    """Line ids for formats without any: the digest of what identifies a line, and for its
    second and later equals a number, so that "ok" said twice is two lines."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, *parts: str) -> str:
        mark = digest(*parts)
        self._seen[mark] += 1
        count = self._seen[mark]
        return mark if count == 1 else f"{mark}#{count}"


class Labels:
    """Speakers by who they are, not by name: the second Alex becomes "Alex#2"."""

    def __init__(self) -> None:
        self._label: dict[str, str] = {}
        self._taken: set[str] = set()
        self._namesakes: Counter[str] = Counter()

    def of(self, identity: str, name: str) -> str:
        """The label of whoever has this identity; made from the name when first seen."""
        if identity not in self._label:
            self._label[identity] = label = self._free(speaker_name(name) or "Someone")
            self._taken.add(label.casefold())
        return self._label[identity]

    def _free(self, name: str) -> str:
        label = name
        while label.casefold() in self._taken:
            self._namesakes[name] += 1
            label = f"{name}#{self._namesakes[name] + 1}"
        return label


_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")


def clean(text: str) -> str:
    """Text fit to be stored: one kind of line end, no control characters, no halves of
    characters, no blank edges."""
    return clean_text(_LINE_ENDS.sub("\n", text)) if text else ""


@lru_cache(maxsize=4096)  # the same few names on every line
def speaker_name(name: str) -> str:
    """A name on one line, bounded; empty if nothing is left of it."""
    return " ".join(clean(name).split())[:MOST_NAME].strip()
