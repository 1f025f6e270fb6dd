"""Two and three personas at one table: who is called together answers one after the other."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.called import called_together
from bot.engine import Engine
from bot.ports import Storage
from bot.world import Answers
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import FakeClock, ListPlatform, ScriptedChat, a_persona, room, says, until

SENGA = a_persona("senga", "Senga")
ANSELM = a_persona("anselm", "Anselm", nicknames=["Anselm of the Lifts"])
LIDONG = a_persona("lidong", "\u674e\u51ac")
QING = a_persona("qing", "\u963f\u9752")
TABLE = room("table")
ALL = (SENGA, ANSELM, LIDONG, QING)


async def sit_down(store: Storage, personas: str = "senga,anselm") -> None:
    place = await store.place(TABLE)
    await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
    await store.choose_persona(place.id, personas)


@pytest.fixture
async def engine(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
    async with make_engine(store, personas=ALL) as made:
        await sit_down(store)
        yield made


@pytest.fixture
def platform() -> ListPlatform:
    return ListPlatform()


def speakers(platform: ListPlatform) -> list[str]:
    return [reply.speaker for reply in platform.sent]


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("Senga and Anselm, what do you think?", ["senga", "anselm"]),
        ("anselm & SENGA: hello", ["anselm", "senga"]),
        ("Hello Senga, Anselm", ["senga", "anselm"]),
        ("Senga, Anselm: hello", ["senga", "anselm"]),
        ("Senga, Anselm, and \u674e\u51ac, hello", ["senga", "anselm", "lidong"]),
        ("Anselm of the Lifts y Senga, hola", ["anselm", "senga"]),
        ("Senga und Anselm, hallo", ["senga", "anselm"]),
        ("\u963f\u9752\u548c\u674e\u51ac\uff0c\u4f60\u4eec\u597d", ["qing", "lidong"]),
        ("Senga and Anselm, is \u674e\u51ac late", ["senga", "anselm"]),
        ("Senga, Anselm is late", []),
        ("Senga, what does Anselm say?", []),
        ("Senga or Anselm?", []),
        ("Senga and Ben, hello", []),
        ("Senga Anselm", []),
        ("good morning", []),
        ("", []),
    ],
)
def test_names_side_by_side_are_one_call(text: str, called: list[str]) -> None:
    assert [persona.key for persona in called_together(text, ALL)] == called


async def test_both_who_are_called_answer_one_after_the_other(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    model.script = lambda _: "Rain, I say."
    await engine.handle(says("Ana", "Senga and Anselm, how is the sky", TABLE), platform.send)
    await engine.idle()
    assert speakers(platform) == ["Senga", "Anselm"]
    assert "Ana spoke to you" not in model.prompts[0][0].text
    assert "Ana spoke to you as well: answer Ana too." in model.prompts[1][0].text
    assert "Ana: Senga and Anselm, how is the sky" in model.prompts[1][1].text


async def test_a_clock_of_the_platform_that_runs_ahead_sets_nobody_going_in_circles(
    engine: Engine, platform: ListPlatform, model: ScriptedChat, clock: FakeClock
) -> None:
    model.script = lambda _: "Rain, I say."
    ahead = clock.now() + timedelta(seconds=90)
    await engine.handle(says("Ana", "Senga and Anselm, hello", TABLE, at=ahead), platform.send)
    await engine.idle()
    assert speakers(platform) == ["Senga", "Anselm"]


async def test_all_three_who_are_called_answer_once(
    engine: Engine, platform: ListPlatform, model: ScriptedChat, store: Storage
) -> None:
    await sit_down(store, "senga,anselm,lidong")
    model.script = lambda _: "Rain, I say."
    text = "Anselm, Senga and \u674e\u51ac, how is the sky"
    await engine.handle(says("Ana", text, TABLE), platform.send)
    await engine.idle()
    assert speakers(platform) == ["Anselm", "Senga", "\u674e\u51ac"]


async def test_whoever_was_called_may_ask_back_and_is_not_told_of_the_call_again(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    answers = iter(["Rain.", "Snow, Senga?", "Rain, Anselm!", "Snow."])
    model.script = lambda _: next(answers)
    await engine.handle(says("Ana", "Senga and Anselm, how is the sky", TABLE), platform.send)
    await engine.idle()
    assert speakers(platform) == ["Senga", "Anselm", "Senga", "Anselm"]
    told = ["Ana spoke to you" in lines[0].text for lines in model.prompts]
    assert told == [False, True, False, False]


async def test_a_call_goes_no_further_than_the_limit(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform, model: ScriptedChat
) -> None:
    model.script = lambda _: "Rain, I say."
    limits = replace(LIMITS, persona_turns=1)
    async with make_engine(store, personas=ALL, limits=limits) as engine:
        await sit_down(store)
        await engine.handle(says("Ana", "Senga and Anselm, hello", TABLE), platform.send)
        await engine.idle()
    assert speakers(platform) == ["Senga"]


async def test_after_a_kill_the_second_who_was_called_answers_exactly_once(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform, model: ScriptedChat
) -> None:
    async def never() -> str:
        await asyncio.Event().wait()
        return ""

    model.script = lambda _: "Rain, I say." if len(model.prompts) == 1 else never()
    async with make_engine(store, personas=ALL, limits=replace(LIMITS, stop_seconds=0)) as engine:
        await sit_down(store)
        await engine.handle(says("Ana", "Senga and Anselm, hello", TABLE), platform.send)
        await until(lambda: len(model.prompts) == 2)  # Anselm is thinking when all goes dark
    model.script = lambda _: "Snow."
    for _ in range(2):
        async with make_engine(store, personas=ALL) as engine:
            await engine.resume(platform)
            await engine.idle()
    assert [reply.text for reply in platform.sent] == ["Rain, I say.", "Snow."]
    assert speakers(platform) == ["Senga", "Anselm"]
