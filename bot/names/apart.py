"""When two people of one name cannot be the same (paragraph 38): one person in two places at
once, or one matter told with times or places that exclude each other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.memory import Event
from bot.names.forms import skeleton
from bot.names.profile import About
from bot.recall.times import Span, spans
from bot.stream.news import own_words

LONGEST_STAY: Final = timedelta(days=1)
"""A longer time holds several places."""

MATTERS: Final = {
    matter: re.compile(words, re.IGNORECASE)
    for matter, words in {
        "wedding": r"wedding|married|marries|marry(?:ing)?|boda|se\s+casó|se\s+casa|婚礼|结婚",
        "birthday": r"birthday|was\s+born|cumpleaños|nació|生日|出生",
        "death": r"died|funeral|buried|murió|entierro|去世|葬礼",
        "graduation": r"graduat\w+|se\s+graduó|毕业",
    }.items()
}
"""What happens to one person once, at one time and in one place."""

_SENTENCE: Final = re.compile(r"(?<=[.!?。！？;\n])\s*")
_PLACE: Final = re.compile(
    r"\b(?:in|at|to|from|inside|near|en)\s+(?P<place>(?:(?:the|el|la|los|las|del|al)\s+)?"
    r"[^\W\d_][\w'’-]+(?:\s+[A-ZÀ-ÖØ-Þ][\w'’-]+)?)|(?:在|到)(?P<han>[\u4e00-\u9fff]{2,4}?)(?=[了的见吃做看过,，。]|$)"
)
_BEING: Final = re.compile(
    r"\b(?:is|was|were|are|'s|been|am|'m|saw|seen|met|stayed|stays|sat|worked|slept|arrived|landed"
    r"|spent|had|está|estaba|estuvo|vi|visto|llegó)\b|’s\b|’m\b|在|到",
    re.IGNORECASE,
)
_PRESENT: Final = re.compile(
    r"\b(?:is|am|are|'s|'m|está|estoy|right\s+now)\b|’[sm]\b|正在", re.IGNORECASE
)
_OF_ONESELF: Final = re.compile(r"^\W*(?:I|I'm|I’m|we|yo|我)\b|^\W*我", re.IGNORECASE)
_DENIED: Final = re.compile(
    r"\b(?:not|never|n't|no|if|maybe|perhaps|would|could|nunca|quizás)\b|n['’]t\b|[?？没不]",
    re.IGNORECASE,
)
_NO_PLACE: Final = frozenset(
    """the a an love time fact general least last first once all home bed touch trouble case order
    front morning afternoon evening night noon midnight him her them me us you it be this that
    spring summer autumn winter january february march april may june july august september october
    november december monday tuesday wednesday thursday friday saturday sunday la el casa mañana
    tarde noche""".split()  # noqa: SIM905
)
_ARTICLE: Final = re.compile(r"^(?:the|el|la|los|las|del|al)\s+")


@dataclass(frozen=True, slots=True)
class Told:
    """What a sentence tells of somebody: where, when, and about which matter of theirs."""

    place: str
    span: Span | None
    matters: frozenset[str]


def told_of(event: Event, name: str | None) -> list[Told]:
    """What a line tells of the bearer of a name; of its own speaker where `name` is None.

    Times are as the line gives them, seen from its own day; "is in" without a time means
    that day. Questions, denials and guesses tell nothing.
    """
    found = []
    for sentence in _SENTENCE.split(own_words(event.text)):
        about = (
            _OF_ONESELF.search(sentence)
            if name is None
            else name.casefold() in sentence.casefold()
            and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence, re.IGNORECASE)
        )
        if not about and not (name and ord(name[0]) > 0x2E80 and name in sentence):
            continue
        if not _DENIED.search(sentence):
            found.append(_told(sentence, event.at))
    return [told for told in found if told.place or told.matters]


def _told(sentence: str, at: datetime) -> Told:
    named = [s for s in spans(sentence, at) if s.end - s.start <= LONGEST_STAY]
    span = named[0] if len(named) == 1 else None
    if not named and _PRESENT.search(sentence) and not spans(sentence, at):
        day = at.replace(hour=0, minute=0, second=0, microsecond=0)
        span = Span(day, day + timedelta(days=1))
    matters = frozenset(m for m, words in MATTERS.items() if words.search(sentence))
    is_there = _BEING.search(sentence) is not None
    return Told(_place(sentence) if is_there or matters else "", span, matters)


def _place(sentence: str) -> str:
    """The one place that a sentence names, folded; empty for none or several."""
    places = set()
    for match in _PLACE.finditer(sentence):
        place = _ARTICLE.sub("", skeleton(match["place"] or match["han"]))
        if place and place.split()[0] not in _NO_PLACE:
            places.add(place)
    return places.pop() if len(places) == 1 else ""


def why_apart(new: Sequence[Told], lines: Sequence[About], names: Sequence[str]) -> str:
    """Why the bearer whom these lines are by or about is not the one of whom `new` is told;
    empty where nothing speaks against it. `names` are what the lines may call the bearer."""
    for about in lines:
        called: Sequence[str | None] = (None,) if about.by_bearer else names
        for name in called:
            for old in told_of(about.event, name):
                for told in new:
                    if reason := _clash(old, told):
                        return reason
    return ""


def _clash(one: Told, other: Told) -> str:
    elsewhere = bool(one.place and other.place) and not _overlap(one.place, other.place)
    at_once = (
        one.span is not None
        and other.span is not None
        and one.span.start < other.span.end
        and other.span.start < one.span.end
    )
    if elsewhere and at_once:
        return f"in {one.place} and in {other.place} at one time"
    if shared := one.matters & other.matters:
        apart_in_time = one.span is not None and other.span is not None and not at_once
        if apart_in_time or elsewhere:
            return f"one {min(shared)} at two times or places"
    return ""


def _overlap(one: str, other: str) -> bool:
    """Whether two names of places may be one place: "harbour" and "old harbour"."""
    return bool(set(one.split()) & set(other.split())) or one in other or other in one
