"""Reflection in the running program: after enough new lines of somebody, a persona thinks
back over them."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Self

from bot.clock import Clock
from bot.engine.limits import Limits
from bot.errors import ModelError
from bot.house.house import House
from bot.memory import Event, Turn
from bot.ports import ChatModel, Storage
from bot.stream.reflections import (
    AFTER_LINES,
    MOST_LINES,
    SCHEMA,
    Conclusion,
    asking,
    concluded,
    extracted,
)
from bot.world import AgentKind, Hearing

log = logging.getLogger(__name__)

ANSWER_TOKENS = 300
CALL_SECONDS = 60.0


class Reflecting:
    """Thinks after a turn. Without a model it only notes what came up again and again."""

    def __init__(
        self, *, storage: Storage, house: House, clock: Clock, model: ChatModel | None
    ) -> None:
        self._storage = storage
        self._house = house
        self._clock = clock
        self._model = model
        self._thought: dict[tuple[int, int, int], int] = {}  # up to which line, by whom of whom

    @classmethod
    def of(
        cls, storage: Storage, house: House, clock: Clock, model: ChatModel, limits: Limits
    ) -> Self:
        """With the model, where the limits let it learn."""
        able = model if limits.learn_by_model else None
        return cls(storage=storage, house=house, clock=clock, model=able)

    async def after(self, turn: Turn) -> list[Event]:
        """What the persona concludes now about those whom it just answered; usually nothing.
        The same lines are never thought over twice."""
        found: list[Event] = []
        people = {
            event.speaker.id: event.speaker_name
            for event in turn.said
            if event.speaker.kind is AgentKind.PERSON
        }
        hearing = Hearing(persona=turn.persona.id, place=turn.place.id)
        for person, name in people.items():
            pair = (turn.persona.id, person, turn.place.id)
            lines = await self._storage.unreflected(person, hearing, limit=MOST_LINES)
            lines = [event for event in lines if event.id > self._thought.get(pair, 0)]
            if len(lines) < AFTER_LINES:
                continue
            self._thought[pair] = max(event.id for event in lines)
            for one in await self._conclusions(turn, name, lines):
                event = await self._storage.reflected(
                    turn.persona.id,
                    person,
                    one.text,
                    place=turn.place.id,
                    rests_on=one.rests_on,
                    at=lines[-1].at,
                )
                found += [event] if event is not None else []
        return found

    async def _conclusions(self, turn: Turn, name: str, lines: Sequence[Event]) -> list[Conclusion]:
        if self._model is None or await self._house.is_spent(turn.place):
            return extracted(name, lines)
        try:
            async with asyncio.timeout(CALL_SECONDS):
                answer, usage = await self._model.structured(
                    asking(name, lines), SCHEMA, max_tokens=ANSWER_TOKENS, purpose="reflect"
                )
            if usage is not None:
                await self._storage.used(usage, place=turn.place.id, at=self._clock.now())
            return concluded(answer, lines)
        except (ModelError, TimeoutError, ValueError) as error:
            log.warning("Turn %d: no model to reflect with: %s", turn.id, error or "too late")
            return extracted(name, lines)
