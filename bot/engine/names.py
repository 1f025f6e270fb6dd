"""Names in the running program: whom those in a line mean, before an answer and after it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from bot.memory import Event, EventKind, Vector
from bot.names.forms import forms
from bot.names.meant import decide
from bot.names.notes import Doubt, names_note
from bot.names.profile import Bearer, Context
from bot.names.said import NameSaid, names_said, to_look_up
from bot.names.values import Meant, Outcome
from bot.passages import passage
from bot.ports import Embedder, Storage
from bot.world import Agent, AgentKind, Hearing

ANSWERED_WITHIN = timedelta(minutes=15)
"""A line this soon after one whose name stayed open may say who was meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The names of a line with the decisions, and who bears them."""

    meant: Sequence[Meant]
    bearers: Mapping[str, Sequence[Bearer]]


NOBODY = Found(meant=(), bearers={})


class Names:
    """Says whom names mean. Holds no state: all of it is in the store."""

    def __init__(self, *, storage: Storage, embedder: Embedder) -> None:
        self._storage = storage
        self._embedder = embedder

    async def find(
        self, event: Event, before: Sequence[Event], hearing: Hearing, persona: str = ""
    ) -> Found:
        """Whom the names in a line mean. `before` are the lines before it in its place;
        `persona` is the name of whoever hears it, who is spoken to by it."""
        wanted = to_look_up(event.text)
        bearers: Mapping[str, Sequence[Bearer]] = {}
        if wanted:
            bearers = await self._storage.bearers(
                wanted, hearing, event, embedder=self._embedder.name
            )
        said = [s for s in names_said(event.text, set(bearers)) if not _is_spoken_to(s, persona)]
        if not said:
            return NOBODY
        vector = await self._vector(event) if any(len(b) > 1 for b in bearers.values()) else None
        context = Context(event=event, before=before, vector=vector, hidden=set(bearers))
        meant = [
            Meant(said=one, decision=decide(one, context, bearers.get(one.form, ())))
            for one in said
        ]
        own = _forms_of_personas(before, persona)
        kept = [
            one
            for one in meant
            if bearers.get(one.said.form) or (one.said.is_person and one.said.form not in own)
        ]
        return Found(meant=kept, bearers=bearers)

    async def note(self, said: Sequence[Event], before: Sequence[Event], hearing: Hearing,
                   persona: str) -> str:  # fmt: skip
        """The prompt's section about names that several people bear; empty without any."""
        doubts: dict[str, Doubt] = {}
        for event in said:
            found = await self.find(event, before, hearing, persona)
            for one in found.meant:
                bearers = [b for b in found.bearers.get(one.said.form, ()) if not b.left_out]
                if len(bearers) > 1:
                    doubts[one.said.form] = Doubt(
                        speaker=event.speaker_name, meant=one, bearers=bearers
                    )
        return names_note(list(doubts.values()))

    async def learn(
        self, event: Event, lines: Sequence[Event], persona: Agent | None
    ) -> Mapping[str, int | None]:
        """Keeps whom the names of a line mean; agents by form, None where it stays open. What
        the line adds to earlier ones of its speaker whose names stayed open is used too."""
        witness = persona.id if persona else await self._storage.witness(event.id)
        if event.kind is not EventKind.MESSAGE or event.forwarded or witness is None:
            return {}
        hearing = Hearing(persona=witness, place=event.place_id)
        before = [one for one in lines if one.id != event.id]
        found = await self.find(event, before, hearing, persona.name if persona else "")
        kept = await self._storage.named(event.id, _without_left_out(found))
        await self._settle(event, before, hearing)
        return kept

    async def _settle(self, event: Event, before: Sequence[Event], hearing: Hearing) -> None:
        """A later line of the speaker tells who was meant: "the one from the bakery"."""
        open_ids = await self._storage.open_names(
            event.place_id, event.speaker.id, event.at - ANSWERED_WITHIN
        )
        for old in await self._storage.events([one for one in open_ids if one != event.id]):
            if old.at > event.at:
                continue
            both = replace(old, text=f"{old.text}\n{event.text}")
            found = await self.find(both, [e for e in before if e.id != old.id], hearing)
            settled = [m for m in found.meant if m.decision.outcome is Outcome.RESOLVED]
            names = {one.name for one in await self._storage.names_in(old.id)}
            if {one.said.name for one in settled} >= names:
                await self._storage.named(old.id, [m for m in settled if m.said.name in names])

    async def _vector(self, event: Event) -> Vector:
        text = passage(event.speaker_name, event.text)
        (vector,) = await self._embedder.embed([text], kind="passage")
        return np.asarray(vector, dtype=np.float32)


def _is_spoken_to(said: NameSaid, persona: str) -> bool:
    """Whoever hears the line is called by the name, not spoken of."""
    return said.is_called and said.form in forms(persona)


def _forms_of_personas(before: Sequence[Event], persona: str) -> set[str]:
    """What the personas that are there are called by: nobody else is meant, unless somebody
    else is known to bear the name."""
    names = [e.speaker.name for e in before if e.speaker.kind is AgentKind.PERSONA]
    return {form for name in dict.fromkeys([*names, persona]) for form in forms(name)}


def _without_left_out(found: Found) -> list[Meant]:
    """Nothing is kept of those who want nothing kept."""
    out = {b.agent.id for bearers in found.bearers.values() for b in bearers if b.left_out}
    return [one for one in found.meant if one.decision.agent not in out]
