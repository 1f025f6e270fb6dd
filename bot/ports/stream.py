"""The border to the memory: streams, circles and places."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.memory import Event
from bot.stream.bonds import Bond, Change, Exchange, StreamKind, Tie
from bot.stream.claims import Claim, ClaimStatus, NewClaim, Stance
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
        rows. Each row belongs to the accounts that spoke. False, and nothing changed, if one
        of its events is gone or what was said already answered something else of the two."""
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
        """How people stand toward each other, from their newest exchanges that may be heard
        here; of the persona itself, only relation words."""
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


class Claims(Protocol):
    """Hearsay, with its whole verification record."""

    async def claimed(self, claim: NewClaim) -> int | None:
        """A claim, pending, with the scope of its event. None if the event is gone or has
        made this claim before."""
        ...

    async def checked(
        self, claim: int, event: int, stance: Stance, confidence: float
    ) -> Claim | None:
        """What the speaker of the event says about a claim; the newest word of one event
        counts. None, and nothing kept, where the answer may be heard by fewer than the
        claim, or either is gone."""
        ...

    async def settled(
        self, claim: int, status: ClaimStatus, *, at: datetime, expires: datetime
    ) -> None:
        """The claim has this status from now on."""
        ...

    async def asked(self, claim: int, person: int, *, turn: int, at: datetime) -> None:
        """The person was asked about it."""
        ...

    async def claims(
        self, hearing: Hearing | None, *, since: datetime | None = None, limit: int
    ) -> list[Claim]:
        """What may be heard there (everything for None), newest first; with `since`, only
        what is pending or was opened later."""
        ...

    async def claims_around(self, event: int, *, since: datetime, limit: int) -> list[Claim]:
        """As `claims`, for the place of an event and the personas who witnessed it; `asked`
        are those who were asked before it, not in the answer to it."""
        ...

    async def due_claims(self, now: datetime) -> list[Claim]:
        """Pending claims whose time ran out."""
        ...

    async def known_here(self, name: str, place: int) -> list[Agent]:
        """Who bears or bore a name (case folded) and has spoken in the place or its server."""
        ...

    async def acquainted(
        self, people: Sequence[int], others: Sequence[int]
    ) -> set[tuple[int, int]]:
        """Which of the people have a relationship with which of the others."""
        ...
