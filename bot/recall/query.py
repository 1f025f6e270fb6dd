"""What a strategy is given: the query with its context, and candidates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.emotion import NEUTRAL, Emotion
from bot.memory import Beside, Candidate, Recalled
from bot.persona import RecallMode
from bot.recall.contrast import Contrasted
from bot.recall.scale import Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A line of the conversation before the query. `own`: said by whoever asks."""

    text: str
    own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is said, how it feels, and how memories are to be ranked for it.

    `before` are the lines that led to it, oldest first. `mood` is the persona's own, NEUTRAL
    where it plays no part. `now` is the moment of the query, in the zone in which
    "yesterday" is meant; None where no time is read from it. `closeness` is how close the
    persona is to agents, by id, 0..1. `limit` is how many memories are wanted (the paper's
    k). `scaled` False computes the paper's four as its authors' code does.

    The rest is found out while memories are searched: `scale` of the encoder's cosines,
    agents `named` in it, events `beside` others, and `leaning`, how much the query leans on
    what was said before, 0 speaks for itself .. 1 says nothing alone, and what it sets its answer
    `against`.
    """

    text: str
    before: Sequence[Earlier] = ()
    emotion: Emotion = NEUTRAL
    mood: Emotion = NEUTRAL
    mode: RecallMode = RecallMode.MATCH
    now: datetime | None = None
    closeness: Mapping[int, float] = field(default_factory=dict)
    limit: int = 10
    scaled: bool = True
    scale: Scale | None = None
    named: frozenset[int] = frozenset()
    beside: Sequence[Beside] = ()
    leaning: float = 0.0
    against: Contrasted | None = None


Strategy = Callable[[Query, Sequence[Candidate]], list[Recalled]]
"""Scores candidates, best first; equal scores in the order of event ids. It may leave some
out. The parts of each score sum up to it."""
