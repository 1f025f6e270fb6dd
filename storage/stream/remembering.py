"""Memories that no platform delivers: a persona's own past and imported conversations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bot.emotion import Emotion
from bot.memory import EventKind, Memory
from bot.world import AccountKey, Author, PlaceKey, PlaceKind, Where
from storage.base import Part, reads, writes
from storage.connection import Transaction
from storage.forgetting.removal import remove
from storage.rows import GIVEN, stamp, text_list
from storage.stream.names import heard_of
from storage.stream.vectors import keep_emotions, keep_vectors, renew_vectors
from storage.world.people import has_opted_out, persona_id, seen
from storage.world.places import keep_place
from storage.world.scope import scope_id

IMPORTED = "import"
"""The platform of people and places that exist only in an archive."""

LONG_AGO = "2000-01-01T00:00:00.000000+00:00"
"""Since when people of a persona's past are called so: nobody knows."""

OWN_PAST = "persona"
"""The platform of the place where a persona's own past happened."""


class Remembering(Part):
    """The part of the storage that takes in seeds and imports."""

    @writes
    async def remember(
        self,
        db: Transaction,
        persona: str,
        archive: str,
        memories: Sequence[Memory],
        *,
        people: Mapping[str, AccountKey],
        vectors: NDArray[np.float32],
        embedder: str,
        emotions: Sequence[Emotion],
        scorer: str,
    ) -> int:
        past = await _past(db, persona, archive, people)
        known = await known_sources(db, [one.source for one in memories])
        kept: list[tuple[int, int]] = []  # which memory became which event
        for number, memory in enumerate(memories):
            if memory.source in known:
                continue
            event = await past.keep(db, memory)
            if event is not None:
                kept.append((number, event))
                known.add(memory.source)
        await _join_as_witness(db, past, [one.source for one in memories])
        events = [event for _, event in kept]
        numbers = [number for number, _ in kept]
        await keep_vectors(db, events, vectors[numbers], embedder)
        await keep_emotions(db, events, [emotions[number] for number in numbers], scorer)
        return len(kept)

    @reads
    async def known_sources(
        self, db: Transaction, sources: Sequence[str], *, persona: str = ""
    ) -> set[str]:
        return await known_sources(db, sources, persona)

    @writes
    async def forget_seeds(self, db: Transaction, persona: str, keep: Sequence[str]) -> int:
        rows = await db.rows(
            f"""
            select e.id from event e
            join scope s on s.id = e.scope and s.kind = 'past'
            join agent a on a.id = s.persona
            where a.persona = ? and e.kind = '{EventKind.SEED}' and e.source not in {GIVEN}
            """,
            persona,
            text_list(keep),
        )
        # the author may bring them back, so nothing is buried
        await remove(db, [row["id"] for row in rows], bury=False)
        return len(rows)


async def known_sources(db: Transaction, sources: Iterable[str], persona: str = "") -> set[str]:
    given = text_list(sources)
    rows = await db.rows(
        f"""
        select e.source from event e
        where e.source in {GIVEN} and (? = '' or exists (
            select 1 from event_agent k join agent a on a.id = k.agent
            where k.event = e.id and a.persona = ?
        ))
        union
        select source from tombstone_source where source in {GIVEN}
        """,
        given,
        persona,
        persona,
        given,
    )
    return {row["source"] for row in rows}


