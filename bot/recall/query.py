"""What a strategy is given: the query, and a function from candidates to a ranking."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.emotion import NEUTRAL, Emotion
from bot.memory import Candidate, Recalled
from bot.persona import RecallMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is said, how it feels, and how memories are to be ranked for it.

    `mood` is the persona's own, NEUTRAL where it plays no part. `now` is the moment of the
    query, in the zone in which "yesterday" is meant; None where no time is read from it.
    `limit` is how many memories are wanted (the paper's k). `scaled` False computes the
    paper's four as its authors' code does: distances as they come.
    """

    text: str
    emotion: Emotion = NEUTRAL
    mood: Emotion = NEUTRAL
    mode: RecallMode = RecallMode.MATCH
    now: datetime | None = None
    limit: int = 10
    scaled: bool = True


Strategy = Callable[[Query, Sequence[Candidate]], list[Recalled]]
"""Scores candidates, best first; equal scores in the order of event ids. It may leave some
out. The parts of each score sum up to it."""
