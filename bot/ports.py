"""The borders of the character: what it asks of models, of the memory and of platforms."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bot.emotion import Emotion
from bot.memory import (
    Candidate,
    Counts,
    Event,
    Exported,
    Memory,
    Pending,
    Recalled,
    Received,
    Selection,
    Turn,
    Unfinished,
    Usage,
    Vector,
)
from bot.messages import Delete, Inbound, Message, Migrated, Outbound, Rename
from bot.world import AccountKey, Agent, Answers, Hearing, NameSeen, Place, PlaceKey, Where

Send = Callable[[Outbound], Awaitable[Sequence[str]]]
"""Takes something for one place and returns the platform's ids of the messages it made.

A long reply may become several messages. Raises SendError, or Undeliverable for good.
"""

Handler = Callable[[Inbound, Send], Awaitable[None]]
"""Returns when the inbound is dealt with: a message is answered, or it is recorded
that it is not. If the call is cancelled, what was received stays and is answered later."""


class Platform(Protocol):
    """A chat service. `name` is the one in AccountKey and PlaceKey.

    `idempotent`: sending the same nonce twice makes one message, so a reply whose fate
    is unknown can be sent again without harm.
    """

    name: str
    idempotent: bool

    async def run(self, handle: Handler) -> None:
        """Receives until cancelled or the service is left for good."""
        ...

    def reach(self, place: PlaceKey) -> Send:
        """A way to speak in a place without an inbound message (after a restart)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a streamed answer; the last one carries the usage if it is known."""

    text: str
    usage: Usage | None = None


class ChatModel(Protocol):
    """A language model. `context_tokens` is what prompt and answer may fill together."""

    name: str
    context_tokens: int

    def stream(
        self, lines: Sequence[Line], *, max_tokens: int, purpose: str
    ) -> AsyncIterator[Piece]:
        """The answer, as it grows. Raises ModelDown or ModelRefused, also half-way."""
        ...

    async def structured(
        self, lines: Sequence[Line], schema: Mapping[str, object], *, max_tokens: int, purpose: str
    ) -> tuple[object, Usage | None]:
        """One JSON value that should fit the JSON schema; the caller validates it.

        Raises ModelError where no JSON could be read from the answer.
        """
        ...


class Embedder(Protocol):
    """A sentence encoder. `name` tags stored vectors; another name means re-embedding."""

    name: str
    dimension: int

    async def embed(
        self, texts: Sequence[str], *, kind: Literal["query", "passage"]
    ) -> NDArray[np.float32]:
        """Unit-length rows, shape (len(texts), dimension). Raises EmbeddingError.

        Never blocks the event loop; calls made at once share batches.
        """
        ...


class EmotionScorer(Protocol):
    """Scores how texts feel. `name` tags stored scores."""

    name: str

    async def score(self, texts: Sequence[str]) -> list[Emotion]:
        """One emotion per text, in order. A text that cannot be scored is NEUTRAL."""
        ...


Progress = Callable[[int, int], None]
"""Called with how many are done and how many there are."""


class Storage(Protocol):
    """The memory stream. Every method is one transaction; it happened whole or not at all."""

    # -- the four durable steps ------------------------------------------------------
    async def received(
        self,
        message: Message,
        *,
        persona: str | None,
        ignored: str = "",
        hearers: Sequence[str] = (),
    ) -> Received:
        """Step 1. Keeps the message as an event, with account, name, place and pointers.

        With a `persona` it waits for that persona's answer; otherwise `ignored` says why
        nobody answers. `hearers` are keys of personas present, who witness it. Nothing is
        kept, and `event` is None, of an account that opted out or of a message that was
        deleted before (tombstone). A second delivery changes nothing and gives the first
        event with `new` False.
        """
        ...

    async def composing(
        self,
        place: int,
        persona: str,
        said: Sequence[int],
        *,
        nonce: str,
        reply_to: str | None,
        at: datetime,
    ) -> Turn | None:
        """Opens the turn that will cover these events, or takes up the open one of this
        place and persona that a killed process left. None if no event still waits."""
        ...

    async def drafted(self, turn: int, ids: Sequence[str]) -> None:
        """Platform ids already shown for a reply that is still growing."""
        ...

    async def answered(
        self,
        turn: int,
        text: str,
        *,
        at: datetime,
        recalled: Sequence[Recalled],
        strategy: str,
        failed: bool = False,
    ) -> Turn:
        """Step 2. The reply, as the persona's event; the events it covers wait no longer.

        The turn has no reply if everything it would cover was deleted meanwhile.
        """
        ...

    async def attempted(self, turn: int, at: datetime) -> None:
        """The reply is about to be handed to the platform: the doubtful moment begins."""
        ...

    async def sent(self, turn: int, ids: Sequence[str], at: datetime) -> None:
        """Step 3. The platform's ids; the reply is out."""
        ...

    async def undeliverable(self, turn: int, reason: str, at: datetime) -> None:
        """The reply will never arrive; recorded, so that nobody tries again."""
        ...

    async def learned(self, turn: int, at: datetime) -> None:
        """Step 4. Everything that follows from the turn is stored."""
        ...

    async def abandoned(self, turn: int, reason: str) -> None:
        """A turn that was never answered: its events are recorded as not answered."""
        ...

    async def unfinished(self, platform: str) -> Unfinished:
        """What a killed process left undone on a platform, oldest first."""
        ...

    async def pending(self, place: int, persona: str) -> list[Pending]:
        """Messages in this place that wait for this persona, oldest first."""
        ...

    async def wants_answer(self, event: int, persona: str) -> bool:
        """A kept message that nobody was to answer now waits for a persona. False if it
        waits already, or was answered."""
        ...

    async def replace_reply(
        self, turn: int, text: str, *, at: datetime, recalled: Sequence[Recalled], strategy: str
    ) -> Turn:
        """The reply of an answered turn now reads differently; its vector is dropped."""
        ...

    async def ignore(self, events: Sequence[int], reason: str) -> None:
        """A recorded decision not to answer these."""
        ...

    # -- what platforms report -------------------------------------------------------
    async def edited(self, message: Message, at: datetime) -> Event | None:
        """The event now reads differently; its vector and emotion are dropped until they
        are made anew. None if no such event is kept."""
        ...

    async def deleted(self, delete: Delete) -> Counts:
        """Removes the events and all that rests on them; leaves tombstones."""
        ...

    async def renamed(self, rename: Rename) -> None:
        """Adds to the history of names, if the account is known."""
        ...

    async def migrated(self, moved: Migrated) -> None:
        """All rows and settings of a place belong to its new identity. Safe to repeat."""
        ...

    # -- remembering -----------------------------------------------------------------
    async def remember(
        self,
        persona: str,
        archive: str,
        memories: Sequence[Memory],
        *,
        people: Mapping[str, AccountKey],
        vectors: NDArray[np.float32],
        embedder: str,
        emotions: Sequence[Emotion],
        scorer: str,
    ) -> int:
        """Stores seeds or imported lines with their vectors (one row each) and emotions.

        `archive` names the place they belong to; empty for the persona's own past.
        `people` maps speakers to accounts; others become local people of the archive.
        Returns how many were new: known sources and tombstones are passed over.
        """
        ...

    async def known_sources(self, sources: Sequence[str], *, persona: str = "") -> set[str]:
        """Those of the sources that are stored or were deleted for good; with a persona's
        key, stored ones count only if that persona has them too."""
        ...

    async def forget_seeds(self, persona: str, keep: Sequence[str]) -> int:
        """Removes seed memories whose source is no longer in the persona's file."""
        ...

    async def embedded(
        self, events: Sequence[int], vectors: NDArray[np.float32], embedder: str
    ) -> None:
        """Stores vectors, one row per event; replaces those of the same encoder."""
        ...

    async def scored(self, events: Sequence[int], emotions: Sequence[Emotion], scorer: str) -> None:
        """Stores emotions, one per event; replaces earlier ones."""
        ...

    async def unembedded(self, embedder: str, limit: int) -> list[Event]:
        """Remembered events without a vector of this encoder, oldest first."""
        ...

    async def embedders(self) -> dict[str, int]:
        """How many vectors are stored, by the encoder's name."""
        ...

    async def drop_vectors(self, keep: str) -> None:
        """Removes the vectors of every other encoder."""
        ...

    async def window(self, place: int, *, before: datetime, limit: int) -> list[Event]:
        """The newest lines of a place, persons and personas, oldest of them first."""
        ...

    async def nearest(
        self, vector: Vector, embedder: str, hearing: Hearing, *, limit: int
    ) -> list[Candidate]:
        """The events most similar in meaning among those that may be heard, best first."""
        ...

    async def matching(self, text: str, hearing: Hearing, *, limit: int) -> list[Candidate]:
        """The events that share words with a text, among those that may be heard, best first."""
        ...

    async def last_turn(
        self, place: int, persona: str | None = None, *, skip: int = 0
    ) -> Turn | None:
        """The newest answered turn of a place, with what was recalled for it."""
        ...

    async def turn_of_reply(self, place: PlaceKey, message: str) -> Turn | None:
        """The turn whose reply has this platform id."""
        ...

    # -- people and places -----------------------------------------------------------
    async def persona(self, key: str, name: str) -> Agent:
        """The agent of a persona file, made if it is new."""
        ...

    async def place(self, where: Where) -> Place:
        """The place as kept, made if it is new, with what the platform says now."""
        ...

    async def open_place(self, place: int, *, listens: bool, answers: Answers) -> None:
        """Whether unaddressed lines are kept there, and when a persona speaks."""
        ...

    async def choose_persona(self, place: int, persona: str | None) -> None:
        """The key of the persona that speaks in the place; None for the default."""
        ...

    async def put_to_sleep(self, place: int, *, asleep: bool) -> None:
        """An asleep place gets no answers until it is woken."""
        ...

    async def person(self, account: AccountKey) -> Agent | None:
        """Who has this account, if anyone does."""
        ...

    async def people_named(self, name: str) -> list[tuple[Agent, AccountKey]]:
        """People who bear or bore a name (case folded), with their accounts."""
        ...

    async def names(self, agent: int) -> list[NameSeen]:
        """The history of an agent's names, newest first."""
        ...

    # -- a person's rights -----------------------------------------------------------
    async def opted_out(self, account: AccountKey) -> bool: ...

    async def opt_out(self, account: AccountKey, at: datetime) -> None:
        """From now on nothing of this account is kept, embedded, scored or sent."""
        ...

    async def opt_in(self, account: AccountKey) -> None: ...

    async def forgettable(self, selection: Selection) -> Counts:
        """What `forget` would remove."""
        ...

    async def forget(self, selection: Selection) -> Counts:
        """Removes events, the replies to them and all that rests on them; redacts mentions
        in other people's lines; leaves tombstones; scrubs the file, so that the text is
        no longer in it."""
        ...

    async def export(self, agent: int) -> list[Exported]:
        """A person's own lines with the replies to them, oldest first."""
        ...

    async def own_words(
        self, agent: int, about: str, hearing: Hearing | None, *, limit: int
    ) -> list[Event]:
        """What is kept of a person's own lines, newest first; `about` filters by words."""
        ...

    async def supersede(self, old: int, new: int, at: datetime) -> None:
        """`new` corrects `old`: the old event stays as past."""
        ...

    async def correction(
        self, agent: int, place: int, text: str, at: datetime, *, persona: str | None = None
    ) -> Event:
        """Stores a person's statement about themselves that came by command, told to this
        persona (by default the one that answered last in the place)."""
        ...

    # -- the house -------------------------------------------------------------------
    async def used(self, usage: Usage, *, place: int | None, at: datetime) -> None:
        """Adds a model call to the account book."""
        ...

    async def setting(self, place: int | None, name: str) -> str | None:
        """A stored setting of a place, or (None) of the whole installation."""
        ...

    async def set_setting(self, place: int | None, name: str, value: str | None) -> None:
        """Stores a setting; None removes it."""
        ...

    async def counts(self) -> dict[str, int]:
        """Rows by what they are: events, people, places, turns, vectors."""
        ...

    async def backup(self, file: str) -> None:
        """Writes a consistent copy while the program runs. Raises StorageError."""
        ...

    async def close(self) -> None: ...
