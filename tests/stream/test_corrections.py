"""A correction about oneself takes at once, in plain talk: the old fact stays as past."""

from collections.abc import AsyncIterator

import pytest

from bot.ports import Storage
from bot.stream.corrections import corrected_matters, matters
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ScriptedChat, room
from tests.stream.test_circle import Evening


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("I moved, I'm in Lyon now", {"home"}),
        ("I no longer work at the mill", {"work"}),
        ("actually, my name is Anna", {"name"}),
        ("I'm not vegetarian anymore", {"food"}),
        ("me mudé, ahora vivo en Lyon", {"home"}),
        ("我现在住在里昂", {"home"}),
        ("I live in Paris", set()),
        ("Ben moved, he's in Lyon now", set()),
        ("should I move to Lyon now?", set()),
        ("if I moved to Lyon now", set()),
        ('"I moved to Lyon now"', set()),
        ("the weather is nice now", set()),
    ],
)
def test_a_correction_tells_of_oneself_and_of_a_change(text: str, changed: set[str]) -> None:
    assert corrected_matters(text) == changed


def test_what_a_line_tells_of_its_speaker() -> None:
    assert matters("I live in Paris and I work at the mill") == {"home", "work"}
    assert matters("Ben lives in Paris") == set()


@pytest.fixture
async def scene(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> AsyncIterator[Evening]:
    model.script = lambda lines: "I see."
    async with make_engine(store) as engine:
        yield Evening(engine, store, clock, model)


async def lines(scene: Evening) -> dict[str, bool]:
    """What Ana said, and whether it is past."""
    own = await scene.store.own_words(await scene.agent("Ana"), "", None, limit=20)
    return {event.text: event.superseded_by is not None for event in own}


async def test_the_old_fact_is_past_the_new_one_holds(scene: Evening) -> None:
    await scene.say("Ana", "I live in Paris, near the canal")
    await scene.say("Ana", "my brother lives with a cat")
    await scene.say("Ana", "I moved, I'm in Lyon now")
    assert await lines(scene) == {
        "I live in Paris, near the canal": True,
        "my brother lives with a cat": False,
        "I moved, I'm in Lyon now": False,
    }


async def test_what_is_corrected_in_a_dm_stays_as_it_was_elsewhere(scene: Evening) -> None:
    await scene.say("Ana", "Ida, I live in Paris", room())
    await scene.say("Ana", "I moved, I'm in Lyon now")
    assert (await lines(scene))["Ida, I live in Paris"] is False
    await scene.say("Ana", "Ida, I live in Lyon now", room())
    assert (await lines(scene))["Ida, I live in Paris"] is True


async def test_nobody_corrects_somebody_else(scene: Evening) -> None:
    await scene.say("Ana", "Ida, I live in Paris", room())
    await scene.say("Ben", "Ida, I live in Lyon now, I moved", room())
    assert (await lines(scene))["Ida, I live in Paris"] is False
