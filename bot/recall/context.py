"""The context of a query: what was said before it, and whom it names.

A line such as "Do you really think so?" says nothing by itself; then the lines before it
tell what it is about. A line that finds something by itself is searched alone: with the old
topic mixed in, a change of topic would be missed. (LoCoMo's questions behind three unrelated
lines: recall of the evidence falls from .65 to .59 if they are mixed in always. MADial-Bench:
R@5 rises from .54 to .70 if they are.)
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.memory import Candidate, Vector
from bot.recall.query import Query
from bot.recall.scale import Scale
from bot.text import mentions_name

RECENT: Final = 1
"""Lines before the query that make up the exchange it belongs to."""

OWN: Final = 8
"""Lines in which the asker's own words before the query are looked for."""

MOST_CHARACTERS: Final = 2000
"""Of a view; encoders read no more, and the end says most."""

SPEAKS: Final = 3.1
"""The best match, in standard scores, from which a line speaks for itself ..."""

SILENT: Final = 1.9
"""... and up to which it leans wholly on what was before it. Half of MADial-Bench's last
lines reach 1.6, half of LoCoMo's questions 3.3."""

SHORTEST_NAME: Final = 3
"""Of a first name by which the bearer of a longer name is recognised."""


def views(query: Query) -> list[str]:
    """What is embedded for a query: its text, and with earlier lines the exchange it ends,
    what the asker said in all, and everything."""
    if not query.before:
        return [_end(query.text)]
    recent = [line.text for line in query.before[-RECENT:]]
    return [
        _end(query.text),
        _end(" ".join([*recent, query.text])),
        own_words(query),
        _end(" ".join([*(line.text for line in query.before), query.text])),
    ]


def own_words(query: Query) -> str:
    """What the asker said in all, to the end."""
    own = [line.text for line in query.before[-2 * OWN :] if line.own][-OWN:]
    return _end(" ".join([*own, query.text]))


def _end(text: str) -> str:
    return text[-MOST_CHARACTERS:]


def leaning(best: float, scale: Scale) -> float:
    """How much a line needs what was before it, from the best cosine it finds by itself."""
    return float(np.clip((SPEAKS - scale.of(best)) / (SPEAKS - SILENT), 0.0, 1.0))


def attended(vectors: NDArray[np.float32], lean: float) -> Vector:
    """The direction to search in: the line's own, turned towards its context as it leans."""
    mixed = vectors[0] + lean * vectors[1:].sum(axis=0)
    length = float(np.linalg.norm(mixed))
    return np.asarray(mixed / length if length > 0 else vectors[0], dtype=np.float32)


def named(text: str, candidates: Iterable[Candidate], persona: int) -> dict[int, set[str]]:
    """The speakers of memories whom a text names, by id with the names it uses. The persona
    is spoken to, not of, where it is named."""
    speakers = {(c.event.speaker.id, c.event.speaker_name) for c in candidates}
    found: dict[int, set[str]] = {}
    for agent, name in sorted(speakers):
        for form in _forms(name) if agent != persona else ():
            if mentions_name(text, form):
                found.setdefault(agent, set()).add(form)
    return found


def _forms(name: str) -> Sequence[str]:
    first = name.split(maxsplit=1)[0] if name.split() else ""
    return (name, first) if len(first) >= SHORTEST_NAME and first != name else (name,)


def without_names(text: str, names: Iterable[str]) -> str:
    """The text for a search by words. The lines *of* somebody rarely hold their name, and
    those that do are addressed to them: whom a query names is a part of its own."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    return text
