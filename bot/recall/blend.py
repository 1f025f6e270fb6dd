"""The production default: everything that tells whether a memory is meant, summed up.

Each weight is in units of the standard scores of meaning: 1.0 is worth as much as a cosine that
is higher by one spread of unrelated texts (0.13 with the bundled encoder). Weights without
another source were tuned on LoCoMo's six given conversations, by leaving one conversation out
in turn (350 drawn settings, turn R@10 .787 and session R@10 .934 on those left out), and
rounded towards what other data (MADial-Bench, the recall scenarios) bore.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.emotion import NEUTRAL
from bot.memory import Candidate, Event, Precision, Recalled
from bot.recall.contrast import set_against
from bot.recall.query import Query
from bot.recall.scale import Scale, scale_for
from bot.recall.surroundings import lent, sittings, worth
from bot.recall.times import Span, spans
from bot.recall.tone import asked_tone, gate, suiting
from bot.text import tokens

WORDS: Final = 0.2
"""For each unit of BM25, which is about the information of the words that are shared."""

WORDS_LEANING: Final = 0.1
"""What remains of it for a line that says nothing by itself: the words around it are many."""

STRETCH: Final = 0.5
"""Added to meaning for such a line: cosines to a mixed direction lie closer together."""

FEELING: Final = 0.3
"""For a feeling that suits fully, where the query feels strongly. MADial-Bench, where the
distressed are to be comforted, bears no more (nDCG@5 .69 at 0.3, .64 at 1)."""

ASKED_FEELING: Final = 2.0
"""For a memory as pleasant (or unpleasant) as can be, where a question asks for one."""

NAMED: Final = 1.0
"""For the lines of somebody whom the query names."""

TELLING: Final = 2.5
"""For a line as long as any statement; "ok" has hardly any of it. Nothing of it for a query
that leans on what was said before: it seeks no information."""

TELLING_TOKENS: Final = 32
"""A line of this length, some 25 words, tells as much as a longer one."""

QUESTION: Final = -0.7
"""For a line that asks: who asks tells little."""

WHEN: Final = 2.0
"""For what happened at a time that the query names."""

TOLD_LATER: Final = 0.5
"""Of it for what was said soon after that time: people tell of things when they are over."""

LATER_AT_LEAST: Final = timedelta(days=3)

SITTING: Final = 0.4
"""Of what the sitting of a line is worth."""

RECENCY: Final = 0.2
"""For what was said just now; no given data tells more, so it decides between equals."""

HALF_LIFE_DAYS: Final = 14.0
"""In which recency halves."""

IMPORTANCE: Final = 0.3
"""For a decisive event; like recency, it decides between equals."""

RELATIONSHIP: Final = 0.2
"""For the words of whoever is closest to the persona."""

Column = NDArray[np.float64]
"""A number for each candidate, shape (candidates,)."""


def blend(query: Query, candidates: Sequence[Candidate]) -> list[Recalled]:
    """Sums up the parts of each candidate."""
    pool = list({c.event.id: c for c in candidates}.values())
    if not pool:
        return []
    events = [c.event for c in pool]
    ids = [event.id for event in events]
    meaning, words = _meaning(query, pool), _words(query, pool)
    matched = dict(zip(ids, (meaning + words).tolist(), strict=True))
    columns = {
        "meaning": meaning,
        "words": words,
        "feeling": _feeling(query, events),
        "asked feeling": _asked_feeling(query, events),
        "against": _by_id(ids, set_against(events, query.against, _scale(query, pool))),
        "beside": _by_id(ids, lent(matched, query.beside)),
        "named": _named(query, events),
        "telling": TELLING * (1 - query.leaning) * _telling(events) + QUESTION * _asks(events),
        "when": WHEN * _when(query, events),
        "recency": RECENCY * _recency(events, query.now),
        "importance": IMPORTANCE * np.array([event.importance for event in events]),
        "relationship": RELATIONSHIP * _closeness(query, events),
    }
    so_far = dict(zip(ids, _total(columns).tolist(), strict=True))
    columns["sitting"] = SITTING * _by_id(ids, _sittings(events, so_far))
    scores = _total(columns)
    order = np.lexsort((np.array(ids), -scores))
    rows = np.column_stack(list(columns.values()))[order].tolist()
    return [
        Recalled(event=events[at], score=score, parts=dict(zip(columns, row, strict=True)))
        for at, score, row in zip(order.tolist(), scores[order].tolist(), rows, strict=True)
    ]


def match(query: Query, candidates: Sequence[Candidate]) -> Column:
    """What each says by itself: its meaning and its words."""
    return _meaning(query, candidates) + _words(query, candidates)


def _total(columns: Mapping[str, Column]) -> Column:
    return np.asarray(np.sum(list(columns.values()), axis=0))


def _by_id(ids: Sequence[int], found: Mapping[int, float]) -> Column:
    return np.array([found.get(one, 0.0) for one in ids]) if found else np.zeros(len(ids))


def _meaning(query: Query, candidates: Sequence[Candidate]) -> Column:
    """Standard scores; what no vector found is as far as the farthest that one did."""
    scale, stretch = _scale(query, candidates), 1 + STRETCH * query.leaning
    farthest = min((c.semantic for c in candidates if c.semantic is not None), default=scale.mean)
    cosines = [farthest if c.semantic is None else c.semantic for c in candidates]
    return stretch * (np.array(cosines) - scale.mean) / scale.spread


def _scale(query: Query, candidates: Sequence[Candidate]) -> Scale:
    return query.scale or scale_for("", [c.semantic for c in candidates if c.semantic is not None])


def _words(query: Query, candidates: Sequence[Candidate]) -> Column:
    weight = WORDS * (1 - (1 - WORDS_LEANING) * query.leaning)
    return weight * np.array([c.words or 0.0 for c in candidates])


def _feeling(query: Query, events: Sequence[Event]) -> Column:
    felt = gate(query)
    return FEELING * felt * suiting(query, events) if felt else np.zeros(len(events))


def _asked_feeling(query: Query, events: Sequence[Event]) -> Column:
    if not (wanted := asked_tone(query)):
        return np.zeros(len(events))
    return ASKED_FEELING * wanted * np.array([(e.emotion or NEUTRAL).valence for e in events])


def _named(query: Query, events: Sequence[Event]) -> Column:
    return NAMED * np.array([float(event.speaker.id in query.named) for event in events])


def _closeness(query: Query, events: Sequence[Event]) -> Column:
    return np.array([query.closeness.get(event.speaker.id, 0.0) for event in events])


def _telling(events: Sequence[Event]) -> Column:
    """How much a line can tell, by its length: 0 nothing .. 1."""
    lengths = np.array([tokens(event.text) for event in events])
    return np.asarray(np.minimum(np.log1p(lengths) / math.log1p(TELLING_TOKENS), 1.0))


def _asks(events: Sequence[Event]) -> Column:
    """1 for a line that ends in a question, else 0."""
    return np.array([float(event.text.rstrip().endswith(("?", "？"))) for event in events])


def _recency(events: Sequence[Event], now: datetime | None) -> Column:
    """1 now, halved every HALF_LIFE_DAYS; 0 where the time of the query is not known."""
    if now is None:
        return np.zeros(len(events))
    ages = np.array([(now - event.at).total_seconds() for event in events])
    return np.asarray(0.5 ** (np.maximum(ages, 0.0) / 86_400 / HALF_LIFE_DAYS))


def _when(query: Query, events: Sequence[Event]) -> Column:
    times = spans(query.text, query.now) if query.now else []
    if not times:
        return np.zeros(len(events))
    return np.array([max(_fits(event, span) for span in times) for event in events])


_LASTS: Final = {
    Precision.YEAR: timedelta(days=365),
    Precision.MONTH: timedelta(days=30),
    Precision.DAY: timedelta(days=1),
    Precision.MINUTE: timedelta(0),
}


def _fits(event: Event, span: Span) -> float:
    if event.at in span or (event.at < span.start < event.at + _LASTS[event.precision]):
        return 1.0
    soon = max(span.end - span.start, LATER_AT_LEAST)
    return TOLD_LATER if span.end <= event.at < span.end + soon else 0.0


def _sittings(events: Sequence[Event], scores: Mapping[int, float]) -> dict[int, float]:
    return {
        event.id: value
        for sitting in sittings(events)
        if (value := worth(scores, sitting))
        for event in sitting
    }
