"""The border to the memory: servers, what is spent in them, who did what, linked accounts."""

from datetime import datetime
from typing import Protocol

from bot.house.deeds import Deed
from bot.house.figures import Figures, Spender
from bot.house.links import Link, NamedAccount
from bot.house.stored import Stored
from bot.world import AccountKey, Agent, Place, ServerKey, Where


class Servers(Protocol):
    """Servers and groups: what is set there, who is there, coming and going."""

    async def settings(self, place: Place) -> Stored:
        """All that is set for a place, for its server, and everywhere."""
        ...

    async def set_server_setting(self, server: ServerKey, name: str, value: str | None) -> None:
        """Stores a setting of a server; None removes it."""
        ...

    async def places(self) -> list[Place]:
        """Every place where people talk; no archives."""
        ...

    async def people_here(self, place: int, name: str) -> list[tuple[Agent, AccountKey]]:
        """Those who spoke in the server of a place (or in the place, if it has none) and
        bear or bore this name, case folded."""
        ...

    async def author_of(self, place: int, message: str) -> AccountKey | None:
        """Who wrote a kept message of a place."""
        ...

    async def left(self, where: Where, at: datetime) -> int:
        """The bot was removed, or blocked: all places of that server (or chat) fall asleep.
        Returns how many do."""
        ...

    async def came_back(self, where: Where, at: datetime) -> int:
        """The bot is there again: what fell asleep before then wakes. Returns how many."""
        ...

    async def gone_since(self, before: datetime) -> list[Place]:
        """Places that the bot left before then, and that are not purged yet."""
        ...

    async def expired(self, place: int, before: datetime | None, *, limit: int) -> list[int]:
        """The oldest events that people and personas said in a place, before a time or
        (None) at all; never seeds or imports."""
        ...

    async def purge(self, place: int) -> None:
        """Removes what is left of a place without events: its names and settings, those of
        its server if no other place of it is left, and people of whom nothing else is kept."""
        ...


class Books(Protocol):
    """What was spent, and who did what."""

    async def spent(self, place: int, since: datetime) -> int:
        """Tokens of all model calls since then in the server of a place (or in the place,
        if it has none)."""
        ...

    async def spenders(self, since: datetime, *, limit: int) -> list[Spender]:
        """The servers, groups and private conversations that spent most since then."""
        ...

    async def figures(self, place: int | None, since: datetime) -> Figures:
        """What happened since then in the server of a place, or (None) everywhere."""
        ...

    async def noted(self, deed: Deed) -> None:
        """Adds to the audit."""
        ...

    async def deeds(self, *, limit: int) -> list[Deed]:
        """The audit, newest first."""
        ...


class Links(Protocol):
    """Accounts of one person. Nothing else ever joins two accounts."""

    async def offer_link(self, giver: NamedAccount, code: str, *, at: datetime) -> None:
        """Keeps a new code of an account; its earlier codes are void."""
        ...

    async def take_link(self, code: str, taker: NamedAccount, *, at: datetime) -> Link:
        """Another account gives the code. The first to do so takes it; by a second one the
        code becomes void."""
        ...

    async def link_of(self, code: str, account: AccountKey, *, at: datetime) -> Link:
        """Where a code stands, for the account that asked for it or the one that took it."""
        ...

    async def agree_link(self, code: str, account: AccountKey, *, at: datetime) -> Link:
        """One side says yes; when both have, they are one person."""
        ...

    async def void_link(self, code: str) -> None:
        """The code is good for nothing any more."""
        ...

    async def unlink(self, account: AccountKey, *, at: datetime) -> list[NamedAccount]:
        """The account is a person of its own again, with what was said, exchanged and claimed
        by it, also while it was linked; the others keep theirs, and each relationship takes
        the stage that its own exchanges lead to. Returns those it was linked with."""
        ...

    async def linked(self, account: AccountKey) -> list[NamedAccount]:
        """The other accounts of the same person."""
        ...
