"""Circles, strangers and places in the running engine: what is learnt and what the prompt says."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.engine import Engine
from bot.past import learn_past
from bot.persona import SeedMemory
from bot.ports import Storage
from bot.stream.bonds import Bond, Stage, WeightRule
from bot.world import Answers, Where
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import (
    FakeClock,
    ListPlatform,
    NeutralScorer,
    ScriptedChat,
    WordEmbedder,
    a_persona,
    dm_with,
    room,
    says,
)
from tests.stream.feelings import WordScorer

IDA = a_persona(
    scene=[{"item": "lamp", "state": "dark"}],
    memories=[{"when": "1999", "text": "I once rowed out to a wreck alone."}],
)


class Evening:
    """An engine with its people; `say` lets one speak and waits until all is learnt."""

    def __init__(self, engine: Engine, store: Storage, clock: FakeClock, model: ScriptedChat):
        self.engine, self.store, self.clock, self.model = engine, store, clock, model
        self.platform = ListPlatform()

    async def say(self, name: str, text: str, where: Where | None = None, **more: object) -> str:
        """Returns the system part of the prompt, if a persona was asked."""
        before = len(self.model.prompts)
        self.clock.pass_time(seconds=20)
        message = says(name, text, where, at=self.clock.now(), **more)
        await self.engine.handle(message, self.platform.send)
        await self.engine.idle()
        asked = self.model.prompts[before:]
        return asked[-1][0].text if asked else ""

    async def bond(self, of: str, toward: str) -> Bond:
        one, other = await self.agent(of), await self.agent(toward)
        (bond,) = await self.store.bonds(one, others=[other])
        return bond

    async def agent(self, name: str) -> int:
        if name == "Ida":
            return (await self.store.persona("ida", "Ida")).id
        return (await self.store.people_named(name))[0][0].id

    async def open_room(self, where: Where) -> None:
        place = await self.store.place(where)
        await self.store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)


@pytest.fixture
async def scene(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> AsyncIterator[Evening]:
    async with make_engine(store, personas=(IDA,), scorer=WordScorer()) as engine:
        yield Evening(engine, store, clock, model)


async def test_a_joyful_exchange_raises_the_weight_by_one(scene: Evening) -> None:
    await scene.say("Ana", "what a lovely day")
    bond = await scene.bond("Ida", "Ana")
    assert (bond.standing.weight, bond.standing.exchanges) == (2, 1)
    assert (await scene.bond("Ana", "Ida")).standing.weight == 2


async def test_a_sorrow_costs_nothing_unless_the_patents_rule_is_chosen(
    scene: Evening, store: Storage, make_engine: MakeEngine
) -> None:
    await scene.say("Ana", "my dog died, you know")
    assert (await scene.bond("Ida", "Ana")).standing.weight == 1
    limits = replace(LIMITS, weight_rule=WeightRule.DIALOGUE)
    async with make_engine(store, limits=limits, scorer=WordScorer()) as engine:
        literal = Evening(engine, store, scene.clock, scene.model)
        await literal.say("Ben", "my dog died, you know")
        assert (await literal.bond("Ida", "Ben")).standing.weight == 0


async def test_a_stranger_is_introduced_once_and_known_from_then_on(scene: Evening) -> None:
    first = await scene.say("Ana", "hello there")
    assert "you do not know each other yet; say in passing who you are" in first
    second = await scene.say("Ana", "I keep twelve bees in the garden")
    assert "do not know each other" not in second
    assert "only just got to know Ana" in second


async def test_what_comes_to_mind_is_not_told_a_second_time_as_an_introduction(
    scene: Evening,
) -> None:
    others = [
        SeedMemory(when=str(1960 + n), text=f"In that year I painted boat number {n}.")
        for n in range(30)
    ]
    learnt = IDA.model_copy(update={"memories": (*others, *IDA.memories)})
    await learn_past(learnt, storage=scene.store, embedder=WordEmbedder(), scorer=NeutralScorer())
    prompt = await scene.say("Ana", "you once rowed out to a wreck alone?")
    assert prompt.count("I once rowed out to a wreck alone.") == 1
    assert 'such as: "In that year I painted boat number' in prompt


async def test_an_apology_is_no_introduction(scene: Evening) -> None:
    from bot.errors import ModelDown

    scene.model.script = lambda lines: ModelDown("down")
    await scene.say("Ana", "hello there")
    scene.model.script = lambda lines: "Hello."
    assert "do not know each other yet" in await scene.say("Ana", "are you there")


async def test_stages_grow_over_weeks_and_never_leak_numbers(scene: Evening) -> None:
    for _ in range(10):
        await scene.say("Ana", "this is lovely")
    assert (await scene.bond("Ida", "Ana")).stage is Stage.FIRST_MET  # one evening
    seen = set()
    for _ in range(12):
        scene.clock.pass_time(days=1)
        prompt = await scene.say("Ana", "lovely to see you")
        await scene.say("Ana", "tell me more, lovely")
        seen.add((await scene.bond("Ida", "Ana")).stage)
    assert (await scene.bond("Ida", "Ana")).stage is Stage.DEPENDENT
    assert seen == {Stage.FIRST_MET, Stage.FAMILIAR, Stage.DEPENDENT}
    assert "one of the people closest to you" in prompt
    about = prompt[prompt.index("# Who is here") :].split("\n\n")[0]
    assert not re.search(r"\d|first_met|familiar|dependent|separated|weight", about)
    await scene.say("Ana", "I hate you, you are stupid")
    assert (await scene.bond("Ida", "Ana")).stage is Stage.DEPENDENT


async def test_who_comes_back_after_a_long_time_is_greeted_as_that(scene: Evening) -> None:
    for _ in range(5):
        scene.clock.pass_time(days=1)
        await scene.say("Ana", "lovely to see you")
        await scene.say("Ana", "lovely again")
    assert (await scene.bond("Ida", "Ana")).stage is Stage.FAMILIAR
    scene.clock.pass_time(days=100)
    prompt = await scene.say("Ana", "hello, it is me")
    assert "you have not spoken for some months: greet it as a return" in prompt
    assert "drifted apart" in prompt
    assert (await scene.bond("Ida", "Ana")).stage is Stage.SEPARATED
    for _ in range(2):
        scene.clock.pass_time(days=1)
        await scene.say("Ana", "lovely to be back")
        await scene.say("Ana", "so lovely")
    assert (await scene.bond("Ida", "Ana")).stage is Stage.FAMILIAR


async def test_a_friendship_breaks_over_days_of_insults(scene: Evening) -> None:
    for _ in range(4):
        scene.clock.pass_time(days=1)
        await scene.say("Ana", "lovely to see you")
        await scene.say("Ana", "lovely")
    for _ in range(4):
        scene.clock.pass_time(days=1)
        await scene.say("Ana", "I hate you")
        await scene.say("Ana", "you are stupid")
    assert (await scene.bond("Ida", "Ana")).stage is Stage.SEPARATED


async def test_people_among_themselves_have_relationships_the_persona_sees(scene: Evening) -> None:
    await scene.open_room(room())
    for n in range(5):
        await scene.say("Ana", f"you are lovely {n}", room())
        await scene.say("Ben", f"and you are lovely too {n}", room())
    assert (await scene.bond("Ana", "Ben")).standing.weight == 6
    assert (await scene.bond("Ben", "Ana")).standing.exchanges == 5
    prompt = await scene.say("Cleo", "Ida, who is here?", room())
    assert "Ana and Ben are friends" in prompt or "Ben and Ana are friends" in prompt
    assert "friends" not in await scene.say("Cleo", "and who is that?")


async def test_relation_words_stand_in_the_prompt_where_they_were_said(scene: Evening) -> None:
    await scene.open_room(room())
    await scene.say("Ben", "good evening", room())
    await scene.say("Ana", "everybody, this is my brother Ben", room())
    prompt = await scene.say("Cleo", "Ida, hello", room())
    assert "Ana calls Ben their brother" in prompt
    await scene.say("Dan", "Ida, you are my best friend")
    assert "Dan calls you a friend" in await scene.say("Dan", "good night then")
    elsewhere = await scene.say("Dan", "Ida, good morning to you", room())
    assert "calls you" not in elsewhere  # said in a DM


async def test_what_somebody_told_comes_back_where_it_may_be_heard(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> None:
    limits = replace(LIMITS, recall_limit=0, window_lines=4)
    async with make_engine(store, limits=limits) as engine:
        await _tells_of_a_harp(Evening(engine, store, clock, model))


async def _tells_of_a_harp(scene: Evening) -> None:
    await scene.say("Ana", "I am secretly learning to play the harp")
    for n in range(4):
        await scene.say("Ana", f"and then {n}")
    prompt = await scene.say("Ana", "what now")
    assert 'Ana told you before: "I am secretly learning to play the harp"' in prompt
    assert "harp" not in await scene.say("Ana", "Ida, hello", room())


async def test_a_place_starts_from_the_persona_and_changes_by_narration(scene: Evening) -> None:
    assert "- lamp: dark, since a moment ago" in await scene.say("Ana", "hello there")
    await scene.say("Ana", "*lights the lamp*")
    scene.clock.pass_time(minutes=20)
    assert "- lamp: burning, for about 20 minutes" in await scene.say("Ana", "that is better")
    assert "- lamp: dark" in await scene.say("Ben", "hello")  # another place


async def test_what_the_persona_narrates_happens_too(scene: Evening) -> None:
    scene.model.script = lambda lines: "*puts out the lamp* Good night."
    await scene.say("Ana", "*lights the lamp*")
    assert "- lamp: out" in await scene.say("Ana", "where are you")


async def test_a_scene_belongs_to_its_place(scene: Evening) -> None:
    await scene.say("Ana", "*opens the blue door*", dm_with("Ana"))
    place = await scene.store.place(dm_with("Ana"))
    items = await scene.store.scene(place.id)
    assert {(i.item, i.state) for i in items} == {("lamp", "dark"), ("blue door", "open")}
