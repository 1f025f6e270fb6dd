"""Imported conversations: their speakers are people, whether or not they have spoken yet."""

import numpy as np

from bot.emotion import NEUTRAL
from bot.memory import EventKind, Memory, Precision
from bot.ports import Storage
from bot.world import Hearing
from storage import SqliteStorage
from tests.fakes import NOON


async def test_somebody_who_speaks_later_is_the_same_person_from_the_start(
    store: Storage,
) -> None:
    await store.persona("ida", "Ida")
    lines = [("Ana", "hello Ben"), ("Ana", "are you there"), ("Ben", "yes")]
    memories = [
        Memory(
            source=f"plain:x:{n}",
            kind=EventKind.IMPORT,
            at=NOON,
            precision=Precision.MINUTE,
            speaker=speaker,
            text=text,
            people=("Ben",) if speaker == "Ana" else ("Ana",),
        )
        for n, (speaker, text) in enumerate(lines)
    ]
    for memory in memories:  # each in a call of its own, as at a batch's start
        await store.remember(
            "ida",
            "chat",
            [memory],
            people={},
            vectors=np.eye(1, 8, dtype=np.float32),
            embedder="fake",
            emotions=[NEUTRAL],
            scorer="none",
        )
    ben = (await store.people_named("Ben"))[0][0]
    heard = Hearing(persona=(await store.persona("ida", "Ida")).id, people=(ben.id,))
    found = {c.event.text for c in await store.matching("hello there yes", heard, limit=9)}
    assert found == {"hello Ben", "are you there", "yes"}
    assert await _kinds_of_agents(store) == {"persona", "person"}


async def _kinds_of_agents(store: Storage) -> set[str]:
    assert isinstance(store, SqliteStorage)
    rows = await store._db.read(lambda db: db.rows("select distinct kind from agent"))
    return {row["kind"] for row in rows}
