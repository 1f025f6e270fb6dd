"""The border to the memory: what is kept, corrected, and found again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bot.emotion import Emotion
from bot.memory import (
    Beside,
    Candidate,
    Counts,
    Event,
    Memory,
    Turn,
    Vector,
)
from bot.messages import Delete, Message, Migrated, Rename
from bot.world import AccountKey, Hearing, PlaceKey


class Reports(Protocol):
    """What platforms report of messages and names that are already kept."""

    async def edited(self, message: Message, at: datetime) -> Event | None:
        """The event now reads differently; its vector, emotion and all that followed from its
        old words go, and are to be learnt anew. None if no such event is kept."""
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


class Remembering(Protocol):
    """What is remembered, with its vectors and feelings, and how it is found again."""

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

    async def beside(
        self, events: Sequence[Event], hearing: Hearing, *, reach: int
    ) -> list[Beside]:
        """Up to `reach` remembered lines before and after each event in its place, among
        those that may be heard."""
        ...

    async def last_turn(
        self, place: int, persona: str | None = None, *, skip: int = 0
    ) -> Turn | None:
        """The newest answered turn of a place, with what was recalled for it."""
        ...

    async def turn_of_reply(self, place: PlaceKey, message: str) -> Turn | None:
        """The turn whose reply has this platform id."""
        ...
