"""A circle: who is related to whom, how it came about, and how far it has come."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from bot.world import Agent

FIRST_WEIGHT = 1
"""Every relationship begins with this weight; the rest is the sum of its deltas."""


class StreamKind(StrEnum):
    """Views of the one store of events, through pointers."""

    INDEPENDENT = "independent"  # the agent alone took part
    INTERACTION = "interaction"  # the agent and somebody else took part
    EVENT = "event"  # both of these: what the agent knows first-hand
    RELATIONSHIP = "relationship"  # the agent and one other took part


class Stage(StrEnum):
    """How far a relationship has come; `stages.MOVES` says how it moves."""

    FIRST_MET = "first_met"
    FAMILIAR = "familiar"
    DEPENDENT = "dependent"
    SEPARATED = "separated"


class WeightRule(StrEnum):
    """Whose feeling an exchange is weighed by."""

    TOWARD = "toward"  # what one side shows toward the other
    DIALOGUE = "dialogue"  # how the dialogue as a whole feels


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What an exchange changes in one direction: -1, 0 or +1, and why."""

    agent: int
    other: int
    delta: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What one side said up to the other's answer, and the answer: one row per direction.

    `said` and `answer` are the last events of either side, at `begun` and `at`; with one of
    them gone the exchange never was. `turn` is set where a persona answered.
    """

    said: int
    answer: int
    deltas: Sequence[Delta]
    rule: WeightRule
    begun: datetime
    at: datetime
    turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the exchanges of one direction add up to.

    `days` are distinct days (UTC) with an exchange. `lately` counts exchanges of the last
    four weeks, `recent` sums the newest ten deltas and `bad_days` counts the days of the
    negative ones among them; `since_*` count from the beginning of the present stage.
    """

    weight: int = FIRST_WEIGHT
    exchanges: int = 0
    days: int = 0
    lately: int = 0
    recent: int = 0
    bad_days: int = 0
    since_exchanges: int = 0
    since_days: int = 0
    last_at: datetime | None = None

    def silence(self, now: datetime) -> timedelta:
        """How long ago the last exchange was; nothing where there was none."""
        return max(now - self.last_at, timedelta()) if self.last_at else timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bond:
    """A relationship of `agent` toward `other`.

    `relation` is a word ("sister"): what the other is to the agent; it rests on the event
    `relation_event`.
    """

    agent: Agent
    other: Agent
    stage: Stage
    stage_since: datetime
    standing: Standing
    relation: str = ""
    relation_event: int | None = None

    @property
    def is_new(self) -> bool:
        """Whether the two have never finished an exchange."""
        return self.standing.exchanges == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row of the history of a weight; `weight` is the sum after it."""

    at: datetime
    delta: int
    weight: int
    reason: str
    rule: str
    event: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """What can be told of two people toward each other, from what may be heard here."""

    agent: Agent
    other: Agent
    exchanges: int
    weight: int
    relation: str = ""
