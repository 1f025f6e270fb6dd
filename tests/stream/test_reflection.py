"""Reflections: when they come, what they rest on, where they are heard, when they go."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from bot.errors import ModelError
from bot.memory import Event, EventKind, Selection, Usage
from bot.ports import Line, Storage
from bot.stream.reflections import concluded, extracted
from bot.world import Hearing
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import FakeClock, ListPlatform, ScriptedChat, dm_with, room, says

BOATS = [f"the old boat number {n} leaks again" for n in range(18)]


class Thinker(ScriptedChat):
    """A model that concludes one thing from the first two lines it is shown."""

    def __init__(self) -> None:
        super().__init__(lambda _: "Aye.")
        self.shown: list[str] = []
        self.thinks = True

    async def structured(
        self, lines: Sequence[Line], schema: Mapping[str, object], *, max_tokens: int, purpose: str
    ) -> tuple[object, Usage | None]:
        if purpose != "reflect":
            return {}, None
        if not self.thinks:
            raise ModelError("No JSON.")
        self.shown.append(lines[-1].text)
        ids = [int(row.partition(":")[0]) for row in lines[-1].text.splitlines()[1:]]
        usage = Usage(purpose=purpose, model="x", prompt_tokens=5, completion_tokens=5, seconds=0.1)
        text = "Ana cares for her old boat more than for sleep."
        return {"conclusions": [{"text": text, "lines": [*ids[:2], 10_000]}]}, usage


@pytest.fixture
def model() -> Thinker:
    return Thinker()


async def told(make_engine: MakeEngine, store: Storage, clock: FakeClock) -> list[Event]:
    """Ana tells it all in her DM; returns the reflections."""
    limits = replace(LIMITS, learn_by_model=True)
    async with make_engine(store, limits=limits) as engine:
        for text in BOATS:
            clock.pass_time(minutes=1)
            await engine.handle(says("Ana", text, at=clock.now()), ListPlatform().send)
            await engine.idle()
    return await reflections(store)


async def reflections(store: Storage) -> list[Event]:
    stream = await store.full_stream(limit=200)
    return [event for event in stream if event.kind is EventKind.REFLECTION]


async def test_after_enough_new_lines_the_persona_thinks_back_once(
    make_engine: MakeEngine, store: Storage, clock: FakeClock, model: Thinker
) -> None:
    (thought,) = await told(make_engine, store, clock)
    assert thought.text == "Ana cares for her old boat more than for sleep."
    assert thought.speaker.name == "Ida"
    assert len(model.shown) == 1


async def test_without_a_model_it_notes_what_came_up_again_and_again(
    make_engine: MakeEngine, store: Storage, clock: FakeClock, model: Thinker
) -> None:
    model.thinks = False
    (thought,) = await told(make_engine, store, clock)
    assert "often speaks of" in thought.text
    assert "boat" in thought.text


async def test_a_reflection_is_heard_only_where_its_evidence_is(
    make_engine: MakeEngine, store: Storage, clock: FakeClock
) -> None:
    await told(make_engine, store, clock)
    ida = (await store.persona("ida", "Ida")).id
    own = (await store.place(dm_with("Ana"))).id
    for where, heard in ((own, 1), ((await store.place(dm_with("Ben"))).id, 0),
                         ((await store.place(room())).id, 0)):  # fmt: skip
        hearing = Hearing(persona=ida, place=where)
        found = await store.matching("cares for sleep", hearing, limit=9)
        assert sum(c.event.kind is EventKind.REFLECTION for c in found) == heard


async def test_a_reflection_goes_with_any_line_it_rests_on(
    make_engine: MakeEngine, store: Storage, clock: FakeClock
) -> None:
    await told(make_engine, store, clock)
    first = next(e for e in await store.full_stream(limit=200) if e.text == BOATS[0])
    await store.forget(Selection(events=(first.id,)))
    assert await reflections(store) == []


async def test_a_reflection_is_no_evidence_and_no_testimony(
    make_engine: MakeEngine, store: Storage, clock: FakeClock
) -> None:
    (thought,) = await told(make_engine, store, clock)
    ida, ana = thought.speaker.id, (await store.people_named("Ana"))[0][0].id
    again = await store.reflected(
        ida, ana, "x y z", place=thought.place_id, rests_on=[thought.id], at=clock.now()
    )
    assert again is None
    assert await store.claims(None, limit=5) == []


def test_only_lines_that_were_given_count_as_evidence() -> None:
    assert concluded({"conclusions": [{"text": "Ana likes boats.", "lines": [7, 8]}]}, []) == []
    assert concluded({"conclusions": "nonsense"}, []) == []
    assert extracted("Ana", []) == []
