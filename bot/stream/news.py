"""Whether a message tells news about others, and what it claims (paragraph 33).

Rules see only plain statements: a subject other than the speaker, something that is or
happened, no question, joke, guess or quotation. With a model the same is asked of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.stream.addressed import called_forms, unaddressed
from bot.stream.news_words import (
    CHANGE,
    HEARD,
    LEAD,
    NARRATED,
    NO_TESTIMONY,
    OPINION,
    QUOTED,
    SELF,
    SENSITIVE,
    STATE,
    YOU,
)
from bot.text import clean, mentions_name

SHORTEST, LONGEST = 8, 300
"""A statement of fewer or more characters is no news."""

SHORTEST_HAN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """A statement about others. `subject` is the name it is about as written; empty where it
    is about no person that a name tells."""

    statement: str
    subject: str = ""

    @property
    def is_sensitive(self) -> bool:
        return is_sensitive(self.statement)


_SENTENCE = re.compile(r"(?<=[.!?。！？\n])\s*")
_NAME = re.compile(r"^\W*(?:(?i:my|our|mi|nuestr[oa])\s+\w+\s+)?(?P<name>[A-ZÁÉÍÓÚÑÄÖÜ][\w'’-]+)")
_ADDRESS = re.compile(
    r"^\W*[^\W\d_][\w'’-]*\s*[,，]|\b(?:how|what|why|where|who)\s+(?:are|is|do|did)\b"
)
_COMMON = frozenset(
    """the a an this that these those they people everyone everybody someone somebody it there
    he she his her their our my its then so and but well oh yes no ok okay hey now today tomorrow
    el la los las un una ellos todos alguien hoy mañana sí pero""".split()  # noqa: SIM905
)


def is_sensitive(text: str) -> bool:
    """Whether a statement touches what is nobody else's business."""
    return SENSITIVE.search(text) is not None


def own_words(text: str) -> str:
    """A message without what it quotes and without role play."""
    return QUOTED.sub(" ", NARRATED.sub(" ", clean(text)[:4000]))


def states_something(text: str) -> bool:
    """Whether a message has any sentence of its own that is no question."""
    sentences = (sentence.strip() for sentence in _SENTENCE.split(own_words(text)))
    return any(sentence and not sentence.endswith(("?", "？")) for sentence in sentences)


def news_in(text: str, names: Sequence[str]) -> list[News]:
    """The claims about others that a message makes. `names` are names known where it was
    said: a statement about one of them, or about a capitalised name, or one that was
    heard elsewhere, is news. Whom the line speaks to ("Ben, Ana moved") is no part of it."""
    whole = own_words(text)
    if NO_TESTIMONY.search(whole) and re.search(
        r"\b(?:jk|kidding|lol|haha+)\b|😂|🤣", whole, re.IGNORECASE
    ):
        return []
    called = called_forms(names)
    sentences = (unaddressed(sentence, called) for sentence in _SENTENCE.split(whole))
    found = [_news(sentence, names) for sentence in sentences]
    return [news for news in found if news is not None]


def _news(sentence: str, names: Sequence[str]) -> News | None:
    heard = HEARD.search(sentence)
    statement = LEAD.sub("", sentence, count=1) if heard else sentence
    statement = " ".join(statement.split()).strip(" ,;:-")
    if heard and "?" in statement and re.match(r"^\W*(?:did|have|you)\b", sentence, re.IGNORECASE):
        statement = statement.rstrip("? ")  # "did you hear that Ben moved?" tells as it asks
    if not _is_statement(statement):
        return None
    subject = _subject(statement, names)
    happens = CHANGE.search(statement) is not None
    is_known = subject.casefold() in {name.casefold() for name in names}
    if not (happens or (STATE.search(statement) and (heard or is_known))):
        return None
    if not subject and not heard:
        return None
    return News(statement=statement.rstrip(".!。！ "), subject=subject)


def _is_statement(text: str) -> bool:
    han = any(ord(c) > 0x2E80 for c in text)
    if not (SHORTEST_HAN if han else SHORTEST) <= len(text) <= LONGEST:
        return False
    if NO_TESTIMONY.search(text) or SELF.search(text) or YOU.search(text):
        return False
    return OPINION.search(text) is None and _ADDRESS.search(text) is None


def _subject(statement: str, names: Sequence[str]) -> str:
    verb = re.search(f"{CHANGE.pattern}|{STATE.pattern}", statement, re.IGNORECASE)
    beginning = statement[: verb.start()] if verb else ""  # whom it is about stands before it
    known = [name for name in names if len(name) > 1 and mentions_name(beginning, name)]
    if known:
        return min(known, key=lambda name: beginning.casefold().find(name.casefold()))
    match = _NAME.match(statement)
    if match is None or match["name"].casefold() in _COMMON:
        return ""
    return match["name"]