@dataclass(slots=True, kw_only=True)
class _Past:
    """Where memories of one call go: the persona's past or an archive."""

    persona: int
    persona_name: str
    archive: str
    place: int
    scope: int
    people: Mapping[str, AccountKey]
    _agents: dict[str, tuple[int, int | None] | None] = field(default_factory=dict)

    async def keep(self, db: Transaction, memory: Memory) -> int | None:
        """The new event; None if its speaker opted out."""
        speaker = await self._speaker(db, memory)
        if speaker is None:
            return None
        agent, account = speaker
        event = await db.insert(
            """
            insert into event (kind, at, "precision", place, place_name, scope, speaker, account,
                               speaker_name, text, importance, remembered, source)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            memory.kind.value,
            stamp(memory.at),
            memory.precision.value,
            self.place,
            memory.place,
            self.scope,
            agent,
            account,
            memory.speaker or self.persona_name,
            memory.text,
            memory.importance,
            bool(memory.text.strip()),
            memory.source,
        )
        pointers = {(agent, "speaker")}
        if agent != self.persona:
            pointers.add((self.persona, "witness"))
        others = [await self._other(db, memory, name) for name in memory.people]
        pointers.update(other for other in others if other is not None)
        await db.many(
            "insert or ignore into event_agent values (?, ?, ?)",
            [(event, one, role) for one, role in sorted(pointers)],
        )
        return event

    async def _speaker(self, db: Transaction, memory: Memory) -> tuple[int, int | None] | None:
        name = memory.speaker
        if not name or name.casefold() == self.persona_name.casefold():
            return self.persona, None
        if name not in self._agents:
            self._agents[name] = await self._find_speaker(db, memory)
        return self._agents[name]

    async def _find_speaker(self, db: Transaction, memory: Memory) -> tuple[int, int | None] | None:
        if not self.archive:
            return await third_party(db, self.place, memory.speaker), None
        key = self.people.get(memory.speaker) or AccountKey(
            platform=IMPORTED, user=f"{self.archive}/{memory.speaker}"
        )
        if await has_opted_out(db, key):
            return None
        account, agent = await seen(
            db, Author(account=key, name=memory.speaker), server="", at=memory.at
        )
        await db.run("insert or ignore into scope_member values (?, ?)", self.scope, agent)
        return agent, account

    async def _other(self, db: Transaction, memory: Memory, name: str) -> tuple[int, str] | None:
        """Someone else who took part: a speaker of the archive, who may not have spoken yet,
        or in a persona's past one only heard of. None for somebody who opted out."""
        if name.casefold() == self.persona_name.casefold():
            return self.persona, "present"
        if not self.archive and name not in self._agents:
            return await third_party(db, self.place, name), "mentioned"
        found = await self._speaker(db, replace(memory, speaker=name))
        return (found[0], "present") if found is not None else None


async def _past(
    db: Transaction, persona: str, archive: str, people: Mapping[str, AccountKey]
) -> _Past:
    who = await persona_id(db, persona)
    row = await db.row("select name from agent where id = ?", who)
    assert row is not None
    key = PlaceKey(
        platform=IMPORTED if archive else OWN_PAST, bot_account="", chat=archive or persona
    )
    kind = PlaceKind.ARCHIVE if archive else PlaceKind.PAST
    place = await keep_place(db, Where(key=key, kind=kind, name=archive))
    scope = (
        await scope_id(db, "members", place=place.id)
        if archive
        else await scope_id(db, "past", persona=who)
    )
    return _Past(
        persona=who,
        persona_name=row["name"],
        archive=archive,
        place=place.id,
        scope=scope,
        people=people,
    )


async def third_party(db: Transaction, place: int, name: str) -> int:
    """Someone only heard of in this place, made if new: one name is one agent there."""
    row = await db.row(
        "select id from agent where home = ? and name = ? and kind = 'third_party'", place, name
    )
    if row is not None:
        return int(row["id"])
    return await heard_of(db, place, name, LONG_AGO)


async def _join_as_witness(db: Transaction, past: _Past, sources: Iterable[str]) -> None:
    """A second persona that is given the same archive knows its lines too."""
    rows = await db.rows(
        f"""
        select e.id from event e
        where e.place = ? and e.source in {GIVEN} and not exists (
            select 1 from event_agent k where k.event = e.id and k.agent = ?
        )
        """,
        past.place,
        text_list(sources),
        past.persona,
    )
    events = [row["id"] for row in rows]
    await db.many(
        "insert into event_agent values (?, ?, 'witness')", [(one, past.persona) for one in events]
    )
    await renew_vectors(db, events)
