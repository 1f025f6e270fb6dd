"""The memory stream: events, and what the store tells about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from bot.emotion import Emotion
from bot.world import Agent, Place

Vector = NDArray[np.float32]
"""A unit-length sentence embedding, shape (dimension,)."""


class EventKind(StrEnum):
    MESSAGE = "message"  # a person said it
    REPLY = "reply"  # a persona said it
    SEED = "seed"  # a persona's own past, from its file
    IMPORT = "import"  # a line of an imported transcript
    REFLECTION = "reflection"  # a persona's conclusion, resting on other events


class Precision(StrEnum):
    """How exactly the time of an event is known."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    MINUTE = "minute"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One unit of the memory stream: when, where, who, what. Stored once.

    `speaker_name` is the name of that moment. `superseded_by` is the event that
    corrected this one: it is past, no longer true. `place` may be another place than
    the one where the event is recalled.
    """

    id: int
    kind: EventKind
    at: datetime
    place_id: int
    place_name: str
    speaker: Agent
    speaker_name: str
    text: str
    quoted: str = ""
    precision: Precision = Precision.MINUTE
    importance: float = 0.0  # 0 trivial .. 1 decisive
    superseded_by: int | None = None
    forwarded: bool = False  # somebody else's words
    hearsay: str = ""  # pending, false or unverified, if it tells such a claim
    emotion: Emotion | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An event that recall may choose, with what each search found out about it.

    `semantic` is the cosine of query and event, -1..1, None if only words found it.
    `words` is the BM25 score, 0 or above (higher is better), None if only vectors did.
    """

    event: Event
    semantic: float | None = None
    words: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """An event that stands near another in its place: `steps` lines after it, before it if
    negative."""

    event: Event
    to: Event
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """An event brought to mind. `parts` sum up to `score`, by the name of the signal."""

    event: Event
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """What became of an inbound message. `event` is None where nothing was kept."""

    event: Event | None
    place: Place
    new: bool  # False: delivered before


class TurnState(StrEnum):
    COMPOSING = "composing"
    ANSWERED = "answered"
    SENT = "sent"
    LEARNED = "learned"
    ABANDONED = "abandoned"  # nobody answered, or the answer was deleted
    UNDELIVERABLE = "undeliverable"  # the answer never arrived


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One exchange: what was said, what was in mind, what was answered.

    `said` are the events it covers, `reply` the persona's event once there is one.
    `drafts` are platform ids already shown for it; `sent` those of the finished reply.
    `attempted_at` set and `sent` empty is the doubtful moment: it may have arrived.
    """

    id: int
    nonce: str
    persona: Agent
    place: Place
    state: TurnState
    started_at: datetime
    said: tuple[Event, ...]
    reply: Event | None = None
    reply_to: str | None = None
    drafts: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    attempted_at: datetime | None = None
    recalled: tuple[Recalled, ...] = ()
    strategy: str = ""
    failed: bool = False  # the answer was the persona's apology


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A received message that nobody has answered yet. `message_id` is the platform's,
    `persona` the key of the persona that it waits for."""

    event: Event
    place: Place
    persona: str
    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """What a killed or stopped process left undone, oldest first."""

    pending: Sequence[Pending]
    unsent: Sequence[Turn]
    unlearned: Sequence[Turn]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """An event to be stored that no platform delivers: a seed or an imported line.

    `source` names file and line for good: the same source is stored once.
    `people` are names of others who took part, besides the speaker.
    """

    source: str
    kind: EventKind
    at: datetime
    precision: Precision
    speaker: str
    text: str
    place: str = ""
    people: tuple[str, ...] = ()
    importance: float = 0.0


class Share(StrEnum):
    """Which part of a person's words `/forget` takes."""

    LAST = "last"  # the last exchange here
    HOUR = "hour"  # the last hour here
    EVERYTHING = "everything"


class Whole(StrEnum):
    """Where `/reset` takes everything."""

    PLACE = "place"
    SERVER = "server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What to delete. Of one agent's words: `share`, seen from a place and a time.
    Or `events`, by id. Or with `whole`, all that was said in the place, or in its server."""

    agent: int | None = None
    share: Share | None = None
    place: int | None = None
    now: datetime | None = None
    events: tuple[int, ...] = ()
    whole: Whole | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a deletion removes (or would), by what it is, in words for people."""

    removed: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.removed.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """One call of a language model, for budgets and statistics."""

    purpose: str  # answer, learn, score, judge …
    model: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """One of a person's own lines and the persona's reply to it."""

    at: datetime
    place: str
    platform: str
    persona: str
    text: str
    reply: str = ""
