"""The application behind every platform: takes what comes in, decides, answers, learns."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from bot.attention import Attention, said_text, who_answers
from bot.clock import Clock
from bot.commands import Desk, run_command, run_press
from bot.engine.answering import Answering
from bot.engine.circle import Circle
from bot.engine.conversations import Conversations, Waiting
from bot.engine.delivery import Delivery
from bot.engine.learning import Learning
from bot.engine.limits import Limits
from bot.engine.rumours import Rumours
from bot.engine.understanding import Understanding
from bot.memory import Event, Pending, Received, Turn
from bot.messages import (
    Command,
    Delete,
    Described,
    Edit,
    Inbound,
    Kept,
    Membership,
    Message,
    Migrated,
    Press,
    Rename,
)
from bot.persona import Persona
from bot.ports import ChatModel, Embedder, EmotionScorer, Pictures, Platform, Send, Storage
from bot.world import AccountKey, Place, PlaceKey

log = logging.getLogger(__name__)


class Engine:
    """Handles inbound values of all platforms; owns the tasks that this needs.

    Use as an async context manager. `handle` is the Handler that platforms call.
    """

    def __init__(
        self,
        *,
        storage: Storage,
        model: ChatModel,
        small_model: ChatModel,
        embedder: Embedder,
        scorer: EmotionScorer,
        personas: Mapping[str, Persona],
        default_persona: str,
        clock: Clock,
        owners: frozenset[AccountKey] = frozenset(),
        limits: Limits | None = None,
        pictures: Pictures | None = None,
        help_lines: str = "",
    ) -> None:
        self._limits = limits or Limits()
        self._storage = storage
        self._clock = clock
        self._personas = personas
        self._default = default_persona
        self._delivery = Delivery(storage=storage, clock=clock, limits=self._limits)
        rumours = Rumours(storage=storage, embedder=embedder, rules=self._limits.claims)
        self._answering = Answering(
            storage=storage,
            rumours=rumours,
            model=model,
            embedder=embedder,
            scorer=scorer,
            delivery=self._delivery,
            clock=clock,
            limits=self._limits,
            help_lines=help_lines,
        )
        self._learning = Learning(
            storage=storage,
            embedder=embedder,
            scorer=scorer,
            clock=clock,
            circle=Circle(
                storage=storage,
                rumours=rumours,
                rule=self._limits.weight_rule,
                understanding=Understanding(storage=storage, model=small_model, clock=clock)
                if self._limits.learn_by_model
                else None,
            ),
        )
        self._conversations = Conversations(self._answer, clock=clock, limits=self._limits)
        self._desk = Desk(
            storage=storage,
            embedder=embedder,
            clock=clock,
            answering=self._answering,
            learning=self._learning,
            owners=owners,
            model_name=model.name,
            pictures=pictures,
        )
        self._small_model = small_model
        self._arrivals: WeakValueDictionary[PlaceKey, asyncio.Lock] = WeakValueDictionary()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [
            asyncio.create_task(self._learning.run()),
            asyncio.create_task(self._learning.catch_up()),
        ]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._conversations.close()
        for task in self._tasks:
            task.cancel()
        for result in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(result, Exception):
                log.error("A background task had failed: %r", result)

    async def handle(self, inbound: Inbound, send: Send) -> None:
        """Deals with one inbound value; returns when a message is answered, or when it is
        recorded that it is not. Raises StorageError where nothing could be kept."""
        match inbound:
            case Message():
                await self._message(inbound, send)
            case Edit():
                await self._edit(inbound, send)
            case Delete():
                await self._storage.deleted(inbound)
            case Command():
                await run_command(self._desk, inbound, self._present(inbound.persona, None), send)
            case Press():
                await run_press(self._desk, inbound, self._present(inbound.persona, None), send)
            case Rename():
                await self._storage.renamed(inbound)
            case Migrated():
                await self._storage.migrated(inbound)
            case Membership() | Described():
                await self._storage.place(inbound.where)

    async def resume(self, platform: Platform) -> int:
        """Takes up what a killed or stopped process left on a platform: replies that were
        not sent, messages that were not answered, turns that were not learnt. What is too
        old is kept, but not answered. Returns how many replies and messages it took up;
        they are under way in the background (`idle` waits for them)."""
        left = await self._storage.unfinished(platform.name)
        for turn in left.unlearned:
            self._learning.add(turn)
        taken = 0
        for turn in left.unsent:
            taken += await self._resend(turn, platform)
        for pending in left.pending:
            taken += await self._take_up(pending, platform)
        return taken

    async def idle(self) -> None:
        """Returns when all is answered and learnt."""
        await self._conversations.idle()
        await self._learning.idle()

    # -- messages ------------------------------------------------------------------------
    async def _message(self, message: Message, send: Send) -> None:
        text = said_text(message)
        if not text or message.author.is_me or message.author.is_bot:
            return
        # one after the other within a place, so that events are stored as they arrived
        async with self._arrivals.setdefault(message.where.key, asyncio.Lock()):
            kept = await self._receive(replace(message, text=text))
            await send(Kept())
        if kept is None:
            return
        received, persona = kept
        assert received.event is not None
        if persona is None:
            if received.new:
                self._learning.add(received.event)
        elif received.new:
            await self._queue(received.event, received.place, persona, send, message.id)
        elif waiting := self._conversations.waiting_for(received.event.id, persona.key):
            await asyncio.wait([waiting.done])

    async def _receive(self, message: Message) -> tuple[Received, Persona | None] | None:
        """Step 1: the message is kept, and who answers it. None if it is not kept."""
        if await self._storage.opted_out(message.author.account):
            return None
        place = await self._storage.place(message.where)
        present = self._present(message.persona, place)
        attention = who_answers(message, place, present)
        if attention.persona is None and not place.listens:
            return None
        if self._is_stale(message.at.timestamp()):
            attention = Attention(reason="too old when it arrived")
        received = await self._storage.received(
            message,
            persona=attention.persona.key if attention.persona else None,
            ignored=attention.reason,
            hearers=[persona.key for persona in present],
        )
        return (received, attention.persona) if received.event is not None else None

    async def _queue(
        self, event: Event, place: Place, persona: Persona, send: Send, message_id: str
    ) -> None:
        waiting = Waiting(
            event=event,
            place=place,
            persona=persona,
            send=send,
            message_id=message_id,
            done=asyncio.get_running_loop().create_future(),
        )
        self._conversations.add(waiting)
        await asyncio.wait([waiting.done])

    async def _answer(self, batch: Sequence[Waiting]) -> None:
        turn = await self._answering.answer(batch)
        if turn is not None:
            self._learning.add(turn)

    async def _edit(self, edit: Edit, send: Send) -> None:
        """The event changes; it is answered only if it is fresh and newly addressed."""
        message = edit.message
        if message.author.is_me or message.author.is_bot:
            return
        event = await self._storage.edited(replace(message, text=said_text(message)), edit.at)
        if event is not None:
            self._learning.add(event)
        fresh = edit.at - message.at <= timedelta(seconds=self._limits.stale_seconds)
        if not fresh or self._is_stale(edit.at.timestamp()):
            return
        if event is None:
            await self._message(message, send)
            return
        place = await self._storage.place(message.where)
        attention = who_answers(message, place, self._present(message.persona, place))
        persona = attention.persona
        if persona and await self._storage.wants_answer(event.id, persona.key):
            await send(Kept())
            await self._queue(event, place, persona, send, message.id)

    def _present(self, named: str | None, place: Place | None) -> list[Persona]:
        """The personas that may speak in a place, its own first."""
        chosen = named or (place.persona if place else None) or self._default
        return [self._personas.get(chosen) or self._personas[self._default]]

    # -- after a restart -----------------------------------------------------------------
    async def _resend(self, turn: Turn, platform: Platform) -> bool:
        if self._is_stale(turn.started_at.timestamp()):
            await self._storage.undeliverable(
                turn.id, "too old when the program came back", self._clock.now()
            )
            return False
        if await self._delivery.deliver(turn, platform.reach(turn.place.where.key)):
            self._learning.add(turn)
            return True
        return False

    async def _take_up(self, pending: Pending, platform: Platform) -> bool:
        persona = self._personas.get(pending.persona)
        if persona is None or self._is_stale(pending.event.at.timestamp()):
            reason = "its persona is gone" if persona is None else "too old to answer"
            await self._storage.ignore([pending.event.id], reason)
            return False
        self._conversations.add(
            Waiting(
                event=pending.event,
                place=pending.place,
                persona=persona,
                send=platform.reach(pending.place.where.key),
                message_id=pending.message_id,
                done=asyncio.get_running_loop().create_future(),
            )
        )
        return True

    def _is_stale(self, timestamp: float) -> bool:
        return self._clock.now().timestamp() - timestamp > self._limits.stale_seconds
