"""Learning about people and places: exchanges, stages, relation words, hearsay, the scene."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta

from bot.emotion import NEUTRAL
from bot.engine.corrections import Corrections
from bot.engine.names import Names
from bot.engine.rumours import Rumours
from bot.engine.understanding import Understanding
from bot.memory import Event, EventKind, Turn, TurnState
from bot.names.forms import skeleton
from bot.ports import Storage
from bot.stream.bonds import Exchange, WeightRule
from bot.stream.exchanges import answered
from bot.stream.relations import relations_said
from bot.stream.scenes import narrated_changes
from bot.stream.understood import LineRead
from bot.stream.weights import Side, weigh
from bot.world import Agent, AgentKind

LINES = 24
"""Whom a line answers is looked for among so many lines before it."""


class Circle:
    """What a turn, or a line that nobody was to answer, says about people and places.

    Learning the same thing twice changes nothing, so that it may be resumed. Called for several
    places at once, only the model is asked at the same time: what is stored for one turn is
    seen by the next, so that two places that tell one rumour make one claim.
    """

    def __init__(
        self,
        *,
        storage: Storage,
        rumours: Rumours,
        names: Names,
        rule: WeightRule,
        understanding: Understanding | None,
    ) -> None:
        self._storage = storage
        self._understanding = understanding
        self._rumours = rumours
        self._names = names
        self._corrections = Corrections(storage=storage)
        self._rule = rule
        self._storing = asyncio.Lock()

    async def learn(self, item: Turn | Event) -> None:
        """Stores what follows from it. Vectors and feelings are stored already."""
        if isinstance(item, Turn):
            await self._turn(item)
            return
        async with self._storing:
            for event in await self._storage.events([item.id]):
                await self._line(event, None, alone=False)

    async def _turn(self, turn: Turn) -> None:
        heard = turn.reply if turn.reply is not None and not turn.failed else None
        ids = [*(event.id for event in turn.said), *([heard.id] if heard else [])]
        lines = await self._storage.events(ids)
        reply = next((event for event in lines if heard and event.id == heard.id), None)
        said = [event for event in lines if event is not reply]
        read: Mapping[int, LineRead] = {}
        if self._understanding is not None and turn.state is not TurnState.LEARNED:
            read = await self._understanding.read(turn, said) or {}
        async with self._storing:
            await self._said(turn, said, reply, read)

    async def _said(
        self, turn: Turn, said: Sequence[Event], reply: Event | None, read: Mapping[int, LineRead]
    ) -> None:
        for speaker in dict.fromkeys(event.speaker.id for event in said):
            theirs = [event for event in said if event.speaker.id == speaker]
            if reply is not None and theirs[0].speaker.kind is not AgentKind.BOT:
                await self._exchange(theirs, [reply], turn=turn.id)
            for event in theirs:
                await self._line(
                    event, turn.persona, alone=turn.place.is_dm, read=read.get(event.id)
                )
        if reply is not None:
            await self._scene(reply)

    async def _line(
        self, event: Event, hearer: Agent | None, *, alone: bool, read: LineRead | None = None
    ) -> None:
        """One line of a person; `hearer` is the persona that it spoke to, if it was one.
        `alone`: nobody else can be answered there. `read` is what a model made of it; without
        it, rules."""
        if event.kind is not EventKind.MESSAGE or event.speaker.kind is not AgentKind.PERSON:
            return
        persona = before = hearer.id if hearer else None
        lines = await self._lines_up_to(event)
        named = await self._names.learn(event, lines, hearer)
        if not alone:
            pairing = answered(lines, await self._storage.aims([one.id for one in lines]))
            if pairing is not None:
                await self._exchange(pairing.said, pairing.answer, turn=None)
                before = pairing.said[0].speaker.id if persona is None else persona
        if read is not None:
            await self._from_model(event, read)
        elif not event.forwarded:
            await self._relations(event, lines, before, named)
            if persona is not None:
                await self._corrections.learn(event, persona, in_dm=alone)
            await self._scene(event)
        await self._rumours.learn(event, lines, named, read, hearer.name if hearer else "")

    async def _from_model(self, event: Event, read: LineRead) -> None:
        for other, word in read.relations:
            await self._storage.related(event.speaker.id, other, word, event=event.id, at=event.at)
        await self._corrections.replace(read.replaces, event)
        if read.scene:
            await self._storage.change_scene(
                event.place_id, read.scene, at=event.at, event=event.id
            )
        else:
            await self._scene(event)

    async def _lines_up_to(self, event: Event) -> list[Event]:
        lines = await self._storage.window(
            event.place_id, before=event.at + timedelta(microseconds=1), limit=LINES
        )
        return [one for one in lines if (one.at, one.id) < (event.at, event.id)] + [event]

    async def _exchange(
        self, said: Sequence[Event], answer: Sequence[Event], *, turn: int | None
    ) -> None:
        exchange = Exchange(
            said=said[-1].id,
            answer=answer[-1].id,
            deltas=weigh(_side(said), _side(answer), self._rule),
            rule=self._rule,
            begun=said[-1].at,
            at=answer[-1].at,
            turn=turn,
        )
        await self._storage.exchanged(exchange)

    async def _relations(
        self,
        event: Event,
        lines: Sequence[Event],
        spoken_to: int | None,
        named: Mapping[str, int | None],
    ) -> None:
        names = {
            one.speaker_name.casefold(): one.speaker.id
            for one in lines
            if one.speaker.id != event.speaker.id
        }
        known = [one.speaker_name for one in lines]
        for said in relations_said(event.text, known):
            form = skeleton(said.name)
            other = named.get(form, names.get(said.name.casefold())) if said.name else spoken_to
            if other is not None and other != event.speaker.id:
                await self._storage.related(
                    event.speaker.id, other, said.word, event=event.id, at=event.at
                )

    async def _scene(self, event: Event) -> None:
        if event.forwarded or not narrated_changes(event.text, None):
            return
        known = [item.item for item in await self._storage.scene(event.place_id)]
        if changes := narrated_changes(event.text, known):
            await self._storage.change_scene(event.place_id, changes, at=event.at, event=event.id)


def _side(events: Sequence[Event]) -> Side:
    speaker = events[-1].speaker
    return Side(
        agent=speaker.id,
        names=tuple(dict.fromkeys([speaker.name, *(event.speaker_name for event in events)])),
        texts=tuple(event.text for event in events),
        emotions=tuple(
            NEUTRAL if event.forwarded else event.emotion or NEUTRAL for event in events
        ),
        is_persona=speaker.kind is AgentKind.PERSONA,
    )
