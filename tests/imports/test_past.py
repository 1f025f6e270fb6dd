"""A persona's own past: stored once, kept in step with its file."""

from datetime import UTC, datetime

import numpy as np
import pytest

from bot.memory import Event, EventKind, Precision
from bot.passages import passage
from bot.past import learn_past
from bot.persona import Persona
from bot.ports import Storage
from bot.world import Hearing
from tests.fakes import NeutralScorer, WordEmbedder, a_persona

STORM: dict[str, object] = {
    "when": "1998-06",
    "text": "The storm took the jetty.",
    "place": "Skerry",
}
GULL: dict[str, object] = {
    "when": "2001",
    "text": "A gull lived in the kitchen.",
    "people": ["Tom"],
    "importance": 0.9,
}


def with_past(*memories: dict[str, object], key: str = "ida", name: str = "Ida") -> Persona:
    return a_persona(key, name, memories=list(memories))


async def learn(store: Storage, persona: Persona, embedder: WordEmbedder | None = None) -> int:
    return await learn_past(
        persona, storage=store, embedder=embedder or WordEmbedder(), scorer=NeutralScorer()
    )


async def recalled(store: Storage, persona: Persona) -> list[Event]:
    agent = await store.persona(persona.key, persona.name)
    vector = (await WordEmbedder().embed(["storm gull"], kind="query"))[0].astype(np.float32)
    found = await store.nearest(vector, "words", Hearing(persona=agent.id), limit=100)
    return sorted((each.event for each in found), key=lambda event: event.at)


async def test_the_past_is_stored_as_the_persona_tells_it(store: Storage) -> None:
    persona = with_past(STORM, GULL)
    assert await learn(store, persona) == 2
    storm, gull = await recalled(store, persona)
    agent = await store.persona(persona.key, persona.name)
    assert (storm.kind, storm.speaker.id, storm.text) == (EventKind.SEED, agent.id, STORM["text"])
    assert (storm.at, storm.precision) == (datetime(1998, 6, 1, tzinfo=UTC), Precision.MONTH)
    assert (storm.place_name, gull.importance) == ("Skerry", 0.9)


async def test_a_second_start_embeds_nothing(store: Storage) -> None:
    await learn(store, with_past(STORM, GULL))
    embedder = WordEmbedder()
    assert await learn(store, with_past(GULL, STORM), embedder) == 0
    assert embedder.asked == []


async def test_only_what_is_new_in_the_file_is_embedded(store: Storage) -> None:
    await learn(store, with_past(STORM))
    embedder = WordEmbedder()
    assert await learn(store, with_past(STORM, GULL), embedder) == 1
    assert embedder.asked == [passage("Ida", "A gull lived in the kitchen.")]


@pytest.mark.parametrize("other", [{"text": "The storm left the jetty."}, {"when": "1999"}])
async def test_a_memory_that_was_reworded_replaces_the_old_one(
    store: Storage, other: dict[str, object]
) -> None:
    await learn(store, with_past(STORM))
    persona = with_past({**STORM, **other})
    assert await learn(store, persona) == 1
    (only,) = await recalled(store, persona)
    assert (only.text, str(only.at.year)) == (
        other.get("text", STORM["text"]),
        str(other.get("when", "1998"))[:4],
    )


async def test_a_memory_taken_out_and_put_back_is_there_again(store: Storage) -> None:
    persona = with_past(STORM, GULL)
    await learn(store, persona)
    assert await learn(store, with_past(GULL)) == 0
    assert [event.text for event in await recalled(store, persona)] == [GULL["text"]]
    assert await learn(store, persona) == 1
    assert len(await recalled(store, persona)) == 2


async def test_the_same_memory_written_twice_is_one(store: Storage) -> None:
    assert await learn(store, with_past(STORM, STORM)) == 1


async def test_two_personas_with_one_memory_have_it_each(store: Storage) -> None:
    ida, mira = with_past(STORM), with_past(STORM, key="mira", name="Mira")
    assert await learn(store, ida) == await learn(store, mira) == 1
    await learn(store, with_past(key="mira", name="Mira"))
    assert len(await recalled(store, ida)) == 1
    assert await recalled(store, mira) == []


async def test_a_persona_without_a_past_asks_no_encoder(store: Storage) -> None:
    embedder = WordEmbedder()
    assert await learn(store, a_persona(), embedder) == 0
    assert embedder.asked == []
