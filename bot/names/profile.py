"""What is known of somebody who bears a name, and how it fits what is said now.

A profile is made of the lines that the bearer spoke, and of those that spoke of them.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

import numpy as np

from bot.memory import Event, Vector
from bot.names.forms import skeleton
from bot.stream.news import own_words
from bot.world import Agent

SITTING: Final = timedelta(minutes=30)
"""Within one sitting a name goes on meaning whom it meant."""

AT_HOME_FOR: Final = timedelta(days=30)
"""Whoever spoke in a place or its server this recently is at home there."""

CONTEXT_LINES: Final = 4
"""The line itself and those before it in the same sitting."""

NEAREST: Final = 3
"""Of the cosines between a line and a profile, the mean of so many counts."""

MOST_WORDS: Final = 4.0
"""Telling words that are shared count up to this sum."""

SHORTEST_WORD: Final = 4

COMMON: Final = frozenset(
    """that this with have just what your they there about know yeah okay well like gonna don't
    can't didn't right really from would could should were been then them when here come want
    think good some because over will back into only going mean look tell said says does doing
    where which while their these those more much very also than other every always never para
    como pero esta este todo cuando porque sobre desde también""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """A line of a profile. `by_bearer`: the bearer said it; otherwise it speaks of them."""

    event: Event
    by_bearer: bool
    vector: Vector | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """Somebody who bears a name. `lines` are what may be heard here, oldest first; `circle`
    whom they have a relationship with; `relation` what the speaker calls them ("sister").
    `left_out`: wants nothing kept. `lives_here`: has an account and spoke in this place or
    its server lately (`AT_HOME_FOR`)."""

    agent: Agent
    lines: Sequence[About] = ()
    circle: frozenset[int] = frozenset()
    relation: str = ""
    left_out: bool = False
    lives_here: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Where a name is said: the line, those before it (oldest first), its vector."""

    event: Event
    before: Sequence[Event] = ()
    vector: Vector | None = None
    hidden: Collection[str] = field(default_factory=frozenset)  # words of the name itself

    @property
    def lines(self) -> list[Event]:
        """The line and what was said just before it in the same sitting, oldest first."""
        near = [e for e in self.before if self.event.at - e.at <= SITTING]
        return [*near[1 - CONTEXT_LINES :], self.event]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """How a bearer fits a context. Shares and flags from 0 to 1, `age` = ln(1 + days)."""

    same: float  # spoke or was meant in this sitting
    age: float  # since they spoke or were meant
    told: float  # the speaker spoke of them before
    person: float  # has an account
    words: float  # telling words shared with the profile
    company: float  # of those who talk now, how many belong to their circle
    likeness: float  # cosine of the line and the nearest lines of the profile


def signs(bearer: Bearer, context: Context, tellings: Mapping[str, int]) -> Signs:
    """`tellings` counts in how many profiles each word stands, see `tellings_of`."""
    now, speaker = context.event.at, context.event.speaker.id
    last = max((a.event.at for a in bearer.lines), default=None)
    age = max(now - last, timedelta()) if last else timedelta(days=365)
    own = words_of(bearer.lines)
    here = {word for event in context.lines for word in telling_words(event.text)} - set(
        context.hidden
    )
    shared = sum(1 / tellings[word] for word in here if word in own and word in tellings)
    people = {event.speaker.id for event in context.lines} - {bearer.agent.id}
    known = bearer.circle | {a.event.speaker.id for a in bearer.lines if not a.by_bearer}
    told = any(a.event.speaker.id == speaker for a in bearer.lines if not a.by_bearer)
    return Signs(
        same=float(last is not None and age <= SITTING),
        age=math.log1p(age / timedelta(days=1)),
        told=float(told),
        person=float(bearer.agent.kind != "third_party"),
        words=min(shared, MOST_WORDS) / MOST_WORDS,
        company=len(people & known) / max(len(people), 1),
        likeness=_likeness(bearer.lines, context.vector),
    )


def tellings_of(bearers: Sequence[Bearer]) -> Mapping[str, int]:
    """In how many profiles each word stands."""
    return Counter(word for bearer in bearers for word in words_of(bearer.lines))


def words_of(lines: Sequence[About]) -> set[str]:
    """The telling words of a profile."""
    return {word for about in lines for word in telling_words(about.event.text)}


def telling_words(text: str) -> set[str]:
    """The words of a text, folded, that are neither short nor common; quotations left out."""
    return {
        word
        for word in skeleton(own_words(text)).split()
        if (len(word) >= SHORTEST_WORD or not word.isascii()) and word not in COMMON
    }


def _likeness(lines: Sequence[About], vector: Vector | None) -> float:
    if vector is None:
        return 0.0
    cosines = sorted(float(np.dot(a.vector, vector)) for a in lines if a.vector is not None)
    return float(np.mean(cosines[-NEAREST:])) if cosines else 0.0
