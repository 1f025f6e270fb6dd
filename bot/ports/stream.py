"""The border to the memory: streams, circles and places."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.memory import Event
from bot.stream.bonds import Bond, Change, Exchange, StreamKind, Tie
from bot.stream.scenes import SceneChange, SceneItem
from bot.world import Agent, Hearing, Place


class Streams(Protocol):
    """Views of the one store of events. Each returns the newest, oldest of them first."""

    async def full_stream(self, *, limit: int) -> list[Event]:
        """Everything that happened to anybody."""
        ...

    async def stream(
        self,
        kind: StreamKind,
        agent: int,
        *,
        other: int | None = None,
        hearing: Hearing | None = None,
        limit: int,
    ) -> list[Event]:
        """An agent's stream; with `other`, only what both took part in. With `hearing`,
        only what may be heard there."""
        ...

    async def told_by(
        self, agent: int, hearing: Hearing, *, before: datetime, shortest: int, limit: int
    ) -> list[Event]:
        """The newest lines of somebody that the persona heard and may repeat here, as far
        as they have `shortest` characters and were not corrected since."""
        ...

    async def own_past(self, persona: int, *, limit: int) -> list[Event]:
        """The newest of what a persona lived through before it talked here."""
        ...

    async def aims(self, events: Sequence[int]) -> Mapping[int, frozenset[int]]:
        """At whom lines were aimed: by reply, by mention, or as the platform says."""
        ...

    async def events(self, ids: Sequence[int]) -> list[Event]:
        """The events that exist among these, oldest first, with their feelings."""
        ...


class Bonds(Protocol):
    """Relationships: rows of deltas, never only totals."""

    async def exchanged(self, exchange: Exchange) -> bool:
        """Adds an exchange to the relationships of both sides, made if they are new; before
        and after it they take the stage that is due. The same exchange again replaces its
        rows. False, and nothing changed, if one of its
        events is gone or what was said already answered something else of the two."""
        ...

    async def bonds(self, agent: int, *, others: Sequence[int] | None = None) -> list[Bond]:
        """An agent's circle, or those of it that are asked for."""
        ...

    async def bond_history(self, agent: int, other: int) -> list[Change]:
        """Every exchange of one direction, oldest first, with the weight after it."""
        ...

    async def related(
        self, agent: int, other: int, relation: str, *, event: int, at: datetime
    ) -> None:
        """`event` says what the other is to the agent. Nothing changes if it is gone."""
        ...

    async def ties(self, agents: Sequence[int], hearing: Hearing) -> list[Tie]:
        """How people stand toward each other, from exchanges that may be heard here."""
        ...

    async def circle(self, place: int | None) -> list[Agent]:
        """Everyone who has spoken in a place, or (None) anywhere, by name."""
        ...


class Scenes(Protocol):
    """What is in a place, in which state, since when."""

    async def scene(self, place: int) -> list[SceneItem]:
        """The items as they are now, in the order in which they appeared."""
        ...

    async def scene_history(self, place: int, *, limit: int) -> list[SceneItem]:
        """The newest states, past ones too, oldest of them first."""
        ...

    async def change_scene(
        self,
        place: int,
        changes: Sequence[SceneChange],
        *,
        at: datetime,
        event: int | None = None,
    ) -> int:
        """Each item has its new state from now on; an empty state takes it away. Returns
        how many states are new. The same event changes a scene once; a place without a
        history takes `start_scene` first."""
        ...

    async def start_scene(self, place: int, changes: Sequence[SceneChange], at: datetime) -> None:
        """The first scene of a place; nothing changes where there was one before."""
        ...

    async def furnished(self) -> list[Place]:
        """The places where something is known to be."""
        ...
