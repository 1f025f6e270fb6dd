"""Order within a conversation, many conversations at once, bursts answered together."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

from bot.clock import Clock
from bot.engine.limits import Limits
from bot.memory import Event
from bot.persona import Persona
from bot.ports import Send
from bot.world import Place

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One conversation: a place and the persona spoken to."""

    place: int
    persona: str


@dataclass(slots=True, kw_only=True, eq=False)
class Waiting:
    """A received message on its way to an answer. `done` resolves when it is dealt with."""

    event: Event
    place: Place
    persona: Persona
    send: Send
    message_id: str
    done: asyncio.Future[None]

    @classmethod
    def made(
        cls, *, event: Event, place: Place, persona: Persona, send: Send, message_id: str
    ) -> Self:
        """A message that nothing has been done about."""
        return cls(
            event=event,
            place=place,
            persona=persona,
            send=send,
            message_id=message_id,
            done=asyncio.get_running_loop().create_future(),
        )


@dataclass(slots=True, eq=False)
class _Conversation:
    waiting: list[Waiting] = field(default_factory=list)
    task: asyncio.Task[None] | None = None


Answer = Callable[[Sequence[Waiting]], Awaitable[None]]


class Conversations:
    """Calls `answer` with what was said since the last answer, one conversation in order.

    Messages that arrive within the burst time, or while an answer is under way, are
    answered together. Each conversation has a task of its own while it has work.
    """

    def __init__(self, answer: Answer, *, clock: Clock, limits: Limits) -> None:
        self._answer = answer
        self._clock = clock
        self._limits = limits
        self._open: dict[Key, _Conversation] = {}
        self._by_event: dict[tuple[int, str], Waiting] = {}
        self._closing = False

    def waiting_for(self, event: int, persona: str) -> Waiting | None:
        """The message, if it is on its way to an answer."""
        return self._by_event.get((event, persona))

    def add(self, waiting: Waiting) -> None:
        """Puts a message in its conversation's order; wait for its `done`."""
        if self._closing:
            waiting.done.cancel()
            return
        key = Key(place=waiting.place.id, persona=waiting.persona.key)
        conversation = self._open.setdefault(key, _Conversation())
        conversation.waiting.append(waiting)
        self._by_event[waiting.event.id, waiting.persona.key] = waiting
        if conversation.task is None:
            conversation.task = asyncio.create_task(self._work(key, conversation))

    async def idle(self) -> None:
        """Returns when no conversation has work."""
        while tasks := [c.task for c in self._open.values() if c.task]:
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Lets answers under way end for `stop_seconds`, then cancels them. What is not
        answered stays received and is taken up by the next process."""
        self._closing = True
        tasks = [c.task for c in self._open.values() if c.task]
        if tasks:
            await asyncio.wait(tasks, timeout=self._limits.stop_seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, key: Key, conversation: _Conversation) -> None:
        batch: list[Waiting] = []
        try:
            while conversation.waiting:
                await self._settle(conversation)
                batch, conversation.waiting = conversation.waiting, []
                batch.sort(key=lambda w: (w.event.at, w.event.id))
                try:
                    await self._answer(batch)
                except Exception:
                    log.exception("An answer failed; its messages stay received.")
                self._finish(batch)
                if self._closing:
                    break
        finally:
            del self._open[key]
            self._finish([*batch, *conversation.waiting])

    async def _settle(self, conversation: _Conversation) -> None:
        """Waits until nobody has added to the burst for `burst_seconds`."""
        step, spent, seen = self._limits.burst_seconds, 0.0, 0
        while step > 0 and seen != len(conversation.waiting):
            if spent >= self._limits.burst_most_seconds:
                return
            seen = len(conversation.waiting)
            await self._clock.sleep(step)
            spent += step

    def _finish(self, batch: Sequence[Waiting]) -> None:
        for waiting in batch:
            self._by_event.pop((waiting.event.id, waiting.persona.key), None)
            if not waiting.done.done():
                waiting.done.set_result(None)
