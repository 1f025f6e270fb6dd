"""The border to the memory: people and places, their rights, and the house itself."""

from datetime import datetime
from typing import Protocol

from bot.memory import (
    Counts,
    Event,
    Exported,
    Selection,
    Usage,
)
from bot.world import AccountKey, Agent, Answers, Hearing, NameSeen, Place, Where


class People(Protocol):
    """Personas, people, their names, and places."""

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

    async def dms_of(self, account: AccountKey) -> list[Place]:
        """Where this account talks with a bot alone, on its own platform, oldest first."""
        ...

    async def people_named(self, name: str) -> list[tuple[Agent, AccountKey]]:
        """People who bear or bore a name (case folded), with their accounts."""
        ...

    async def names(self, agent: int) -> list[NameSeen]:
        """The history of an agent's names, newest first."""
        ...


class Rights(Protocol):
    """What a person may do with what is kept of them."""

    async def opted_out(self, account: AccountKey) -> bool: ...

    async def opt_out(self, account: AccountKey, at: datetime) -> None:
        """From now on nothing of this account is kept, embedded, scored or sent."""
        ...

    async def opt_in(self, account: AccountKey) -> None: ...

    async def forgettable(self, selection: Selection) -> Counts:
        """What `forget` would remove."""
        ...

    async def forget(self, selection: Selection, *, scrub: bool = True) -> Counts:
        """Removes events, the replies to them and all that rests on them; redacts mentions
        in other people's lines; leaves tombstones; scrubs the file, so that the text is
        no longer in it (without `scrub`, only the next call that has it does this)."""
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


class House(Protocol):
    """Account book, settings, counts, copies."""

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
