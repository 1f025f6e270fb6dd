"""What a persona knows of place and people before it answers, as sections of the prompt."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.engine.names import Names
from bot.engine.rumours import Rumours
from bot.memory import Event, Turn
from bot.persona import Persona
from bot.ports import Storage
from bot.stream.hearsay import Question
from bot.stream.scenes import SceneChange, scene_note
from bot.stream.sight import Seen, Sighted, sight_note
from bot.world import AgentKind, Hearing

ACTIVE = timedelta(hours=2)
"""Whoever spoke here this recently is in sight."""

MOST_PEOPLE = 8
MOST_ADDRESSED = 3
"""Memories are looked up for so many of those who are answered."""

MOST_MEMORIES = 2
SHORTEST_MEMORY = 24
"""A line of fewer characters tells nothing worth repeating."""

MOST_NEWS = 12
"""Of so many of a persona's latest memories one that is not in mind anyway is shared."""

NOTE_SHARE = 0.15
"""Of the room of a prompt, people take at most this part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sights:
    """The sections of the prompt, and the question about hearsay that stands in them."""

    notes: Sequence[str]
    question: Question | None


class Sight:
    """Reads what is known of a scene. Holds no state."""

    def __init__(self, *, storage: Storage, rumours: Rumours, names: Names) -> None:
        self._storage = storage
        self._names = names
        self._rumours = rumours

    async def notes(
        self,
        turn: Turn,
        persona: Persona,
        *,
        window: Sequence[Event],
        in_mind: Collection[int],
        now: datetime,
        room: int,
    ) -> Sights:
        """The sections about the place, about whoever is in sight, and about hearsay.
        `in_mind` are events that the prompt shows anyway."""
        place = await self._place(turn, persona, now)
        people = await self._people(turn, window, in_mind, now, int(room * NOTE_SHARE))
        raised = await self._rumours.raised(
            turn,
            list(_speakers([e for e in turn.said if not _is_bot(e)]).items()),
            list(_speakers([event for event in window if now - event.at <= ACTIVE])),
            now,
        )
        hearing = Hearing(persona=turn.persona.id, place=turn.place.id)
        names = await self._names.note(turn.said, window, hearing, persona.name)
        notes = [note for note in (place, people, names, raised.note) if note]
        return Sights(notes=notes, question=raised.question)

    async def _place(self, turn: Turn, persona: Persona, now: datetime) -> str:
        items = await self._storage.scene(turn.place.id)
        if not items and persona.scene:
            start = [SceneChange(item=i.item, state=i.state) for i in persona.scene]
            await self._storage.start_scene(turn.place.id, start, turn.started_at)
            items = await self._storage.scene(turn.place.id)
        return scene_note(turn.place.where.name, items, now)

    async def _people(
        self,
        turn: Turn,
        window: Sequence[Event],
        in_mind: Collection[int],
        now: datetime,
        room: int,
    ) -> str:
        addressed = _speakers(turn.said)
        around = _speakers([event for event in window if now - event.at <= ACTIVE])
        names = {**addressed, **{k: v for k, v in around.items() if k not in addressed}}
        names.pop(turn.persona.id, None)
        ids = list(names)[:MOST_PEOPLE]
        if not ids:
            return ""
        hearing = Hearing(persona=turn.persona.id, place=turn.place.id)
        bonds = {b.other.id: b for b in await self._storage.bonds(turn.persona.id, others=ids)}
        before = min((event.at for event in (*window, *turn.said)), default=now)
        bots = {event.speaker.id for event in (*window, *turn.said) if _is_bot(event)}
        people = [
            Seen(
                id=one,
                name=names[one],
                is_bot=one in bots,
                bond=bonds.get(one),
                addressed=one in addressed,
                told=await self._told(one, hearing, before, in_mind)
                if one in list(addressed)[:MOST_ADDRESSED] and one in bonds
                else (),
            )
            for one in ids
        ]
        is_introduction = any(p.is_new and p.addressed and not p.is_bot for p in people)
        past = (
            await self._storage.own_past(turn.persona.id, limit=MOST_NEWS)
            if is_introduction
            else []
        )
        news = [event for event in past if event.id not in in_mind]
        sighted = Sighted(
            persona=turn.persona.id,
            people=people,
            ties=await self._storage.ties([turn.persona.id, *ids], hearing),
            news=news[-1] if news else None,
            now=now,
        )
        return sight_note(sighted, room=room)

    async def _told(
        self, person: int, hearing: Hearing, before: datetime, in_mind: Collection[int]
    ) -> list[Event]:
        told = await self._storage.told_by(
            person,
            hearing,
            before=before,
            shortest=SHORTEST_MEMORY,
            limit=MOST_MEMORIES + len(in_mind),
        )
        return [event for event in told if event.id not in in_mind][-MOST_MEMORIES:]


def _is_bot(event: Event) -> bool:
    return event.speaker.kind is AgentKind.BOT


def _speakers(events: Sequence[Event]) -> dict[int, str]:
    """Whoever spoke, the newest first, with the name they bore."""
    return {
        event.speaker.id: event.speaker_name
        for event in reversed(events)
        if event.speaker.kind is not AgentKind.THIRD_PARTY
    }
