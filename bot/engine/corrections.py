"""What people say of themselves replaces what they said before."""

from collections.abc import Sequence

from bot.memory import Event
from bot.ports import Storage
from bot.stream.corrections import SEARCHED, corrected_matters, matters
from bot.world import Hearing

LOOKED_AT = 40
"""So many earlier lines of a person are looked at."""


class Corrections:
    """Finds what a line corrects of its speaker's own earlier lines: the old stays as past."""

    def __init__(self, *, storage: Storage) -> None:
        self._storage = storage

    async def replace(self, old: Sequence[int], new: Event) -> None:
        """What a model found that the line corrects; the ids are of its speaker's lines."""
        for one in old:
            await self._storage.supersede(one, new.id, new.at)

    async def learn(self, event: Event, persona: int, *, in_dm: bool) -> None:
        """Supersedes what the line corrects. What is corrected in a DM stays uncorrected
        where others hear it: the correction was not for them."""
        changed = corrected_matters(event.text)
        if not changed or event.forwarded:
            return
        hearings = [Hearing(persona=persona, place=event.place_id)]
        if not in_dm:
            hearings.append(Hearing(persona=persona, people=(event.speaker.id,)))
        for matter in changed:
            for hearing in hearings:
                earlier = await self._storage.own_words(
                    event.speaker.id, SEARCHED[matter], hearing, limit=LOOKED_AT
                )
                for old in earlier:
                    if _is_replaced(old, event, matter):
                        await self._storage.supersede(old.id, event.id, event.at)


def _is_replaced(old: Event, new: Event, matter: str) -> bool:
    return (
        old.id != new.id
        and (old.at, old.id) < (new.at, new.id)
        and old.superseded_by is None
        and not old.forwarded
        and matter in matters(old.text)
    )
