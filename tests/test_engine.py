"""A message travels: received, answered, sent, learned; in order, once, whatever fails."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.engine import Engine, Limits
from bot.errors import ModelDown, SendError, Undeliverable
from bot.messages import Delete, Dropped, Edit, Kept, Outbound, Thinking
from bot.ports import Line, Storage
from bot.world import Answers
from storage import open_storage
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import (
    NOON,
    FakeClock,
    ListPlatform,
    ScriptedChat,
    a_persona,
    dialogue_end,
    dm_with,
    last_said,
    person,
    room,
    says,
    until,
)


@pytest.fixture
async def engine(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
    async with make_engine(store) as made:
        yield made


@pytest.fixture
def platform() -> ListPlatform:
    return ListPlatform()


async def test_a_message_is_answered_once_in_the_personas_name(
    engine: Engine, platform: ListPlatform
) -> None:
    await engine.handle(says("Ana", "hello"), platform.send)
    assert platform.texts == ["I heard: hello"]
    assert platform.sent[0].speaker == "Ida"
    assert isinstance(platform.outbound[0], Kept)
    assert isinstance(platform.outbound[1], Thinking)


async def test_a_message_is_kept_before_its_platform_is_told_so(
    engine: Engine, store: Storage, platform: ListPlatform
) -> None:
    events: list[int] = []

    async def send(outbound: Outbound) -> Sequence[str]:
        if isinstance(outbound, Kept):
            events.append((await store.counts())["events"])
        return await platform.send(outbound)

    await engine.handle(says("Ana", "hello"), send)
    assert events == [1]


async def test_a_message_that_was_long_on_its_way_is_kept_but_not_answered(
    engine: Engine, store: Storage, clock: FakeClock, platform: ListPlatform
) -> None:
    clock.pass_time(hours=2)
    await engine.handle(says("Ana", "hello"), platform.send)
    assert platform.texts == []
    assert (await store.counts())["events"] == 1
    await engine.handle(says("Ana", "there?", at=clock.now()), platform.send)
    assert platform.texts == ["I heard: there?"]


async def test_a_second_delivery_of_a_message_changes_nothing(
    engine: Engine, platform: ListPlatform
) -> None:
    message = says("Ana", "hello")
    await asyncio.gather(*(engine.handle(message, platform.send) for _ in range(5)))
    await engine.handle(message, platform.send)
    assert platform.texts == ["I heard: hello"]


async def test_what_was_said_comes_to_mind_later(
    engine: Engine, platform: ListPlatform, model: ScriptedChat, clock: FakeClock
) -> None:
    await engine.handle(says("Ana", "my cat is called Miso"), platform.send)
    for n in range(30):
        clock.pass_time(minutes=5)
        await engine.handle(says("Ana", f"chatter {n}", at=clock.now()), platform.send)
    await engine.idle()
    clock.pass_time(minutes=5)
    await engine.handle(says("Ana", "what is my cat called", at=clock.now()), platform.send)
    assert 'Ana said: "my cat is called Miso"' in model.prompts[-1][0].text


async def test_a_burst_is_answered_with_one_reply(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform, model: ScriptedChat
) -> None:
    async with make_engine(store, limits=replace(LIMITS, burst_seconds=1)) as engine:
        burst = [
            says("Ana", text, at=NOON + timedelta(seconds=n))
            for n, text in enumerate(["hi", "are you", "there?"])
        ]
        await asyncio.gather(*(engine.handle(message, platform.send) for message in burst))
    assert platform.texts == ["I heard: there?"]
    assert dialogue_end(model.prompts[-1]) == "Ana: hi\nAna: are you\nAna: there?"


async def test_messages_that_come_out_of_order_are_read_in_order(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform, model: ScriptedChat
) -> None:
    stored = asyncio.Event()

    async def slow(lines: Sequence[Line]) -> str:
        await stored.wait()
        return "Yes."

    model.script = slow
    async with make_engine(store) as engine:
        says_so = [
            says("Ana", text, at=NOON + timedelta(seconds=at))
            for text, at in (("hello", 0), ("second", 4), ("first", 2))
        ]
        talk = [asyncio.create_task(engine.handle(says_so[0], platform.send))]
        await until(lambda: bool(model.prompts))
        for number, message in enumerate(says_so[1:], 2):
            talk.append(asyncio.create_task(engine.handle(message, platform.send)))
            while (await store.counts())["events"] < number:
                pass
        stored.set()
        await asyncio.gather(*talk)
    assert len(model.prompts) == 2
    assert dialogue_end(model.prompts[-1]) == "Ana: first\nAna: second"


async def test_what_is_said_meanwhile_is_answered_next_and_in_order(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    async def slow(lines: Sequence[Line]) -> str:
        started.set()
        await go_on.wait()
        return f"to {last_said(lines)}"

    model.script = slow
    first = asyncio.create_task(engine.handle(says("Ana", "one"), platform.send))
    await started.wait()
    rest = [
        asyncio.create_task(engine.handle(says("Ana", word), platform.send))
        for word in ("two", "three")
    ]
    await asyncio.sleep(0.05)
    go_on.set()
    await asyncio.gather(first, *rest)
    assert platform.texts == ["to one", "to three"]


async def test_conversations_do_not_wait_for_each_other(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    stuck = asyncio.Event()

    async def script(lines: Sequence[Line]) -> str:
        if last_said(lines) == "wait":
            await stuck.wait()
        return f"to {last_said(lines)}"

    model.script = script
    waiting = asyncio.create_task(engine.handle(says("Ana", "wait"), platform.send))
    await engine.handle(says("Ben", "quick"), platform.send)
    assert platform.texts == ["to quick"]
    stuck.set()
    await waiting


async def test_when_the_model_is_down_the_persona_apologises_in_character(
    engine: Engine, platform: ListPlatform, model: ScriptedChat, caplog: pytest.LogCaptureFixture
) -> None:
    model.script = lambda _: ModelDown("The endpoint is down; check OPENAI_BASE_URL.")
    with caplog.at_level(logging.WARNING):
        await engine.handle(says("Ana", "hello"), platform.send)
    assert platform.texts[0] in a_persona().apologies
    assert "check OPENAI_BASE_URL" in caplog.text


async def test_an_apology_is_no_memory(
    engine: Engine, store: Storage, platform: ListPlatform, model: ScriptedChat
) -> None:
    model.script = lambda _: ModelDown("down")
    await engine.handle(says("Ana", "hello"), platform.send)
    await engine.idle()
    assert await store.unembedded("words", 10) == []
    assert (await store.embedders()) == {"words": 1}


async def test_a_model_that_takes_too_long_is_not_waited_for(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform, model: ScriptedChat
) -> None:
    async def never(_: Sequence[Line]) -> str:
        await asyncio.Event().wait()
        return ""

    model.script = never
    async with make_engine(store, limits=replace(LIMITS, answer_seconds=0.05)) as engine:
        await engine.handle(says("Ana", "hello"), platform.send)
    assert platform.texts[0] in a_persona().apologies


async def test_an_empty_answer_is_asked_for_once_more(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    answers = iter(["Ana: I speak for you", "Here I am."])
    model.script = lambda _: next(answers)
    await engine.handle(says("Ana", "hello"), platform.send)
    assert platform.texts == ["Here I am."]


async def test_a_send_that_fails_is_tried_again(engine: Engine, platform: ListPlatform) -> None:
    platform.fail = [SendError("the platform is busy")]
    await engine.handle(says("Ana", "hello"), platform.send)
    assert platform.texts == ["I heard: hello"]


async def test_what_can_never_be_delivered_is_recorded_and_not_tried_again(
    engine: Engine, store: Storage, platform: ListPlatform
) -> None:
    platform.fail = [Undeliverable("blocked")]
    await engine.handle(says("Ana", "hello"), platform.send)
    assert platform.texts == []
    assert await engine.resume(platform) == 0
    assert not (await store.unfinished("list")).unsent


async def test_a_reply_that_could_not_be_sent_is_sent_after_a_restart(
    tmp_path: Path, make_engine: MakeEngine, platform: ListPlatform
) -> None:
    platform.fail = [SendError("busy"), SendError("busy")]
    async with open_storage(tmp_path / "b.db") as store, make_engine(store) as engine:
        await engine.handle(says("Ana", "hello"), platform.send)
        assert platform.texts == []
    async with open_storage(tmp_path / "b.db") as store, make_engine(store) as engine:
        assert await engine.resume(platform) == 1
        assert platform.texts == ["I heard: hello"]
        await engine.idle()
        assert await engine.resume(platform) == 0


async def test_a_message_whose_answer_was_cut_off_is_answered_after_a_restart(
    tmp_path: Path, make_engine: MakeEngine, platform: ListPlatform, model: ScriptedChat
) -> None:
    async def never(_: Sequence[Line]) -> str:
        await asyncio.Event().wait()
        return ""

    model.script = never
    limits = replace(LIMITS, stop_seconds=0.01)
    async with (
        open_storage(tmp_path / "b.db") as store,
        make_engine(store, limits=limits) as engine,
    ):
        task = asyncio.create_task(engine.handle(says("Ana", "hello"), platform.send))
        await until(lambda: bool(model.prompts))
    with suppress(asyncio.CancelledError):
        await task
    model.script = lambda lines: f"late, to {last_said(lines)}"
    async with open_storage(tmp_path / "b.db") as store, make_engine(store) as engine:
        assert await engine.resume(platform) == 1
        await engine.idle()
    assert platform.texts == ["late, to hello"]


async def test_too_old_after_a_restart_is_kept_but_not_answered(
    tmp_path: Path, make_engine: MakeEngine, platform: ListPlatform, clock: FakeClock
) -> None:
    persona = a_persona()
    async with open_storage(tmp_path / "b.db") as store:
        await store.persona(persona.key, persona.name)
        await store.received(says("Ana", "anyone?"), persona=persona.key)
    clock.pass_time(days=1)
    async with open_storage(tmp_path / "b.db") as store, make_engine(store) as engine:
        assert await engine.resume(platform) == 0
        assert platform.texts == []
        assert not (await store.unfinished("list")).pending
        ana = await store.person(person("Ana").account)
        assert ana
        assert [e.text for e in await store.own_words(ana.id, "", None, limit=5)] == ["anyone?"]


async def test_own_messages_and_other_bots_are_not_even_kept(
    engine: Engine, store: Storage, platform: ListPlatform
) -> None:
    for author in (replace(person("Ida"), is_me=True), replace(person("Bot"), is_bot=True)):
        await engine.handle(says("x", "Ida, hello", author=author), platform.send)
    assert platform.texts == []
    assert (await store.counts())["events"] == 0


async def test_where_nobody_opened_the_room_unaddressed_lines_are_not_kept(
    engine: Engine, store: Storage, platform: ListPlatform
) -> None:
    await engine.handle(says("Ana", "hi Ben", room()), platform.send)
    assert (await store.counts())["events"] == 0


async def test_in_an_opened_room_lines_are_remembered_but_only_addressed_ones_answered(
    engine: Engine, store: Storage, platform: ListPlatform, model: ScriptedChat
) -> None:
    place = await store.place(room())
    await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
    await engine.handle(says("Ana", "Ben, the key is under the mat", room()), platform.send)
    await engine.handle(says("Ben", "Ida, heard that?", room()), platform.send)
    assert platform.texts == ["I heard: Ida, heard that?"]
    assert "Ana: Ben, the key is under the mat\nBen: Ida, heard that?" in dialogue_end(
        model.prompts[0]
    )


async def test_a_dm_never_reaches_another_persons_prompt(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    await engine.handle(says("Ana", "my secret is the blue heron"), platform.send)
    await engine.idle()
    await engine.handle(says("Ben", "what is the secret blue heron"), platform.send)
    await engine.handle(says("Ben", "Ida, the secret blue heron?", room()), platform.send)
    for prompt in model.prompts[1:]:
        assert "my secret" not in "".join(line.text for line in prompt)


async def test_an_edit_changes_the_memory_and_is_not_answered_again(
    engine: Engine, store: Storage, platform: ListPlatform
) -> None:
    message = says("Ana", "I like tea")
    await engine.handle(message, platform.send)
    edited = replace(message, text="I like coffee")
    await engine.handle(Edit(message=edited, at=NOON + timedelta(minutes=1)), platform.send)
    await engine.idle()
    assert len(platform.sent) == 1
    ana = await store.person(message.author.account)
    assert ana
    assert [e.text for e in await store.own_words(ana.id, "", None, limit=5)] == ["I like coffee"]
    assert await store.unembedded("words", 5) == []


async def test_an_edit_that_now_names_the_persona_is_answered(
    engine: Engine, platform: ListPlatform
) -> None:
    message = says("Ana", "hello", room())
    await engine.handle(message, platform.send)
    edited = replace(message, text="Ida, hello")
    await engine.handle(Edit(message=edited, at=NOON + timedelta(minutes=1)), platform.send)
    assert platform.texts == ["I heard: Ida, hello"]


async def test_an_old_message_that_is_edited_is_not_answered(
    engine: Engine, platform: ListPlatform
) -> None:
    message = says("Ana", "hello", room())
    edited = replace(message, text="Ida, hello")
    await engine.handle(Edit(message=edited, at=NOON + timedelta(days=2)), platform.send)
    assert platform.texts == []


async def test_a_deleted_message_goes_with_the_reply_to_it(
    engine: Engine, store: Storage, platform: ListPlatform
) -> None:
    message = says("Ana", "forget this")
    await engine.handle(message, platform.send)
    await engine.idle()
    key = message.where.key
    await engine.handle(Delete(place=key, ids=(message.id,), at=NOON), platform.send)
    assert (await store.counts())["events"] == 0
    await engine.handle(message, platform.send)
    assert (await store.counts())["events"] == 0


async def test_a_message_deleted_while_it_is_answered_gets_no_reply(
    engine: Engine, store: Storage, platform: ListPlatform, model: ScriptedChat
) -> None:
    message = says("Ana", "never mind")

    async def deletes_meanwhile(_: Sequence[Line]) -> str:
        key = message.where.key
        await engine.handle(Delete(place=key, ids=(message.id,), at=NOON), platform.send)
        return "You said never mind."

    model.script = deletes_meanwhile
    await engine.handle(message, platform.send)
    assert platform.texts == []
    assert isinstance(platform.outbound[-1], Dropped)
    assert (await store.counts())["events"] == 0


async def test_someone_who_opted_out_leaves_no_row_and_reaches_no_model(
    engine: Engine, store: Storage, platform: ListPlatform, model: ScriptedChat
) -> None:
    await store.opt_out(person("Ana").account, NOON)
    await engine.handle(says("Ana", "hello"), platform.send)
    assert model.prompts == []
    assert (await store.counts())["events"] == 0
    assert await store.person(person("Ana").account) is None


async def test_a_waiting_call_that_is_cancelled_does_not_lose_the_message(
    engine: Engine, platform: ListPlatform, model: ScriptedChat
) -> None:
    go_on = asyncio.Event()

    async def slow(lines: Sequence[Line]) -> str:
        await go_on.wait()
        return f"to {last_said(lines)}"

    model.script = slow
    task = asyncio.create_task(engine.handle(says("Ana", "hello"), platform.send))
    await until(lambda: bool(model.prompts))
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    go_on.set()
    await engine.idle()
    assert platform.texts == ["to hello"]


async def test_a_long_burst_is_answered_before_it_ends(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform
) -> None:
    limits = Limits(burst_seconds=1, burst_most_seconds=3, stop_seconds=1)
    async with make_engine(store, limits=limits) as engine:
        await engine.handle(says("Ana", "hello"), platform.send)
    assert platform.texts == ["I heard: hello"]


async def test_a_place_with_two_personas_named_each_is_answered_by_the_one_it_speaks_to(
    store: Storage, make_engine: MakeEngine, platform: ListPlatform
) -> None:
    async with make_engine(store, personas=(a_persona(), a_persona("olga", "Olga"))) as engine:
        await engine.handle(says("Ana", "hi", dm_with("Ana"), persona="olga"), platform.send)
    assert platform.sent[0].speaker == "Olga"
