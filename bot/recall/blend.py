"""The production default: everything that tells whether a memory is meant, summed up.

Each weight is in units of the standard scores of meaning: 1.0 is worth as much as a cosine that
is higher by one spread of unrelated texts (0.13 with the bundled encoder). Weights without
another source were tuned on LoCoMo's six given conversations, by leaving one conversation out
in turn (350 drawn settings, turn R@10 .787 and session R@10 .934 on those left out), and
rounded towards what other data (MADial-Bench, the recall scenarios) bore.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

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

Parts = Mapping[str, float]


def blend(query: Query, candidates: Sequence[Candidate]) -> list[Recalled]:
    """Sums up the parts of each candidate."""
    if not candidates:
        return []
    events = {c.event.id: c.event for c in candidates}
    meaning, words = _meaning(query, candidates), _words(query, candidates)
    felt, suits, when = gate(query), suiting(query), _when(query)
    against = set_against(list(events.values()), query.against, _scale(query, candidates))
    wanted = asked_tone(query)
    borrowed = lent({event: meaning[event] + words[event] for event in events}, query.beside)
    parts = {
        event.id: {
            "meaning": meaning[event.id],
            "words": words[event.id],
            "feeling": FEELING * felt * suits(event) if felt else 0.0,
            "asked feeling": ASKED_FEELING * wanted * (event.emotion or NEUTRAL).valence,
            "against": against.get(event.id, 0.0),
            "beside": borrowed.get(event.id, 0.0),
            "named": NAMED * (event.speaker.id in query.named),
            "telling": TELLING * (1 - query.leaning) * telling(event.text)
            + QUESTION * asks(event.text),
            "when": WHEN * when(event),
            "recency": RECENCY * recency(event, query.now),
            "importance": IMPORTANCE * event.importance,
            "relationship": RELATIONSHIP * query.closeness.get(event.speaker.id, 0.0),
        }
        for event in events.values()
    }
    for event, worth_of_sitting in _sittings(events, parts).items():
        parts[event]["sitting"] = SITTING * worth_of_sitting
    ranked = [
        Recalled(event=event, score=sum(parts[event.id].values()), parts=parts[event.id])
        for event in events.values()
    ]
    return sorted(ranked, key=lambda r: (-r.score, r.event.id))


def match(query: Query, candidates: Sequence[Candidate]) -> dict[int, float]:
    """What each says by itself, by event id: its meaning and its words."""
    meaning, words = _meaning(query, candidates), _words(query, candidates)
    return {event: meaning[event] + words[event] for event in meaning}


def _meaning(query: Query, candidates: Sequence[Candidate]) -> dict[int, float]:
    """Standard scores; what no vector found is as far as the farthest that one did."""
    scale, stretch = _scale(query, candidates), 1 + STRETCH * query.leaning
    farthest = min((c.semantic for c in candidates if c.semantic is not None), default=scale.mean)
    return {
        c.event.id: stretch * scale.of(farthest if c.semantic is None else c.semantic)
        for c in candidates
    }


def _scale(query: Query, candidates: Sequence[Candidate]) -> Scale:
    return query.scale or scale_for("", [c.semantic for c in candidates if c.semantic is not None])


def _words(query: Query, candidates: Sequence[Candidate]) -> dict[int, float]:
    weight = WORDS * (1 - (1 - WORDS_LEANING) * query.leaning)
    return {c.event.id: weight * (c.words or 0.0) for c in candidates}


def telling(text: str) -> float:
    """How much a line can tell, by its length: 0 nothing .. 1."""
    return min(math.log1p(tokens(text)) / math.log1p(TELLING_TOKENS), 1.0)


def asks(text: str) -> bool:
    """Whether a line ends in a question."""
    return text.rstrip().endswith(("?", "？"))


def recency(event: Event, now: datetime | None) -> float:
    """1 now, halved every HALF_LIFE_DAYS; 0 where the time of the query is not known."""
    if now is None:
        return 0.0
    days = max((now - event.at).total_seconds() / 86_400, 0.0)
    return float(0.5 ** (days / HALF_LIFE_DAYS))


def _when(query: Query) -> Callable[[Event], float]:
    times = spans(query.text, query.now) if query.now else []
    if not times:
        return lambda _: 0.0
    return lambda event: max(_fits(event, span) for span in times)


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


def _sittings(events: Mapping[int, Event], parts: Mapping[int, Parts]) -> dict[int, float]:
    scores = {event: sum(values.values()) for event, values in parts.items()}
    return {
        event.id: value
        for sitting in sittings(list(events.values()))
        if (value := worth(scores, sitting))
        for event in sitting
    }
