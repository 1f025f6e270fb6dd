"""The one structured call of a turn: asks the small model what the lines say."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta

from bot.clock import Clock
from bot.engine.names import Names
from bot.errors import ModelError
from bot.memory import Event, Turn
from bot.names.notes import known_by
from bot.ports import ChatModel, Storage
from bot.stream.understood import SCHEMA, LineRead, Offered, asking, understood
from bot.world import Hearing

log = logging.getLogger(__name__)

ANSWER_TOKENS = 700
MOST_CLAIMS = 12
MOST_EARLIER = 12
REMEMBERED = timedelta(days=60)
CALL_SECONDS = 60.0


class Understanding:
    """Asks a model. `failed` counts the calls whose answers could not be used."""

    def __init__(self, *, storage: Storage, names: Names, model: ChatModel, clock: Clock) -> None:
        self._storage = storage
        self._names = names
        self._model = model
        self._clock = clock
        self.failed = 0

    async def read(self, turn: Turn, said: Sequence[Event]) -> Mapping[int, LineRead] | None:
        """What each line says, by event id; None if the model gave nothing that can be used:
        then the rules do what they can."""
        lines = [event for event in said if not event.forwarded]
        if not lines:
            return None
        offered = await self._offered(turn, lines)
        try:
            async with asyncio.timeout(CALL_SECONDS):
                answer, usage = await self._model.structured(
                    asking(offered), SCHEMA, max_tokens=ANSWER_TOKENS, purpose="learn"
                )
            if usage is not None:
                await self._storage.used(usage, place=turn.place.id, at=self._clock.now())
            return understood(answer, offered)
        except (ModelError, TimeoutError, ValueError) as error:
            self.failed += 1
            log.warning(
                "Turn %d was understood by rules alone (%d so far): %s",
                turn.id,
                self.failed,
                error or "the model took too long",
            )
            return None

    async def _offered(self, turn: Turn, lines: Sequence[Event]) -> Offered:
        hearing = Hearing(persona=turn.persona.id, place=turn.place.id)
        now = lines[-1].at
        present = await self._storage.window(
            turn.place.id, before=now + timedelta(microseconds=1), limit=24
        )
        people = {turn.persona.id: turn.persona.name}
        people |= {event.speaker.id: event.speaker_name for event in (*present, *lines)}
        claims = await self._storage.claims(hearing, since=now - REMEMBERED, limit=MOST_CLAIMS)
        people |= {c.subject.id: c.subject.name for c in claims if c.subject is not None}
        for event in lines:
            found = await self._names.find(event, present, hearing)
            people |= known_by(found.bearers)
        said = {event.id for event in lines}
        first = min((event.at, event.id) for event in lines)
        earlier: list[Event] = []
        for speaker in dict.fromkeys(event.speaker.id for event in lines):
            own = await self._storage.own_words(speaker, "", hearing, limit=MOST_EARLIER)
            earlier += [e for e in own if (e.at, e.id) < first and e.superseded_by is None]
        return Offered(
            lines=lines,
            people=people,
            claims=[c for c in claims if c.event not in said],
            earlier=earlier[:MOST_EARLIER],
        )
