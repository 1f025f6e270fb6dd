"""Several personas in one place: who answers, how they talk with each other, and when they stop."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from bot.engine import Engine
from bot.errors import SendError
from bot.memory import Selection, Share
from bot.ports import Line, Storage
from bot.stream.bonds import StreamKind
from bot.stream.claims import ClaimStatus
from bot.world import Answers
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import (
    FakeClock,
    ListPlatform,
    ScriptedChat,
    a_persona,
    dm_with,
    person,
    room,
    says,
    until,
)

IDA, OTTO = a_persona("ida", "Ida"), a_persona("otto", "Otto", nicknames=["Ferryman"])
BOTH = (IDA, OTTO)
KITCHEN = room("kitchen")


@pytest.fixture
def platform() -> ListPlatform:
    return ListPlatform()


@pytest.fixture
async def engine(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
    async with make_engine(store, personas=BOTH) as made:
        await both_in_the_kitchen(store)
        yield made


async def both_in_the_kitchen(store: Storage) -> None:
    place = await store.place(KITCHEN)
    await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
    await store.choose_persona(place.id, "ida,otto")


def who_asks(lines: Sequence[Line]) -> str:
    """The name of the persona that a prompt is for."""
    return "Otto" if "Otto keeps the lighthouse" in lines[0].text else "Ida"


def talking(ida: str, otto: str) -> ScriptedChat:
    return ScriptedChat(lambda lines: ida if who_asks(lines) == "Ida" else otto)


def spoken(platform: ListPlatform) -> list[str]:
    return [f"{reply.speaker}: {reply.text}" for reply in platform.sent]


async def hear(engine: Engine, platform: ListPlatform, text: str, **more: object) -> None:
    where = more.pop("where", KITCHEN)
    name = str(more.pop("who", "Ana"))
    at = engine._clock.now()
    await engine.handle(says(name, text, where, at=at, **more), platform.send)  # type: ignore[arg-type]
    await engine.idle()


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Otto, is the ferry late", "Otto"),
        ("Ferryman, is it late", "Otto"),
        ("Ida, is it", "Ida"),
        ("Otto, what does Ida say", "Otto"),
        ("Ida, what does Otto say", "Ida"),
    ],
)
async def test_whoever_is_named_first_answers(
    engine: Engine, platform: ListPlatform, model: ScriptedChat, text: str, who: str
) -> None:
    model.script = lambda _: "Aye."
    await hear(engine, platform, text)
    assert spoken(platform) == [f"{who}: Aye."]


async def test_the_first_of_the_place_answers_a_mention_without_a_name(
    engine: Engine, platform: ListPlatform
) -> None:
    await hear(engine, platform, "hello", mentions_me=True)
    assert [reply.speaker for reply in platform.sent] == ["Ida"]


async def test_a_reply_reaches_whoever_said_that(engine: Engine, platform: ListPlatform) -> None:
    await hear(engine, platform, "Otto, hello")
    await hear(engine, platform, "and you", replies_to_me=True, reply_to="r1")
    assert [reply.speaker for reply in platform.sent] == ["Otto", "Otto"]


async def test_one_persona_asks_another_and_is_answered_once(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    model.script = talking("Otto, is the ferry late?", "It is.").script
    await hear(engine, platform, "Ida, ask him")
    assert spoken(platform) == ["Ida: Otto, is the ferry late?", "Otto: It is."]
    assert "Ida: Otto, is the ferry late?" in model.prompts[-1][-2].text
    assert "# Also here\nIda." in model.prompts[-1][0].text


async def test_whoever_is_asked_back_answers_without_being_named(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    answers = iter(["Otto, is the ferry late?", "It is. Why do you ask?", "I am hungry."])
    model.script = lambda _: next(answers)
    await hear(engine, platform, "Ida, ask him")
    assert [reply.speaker for reply in platform.sent] == ["Ida", "Otto", "Ida"]


async def test_they_stop_after_so_many_lines_without_a_person(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    model.script = talking("Otto?", "Ida?").script
    await hear(engine, platform, "Ida, hello")
    assert [reply.speaker for reply in platform.sent] == ["Ida", "Otto", "Ida", "Otto"]
    engine._clock.pass_time(minutes=2)  # type: ignore[attr-defined]
    await hear(engine, platform, "Ida, go on")
    assert len(platform.sent) == 8


async def test_they_stop_after_so_many_lines_in_a_minute(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform, model: ScriptedChat
) -> None:
    model.script = talking("Otto?", "Ida?").script
    limits = replace(LIMITS, persona_turns=50, persona_turns_per_minute=5)
    async with make_engine(store, personas=BOTH, limits=limits) as engine:
        await both_in_the_kitchen(store)
        await hear(engine, platform, "Ida, hello")
        assert len(platform.sent) == 5
        await hear(engine, platform, "Ida, hello")
        assert len(platform.sent) == 6  # people are always answered


async def test_with_zero_turns_they_leave_each_other_alone(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform, model: ScriptedChat
) -> None:
    model.script = talking("Otto?", "Ida?").script
    limits = replace(LIMITS, persona_turns=0)
    async with make_engine(store, personas=BOTH, limits=limits) as engine:
        await both_in_the_kitchen(store)
        await hear(engine, platform, "Ida, hello")
    assert [reply.speaker for reply in platform.sent] == ["Ida"]


async def test_nobody_answers_itself(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    model.script = lambda _: "Ida is my name. Is it not?"
    await hear(engine, platform, "Ida, who are you")
    assert [reply.speaker for reply in platform.sent] == ["Ida"]


async def test_a_paused_place_stops_them_too(
    engine: Engine, platform: ListPlatform, model: ScriptedChat, store: Storage
) -> None:
    async def pause(_: object) -> str:
        place = await store.place(KITCHEN)
        await store.set_setting(place.id, "paused", "yes")
        engine._house.settings_changed()
        return "Otto?"

    model.script = pause
    await hear(engine, platform, "Ida, hello")
    assert [reply.speaker for reply in platform.sent] == ["Ida"]


async def test_in_a_dm_there_is_one_persona(
    engine: Engine, platform: ListPlatform, model: ScriptedChat, store: Storage
) -> None:
    place = await store.place(dm_with("Ana"))
    await store.choose_persona(place.id, "otto,ida")
    model.script = lambda _: "Ida?"
    await hear(engine, platform, "Ida, hello", where=dm_with("Ana"))
    assert [reply.speaker for reply in platform.sent] == ["Otto"]


async def test_an_apology_is_answered_by_nobody(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform, model: ScriptedChat
) -> None:
    sorry = a_persona("ida", "Ida", apologies=["Otto, can you?"])
    model.script = lambda _: ""
    async with make_engine(store, personas=(sorry, OTTO)) as engine:
        await both_in_the_kitchen(store)
        await hear(engine, platform, "Ida, hello")
    assert spoken(platform) == ["Ida: Otto, can you?"]


async def test_each_remembers_what_it_witnessed_and_stands_to_the_other(
    engine: Engine, platform: ListPlatform, model: ScriptedChat, store: Storage
) -> None:
    model.script = talking("Otto, is the ferry late?", "It is.").script
    await hear(engine, platform, "Ida, ask him")
    ida, otto = await store.persona("ida", "Ida"), await store.persona("otto", "Otto")
    both = ["Ida, ask him", "Otto, is the ferry late?", "It is."]
    for one in (ida, otto):
        stream = await store.stream(StreamKind.EVENT, one.id, limit=9)
        assert [event.text for event in stream] == both
    for one, other in ((ida, otto), (otto, ida)):
        (bond,) = await store.bonds(one.id, others=[other.id])
        assert bond.standing.weight == 1  # a model's words prove no feeling
        assert bond.standing.exchanges == 1


async def test_their_words_are_no_testimony(
    engine: Engine, platform: ListPlatform, model: ScriptedChat, store: Storage
) -> None:
    await hear(engine, platform, "Ben is moving to Porto")
    model.script = talking(
        "Otto, Ben is moving to Porto, you know?", "Yes, he is, I saw it."
    ).script
    await hear(engine, platform, "Ida, tell him", who="Cleo")
    await hear(engine, platform, "Ida, tell him", who="Cleo")
    (claim,) = await store.claims(None, limit=9)
    assert claim.status is ClaimStatus.PENDING
    assert {check.agent.name for check in claim.checks} <= {"Cleo"}


async def test_forgetting_a_person_takes_what_they_set_going(
    engine: Engine, platform: ListPlatform, model: ScriptedChat, store: Storage
) -> None:
    model.script = talking("Otto, is the ferry late?", "It is.").script
    await hear(engine, platform, "Ida, ask him")
    ana = await store.person(person("Ana").account)
    assert ana is not None
    await store.forget(Selection(agent=ana.id, share=Share.EVERYTHING, now=engine._clock.now()))
    assert await store.full_stream(limit=9) == []


async def test_after_a_kill_the_other_answers_exactly_once(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform, clock: FakeClock,
    model: ScriptedChat,
) -> None:  # fmt: skip
    async def never() -> str:
        await asyncio.Event().wait()
        return ""

    model.script = lambda lines: "Otto?" if who_asks(lines) == "Ida" else never()
    limits = replace(LIMITS, stop_seconds=0)
    async with make_engine(store, personas=BOTH, limits=limits) as engine:
        await both_in_the_kitchen(store)
        await engine.handle(says("Ana", "Ida, hello", KITCHEN, at=clock.now()), platform.send)
        await until(lambda: len(model.prompts) == 2)  # Otto is thinking when all goes dark
    model.script = lambda _: "Aye."
    for _ in range(2):
        async with make_engine(store, personas=BOTH) as engine:
            await engine.resume(platform)
            await engine.idle()
    assert spoken(platform) == ["Ida: Otto?", "Otto: Aye."]


async def test_a_reply_that_was_not_sent_in_time_is_passed_on_when_it_is(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform, clock: FakeClock,
    model: ScriptedChat,
) -> None:  # fmt: skip
    model.script = talking("Otto?", "Aye.").script
    async with make_engine(store, personas=BOTH) as engine:
        await both_in_the_kitchen(store)
        platform.fail = [SendError("cut"), SendError("cut")]
        await hear(engine, platform, "Ida, hello")
        assert platform.sent == []
    platform.fail = []
    async with make_engine(store, personas=BOTH) as engine:
        await engine.resume(platform)
        await engine.idle()
    assert spoken(platform) == ["Ida: Otto?", "Otto: Aye."]
