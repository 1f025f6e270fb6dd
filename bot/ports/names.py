"""The border to the memory: who bears a name, and whom names meant."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.memory import Event
from bot.names.profile import Bearer
from bot.names.values import Kept, Meant
from bot.world import Agent, Hearing


class Names(Protocol):
    """Names and their bearers. Nobody is merged by a name."""

    async def bearers(
        self, forms: Sequence[str], hearing: Hearing, event: Event, *, embedder: str
    ) -> Mapping[str, list[Bearer]]:
        """Who bears these forms and may be known where an event is said, by form: whoever
        the persona heard speak or heard of as far as it may be heard there, whoever spoke
        in that place or its server lately, and the speaker's own circle. Their lines are
        older than the event."""
        ...

    async def named(self, event: int, found: Sequence[Meant]) -> Mapping[str, int | None]:
        """Keeps whom the names of a line mean, with a pointer from the event to each; replaces
        what was kept of it before. Makes an agent for somebody new. Returns agents by form;
        None where it stays open. Empty if the event is gone."""
        ...

    async def open_names(self, place: int, speaker: int, since: datetime) -> list[int]:
        """Lines of somebody since then in which a name stays open, oldest first."""
        ...

    async def witness(self, event: int) -> int | None:
        """A persona that witnessed an event."""
        ...

    async def names_in(self, event: int) -> list[Kept]:
        """The names of a line as they are kept, in order."""
        ...

    async def heard_of(self, hearing: Hearing | None) -> list[Agent]:
        """Those only heard of, as far as it may be heard there (everybody for None)."""
        ...

    async def merge_agents(self, kept: int, merged: int, *, by: str, at: datetime) -> bool:
        """Somebody only heard of is the same as another agent. False, and nothing changed,
        where `merged` (or who was merged with it) has an account, is a persona or is one
        with `kept` already. The log keeps it; `split_agent` undoes it."""
        ...

    async def split_agent(self, agent: int, *, at: datetime) -> bool:
        """Undoes the merge of somebody only heard of. False where there is none."""
        ...

    async def home_of(self, agent: int) -> int | None:
        """The place where somebody was first heard of; None for everybody else."""
        ...


class Reflections(Protocol):
    """What personas conclude about people."""

    async def unreflected(self, person: int, hearing: Hearing, *, limit: int) -> list[Event]:
        """The newest of a person's own lines that may be heard there and that the persona has
        not thought over yet, oldest first."""
        ...

    async def reflected(
        self,
        persona: int,
        person: int,
        text: str,
        *,
        place: int,
        rests_on: Sequence[int],
        at: datetime,
    ) -> Event | None:
        """Keeps a conclusion, heard only where all it rests on is heard, gone when any of that
        goes. None, and nothing kept, where one of these is no line that somebody said."""
        ...
