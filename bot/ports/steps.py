"""The border to the memory: how a turn is kept, step by step."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.memory import (
    Event,
    Pending,
    Recalled,
    Received,
    Turn,
    Unfinished,
)
from bot.messages import Message


class Steps(Protocol):
    """The four durable steps of a turn, and what a killed process left of them."""

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

    async def sent(
        self, turn: int, ids: Sequence[str], at: datetime, *, passed_to: str | None = None
    ) -> None:
        """Step 3. The platform's ids; the reply is out. Where it speaks to another persona
        (its key), it is a received message for that one from now on, exactly once."""
        ...

    async def undeliverable(self, turn: int, reason: str, at: datetime) -> None:
        """The reply will never arrive; recorded, so that nobody tries again."""
        ...

    async def learned(self, turn: int, at: datetime) -> None:
        """Step 4. Everything that follows from the turn is stored."""
        ...

    async def unlearned_turns(self, event: int) -> list[Turn]:
        """Sent turns with this message or reply that are not learnt, or are to be learnt anew."""
        ...

    async def unlearned_lines(self, place: int | None = None) -> list[Event]:
        """Remembered lines that nobody was to answer and that are not learnt, oldest first."""
        ...

    async def line_learned(self, event: int) -> None:
        """Everything that follows from a line that nobody was to answer is stored."""
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
