"""The application behind every platform: takes what comes in, decides, answers, learns."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from bot.attention import said_text
from bot.clock import Clock
from bot.commands import Desk, run_command, run_press
from bot.engine.admission import Admission, Admitted
from bot.engine.alerts import Alerts
from bot.engine.answering import Answering
from bot.engine.circle import Circle
from bot.engine.company import Company
from bot.engine.conversations import Conversations, Waiting
from bot.engine.delivery import Delivery
from bot.engine.greeting import greet
from bot.engine.learning import Learning
from bot.engine.limits import Limits
from bot.engine.names import Names
from bot.engine.reflecting import Reflecting
from bot.engine.resuming import Resuming
from bot.engine.rumours import Rumours
from bot.engine.scorers import Scorers
from bot.engine.understanding import Understanding
from bot.engine.upkeep import Upkeep
from bot.house.house import House
from bot.house.meter import Meter
from bot.house.plan import Plan
from bot.memory import Event, Received
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
    Started,
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
        plan: Plan | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._storage = storage
        self._clock = clock
        self.meter = Meter(started=clock.now())
        self._personas = personas
        self._default = default_persona
        self._house = House(
            storage=storage, clock=clock, plan=plan or Plan(), cooldowns=self._limits.cooldowns()
        )
        self._company = self._make_company()
        self._admission = self._make_admission()
        self._alerts = Alerts(storage=storage, house=self._house, owners=owners)
        self._delivery = Delivery(
            storage=storage, clock=clock, limits=self._limits, company=self._company
        )
        names = Names(storage=storage, embedder=embedder)
        rumours = Rumours(storage=storage, embedder=embedder, rules=self._limits.claims)
        scorers = Scorers(scorer, storage=storage, house=self._house)
        self._answering = Answering(
            storage=storage,
            rumours=rumours,
            names=names,
            model=model,
            embedder=embedder,
            scorers=scorers,
            delivery=self._delivery,
            clock=clock,
            limits=self._limits,
            house=self._house,
            company=self._company,
            help_lines=help_lines,
        )
        circle = self._make_circle(rumours, names, small_model)
        reflecting = Reflecting.of(storage, self._house, clock, small_model, self._limits)
        self._learning = Learning(
            storage=storage, embedder=embedder, scorers=scorers, clock=clock, circle=circle,
            reflecting=reflecting,
        )  # fmt: skip
        self._conversations = Conversations(self._answer, clock=clock, limits=self._limits)
        self._desk = self._make_desk(embedder, model.name, owners, pictures)
        self._arrivals: WeakValueDictionary[PlaceKey, asyncio.Lock] = WeakValueDictionary()
        self._receiving = asyncio.Semaphore(self._limits.prepared_at_once)
        self._tasks: list[asyncio.Task[None]] = []

    def _make_admission(self) -> Admission:
        return Admission(
            storage=self._storage,
            house=self._house,
            clock=self._clock,
            limits=self._limits,
            company=self._company,
        )

    def _make_company(self) -> Company:
        return Company(
            storage=self._storage,
            house=self._house,
            personas=self._personas,
            default=self._default,
            clock=self._clock,
            limits=self._limits,
        )

    def _make_circle(self, rumours: Rumours, names: Names, small_model: ChatModel) -> Circle:
        asked = Understanding(
            storage=self._storage, names=names, model=small_model, clock=self._clock
        )
        return Circle(
            storage=self._storage,
            rumours=rumours,
            names=names,
            rule=self._limits.weight_rule,
            understanding=asked if self._limits.learn_by_model else None,
        )

    def _make_desk(
        self,
        embedder: Embedder,
        model_name: str,
        owners: frozenset[AccountKey],
        pictures: Pictures | None,
    ) -> Desk:
        return Desk(
            storage=self._storage,
            embedder=embedder,
            clock=self._clock,
            answering=self._answering,
            learning=self._learning,
            owners=owners,
            model_name=model_name,
            personas=self._personas,
            house=self._house,
            meter=self.meter,
            pictures=pictures,
        )

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
                self.meter.commands += 1
                place = await self._storage.place(inbound.where)
                present = self._company.present(inbound.persona, place)
                await run_command(self._desk, inbound, present, send)
            case Press():
                place = await self._storage.place(inbound.where)
                present = self._company.present(inbound.persona, place)
                await run_press(self._desk, inbound, present, send)
            case Started():
                await greet(
                    inbound,
                    send,
                    storage=self._storage,
                    personas=self._personas,
                    speaking=lambda named, place: self._company.present(named, place)[0],
                )
            case _:
                await self._changed(inbound)

    async def _changed(self, change: Rename | Migrated | Membership | Described) -> None:
        """Nothing was said, but people or places are otherwise now."""
        match change:
            case Rename():
                await self._storage.renamed(change)
            case Migrated():
                await self._storage.migrated(change)
                self._house.settings_changed()
            case Membership():
                await self._admission.membership(change)
            case Described():
                await self._storage.place(change.where)

    async def resume(self, platform: Platform) -> int:
        """Takes up what a killed or stopped process left on a platform: replies that were
        not sent, messages that were not answered, turns that were not learnt. What is too
        old is kept, but not answered. Returns how many replies and messages it took up;
        they are under way in the background (`idle` waits for them)."""
        self._alerts.joined(platform)
        resuming = Resuming(
            storage=self._storage,
            clock=self._clock,
            personas=self._personas,
            admission=self._admission,
            delivery=self._delivery,
            conversations=self._conversations,
            company=self._company,
            learning=self._learning,
        )
        return await resuming.resume(platform)

    async def idle(self) -> None:
        """Returns when all is answered and learnt."""
        await self._conversations.idle()
        await self._learning.idle()

    async def keep_house(self) -> None:
        """Forgets what is older than its place keeps, and what the bot left, once a day
        until cancelled."""
        await Upkeep(storage=self._storage, clock=self._clock, house=self._house).run()

    # -- messages ------------------------------------------------------------------------
    async def _message(self, message: Message, send: Send) -> None:
        text = said_text(message)
        if not text or message.author.is_me or message.author.is_masked:
            return
        # one after the other within a place, so that events are stored as they arrived
        async with self._arrivals.setdefault(message.where.key, asyncio.Lock()):
            async with self._receiving:
                kept = await self._receive(replace(message, text=text))
            await send(Kept())
        if kept is None:
            return
        received, admitted = kept
        assert received.event is not None
        persona = admitted.persona
        if persona is None:
            if received.new:
                self._learning.add(received.event)
                if admitted.notice:
                    await self._alerts.budget_used_up(admitted, message, send)
        elif received.new:
            await self._queue(received.event, received.place, persona, send, message.id)
        elif waiting := self._conversations.waiting_for(received.event.id, persona.key):
            await asyncio.wait([waiting.done])

    async def _receive(self, message: Message) -> tuple[Received, Admitted] | None:
        """Step 1: the message is kept, and who answers it. None if it is not kept."""
        admitted = await self._admission.admit(message)
        if admitted is None:
            return None
        persona = admitted.persona
        received = await self._storage.received(
            message,
            persona=persona.key if persona else None,
            ignored=admitted.reason,
            hearers=[one.key for one in admitted.present],
        )
        if received.event is None:
            return None
        if received.new:
            self.meter.received += 1
            self.meter.ignored.update([admitted.reason] if admitted.reason else [])
            if persona is not None:
                self._house.took(message, received.place)
        return received, admitted

    async def _queue(
        self, event: Event, place: Place, persona: Persona, send: Send, message_id: str
    ) -> None:
        waiting = Waiting.made(
            event=event, place=place, persona=persona, send=send, message_id=message_id
        )
        self._conversations.add(waiting)
        await asyncio.wait([waiting.done])

    async def _answer(self, batch: Sequence[Waiting]) -> None:
        began = self._clock.now()
        turn = await self._answering.answer(batch)
        if turn is not None:
            seconds = (self._clock.now() - began).total_seconds()
            self.meter.took(seconds, failed=turn.failed)
            self._learning.add(turn)
            await self._company.pass_on(turn, batch[-1].send, self._conversations)

    async def _edit(self, edit: Edit, send: Send) -> None:
        """The event changes; it is answered only if it is fresh and newly addressed."""
        message = edit.message
        if message.author.is_me or message.author.is_masked:
            return
        event = await self._storage.edited(replace(message, text=said_text(message)), edit.at)
        if event is not None:
            await self._learning.again(event)
        fresh = edit.at - message.at <= timedelta(seconds=self._limits.stale_seconds)
        if not fresh or self._admission.is_stale(edit.at):
            return
        if event is None:
            await self._message(message, send)
            return
        admitted = await self._admission.admit(message)
        persona = admitted.persona if admitted else None
        if admitted and persona and await self._storage.wants_answer(event.id, persona.key):
            self._house.took(message, admitted.place)
            await send(Kept())
            await self._queue(event, admitted.place, persona, send, message.id)
