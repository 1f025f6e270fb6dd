"""No update is lost, none is answered twice, and trouble is waited out and said."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from bot.errors import StorageError
from bot.messages import Command, Inbound, Message
from bot.ports import Line, Send
from tests.fakes import dialogue_end, last_said, until
from tests.platforms.telegram.fake_bot_api import Fault
from tests.platforms.telegram.world import PEOPLE, TelegramWorld


async def test_what_was_fetched_but_not_kept_is_delivered_to_the_next_process(
    world: TelegramWorld,
) -> None:
    async def never_keeps(inbound: Inbound, send: Send) -> None:
        await asyncio.Event().wait()

    await world.stop()
    await world.start(never_keeps)
    await world.api.deliver(world.bot, "message", world.write("hello"))
    await until(lambda: bool(world.heard))
    await world.restart()
    await world.settled()
    assert world.seen() == ["I heard: hello"]


async def test_one_chat_that_is_not_kept_does_not_hold_up_the_others(
    world: TelegramWorld,
) -> None:
    async def stuck_with_ana(inbound: Inbound, send: Send) -> None:
        if isinstance(inbound, Message) and inbound.author.name == "Ana":
            await asyncio.Event().wait()
        await world.engine.handle(inbound, send)

    await world.stop()
    await world.start(stuck_with_ana)
    await world.api.deliver(world.bot, "message", world.write("hello"))
    await until(lambda: bool(world.heard))
    await world.api.deliver(world.bot, "message", world.write("hello", who="Ben"))
    await until(lambda: bool(world.seen(who="Ben")))
    assert world.bot.updates[0]["message"]["from"]["first_name"] == "Ana"


async def test_an_update_is_confirmed_only_when_it_is_kept(world: TelegramWorld) -> None:
    await world.say("hello")
    assert world.bot.updates == []
    assert max(c.number("offset") for c in world.api.called("getUpdates")) == 2


async def test_a_slow_answer_does_not_hold_up_updates(world: TelegramWorld) -> None:
    waiting = asyncio.Event()

    async def slow(lines: Sequence[Line]) -> str:
        if "slow" in last_said(lines):
            await waiting.wait()
        return f"I heard: {last_said(lines)}"

    world.model.script = slow
    await world.api.deliver(world.bot, "message", world.write("slow"))
    await until(lambda: not world.bot.updates)
    await world.api.deliver(world.bot, "message", world.write("quick", who="Ben"))
    await until(lambda: world.seen(who="Ben") == ["I heard: quick"])
    assert world.seen() == []
    waiting.set()
    await world.settled()
    assert world.seen() == ["I heard: slow"]


async def test_messages_of_one_chat_are_told_in_order(world: TelegramWorld) -> None:
    lines = [f"line {n}" for n in range(20)]
    messages = [world.write(line, chat=world.room) for line in lines]
    await world.deliver("message", *messages)
    assert [message.text for message in world.heard_of(Message)] == lines


@pytest.mark.parametrize(
    "fault",
    [
        Fault(method="getUpdates", code=502),
        Fault(method="getUpdates", code=200, body=b"<html>"),
        Fault(method="getUpdates", reset=True),
        Fault(method="getUpdates", code=429, description="", parameters={"retry_after": 3}),
    ],
)
async def test_receiving_goes_on_after_trouble(world: TelegramWorld, fault: Fault) -> None:
    world.api.faults.append(fault)
    await world.say("hello")
    await world.say("again")
    assert world.seen() == ["I heard: hello", "I heard: again"]


async def test_a_second_receiver_is_said_clearly_and_not_fought(
    world: TelegramWorld, caplog: pytest.LogCaptureFixture
) -> None:
    taken = "Conflict: terminated by other getUpdates request"
    world.api.faults.append(Fault(method="getUpdates", code=409, description=taken, times=3))
    before = world.clock.now()
    await world.say("hello")
    await world.say("again")
    errors = [r.message for r in caplog.records if r.levelno == logging.ERROR]
    assert len(errors) == 3
    assert "stop the other program" in errors[0]
    assert (world.clock.now() - before).total_seconds() > 15 + 30


async def test_of_what_an_outage_held_back_only_what_is_recent_is_answered(
    world: TelegramWorld,
) -> None:
    await world.stop()
    old = world.write("I was here in the morning", chat=world.room)
    asked = world.write("Ida, are you up?", who="Ben")
    world.clock.pass_time(hours=3)
    recent = world.write("hello")
    await world.api.deliver(world.bot, "message", old, asked, recent)
    await world.start()
    await world.settled()
    assert world.seen() == ["I heard: hello"]
    assert world.seen(who="Ben") == []
    assert await world.events() == 4  # what came late is remembered all the same
    await world.say("Ida, who was here?", room=True)
    assert "in the morning" in dialogue_end(world.model.prompts[-1])


async def test_it_starts_when_telegram_can_be_reached_again(world: TelegramWorld) -> None:
    await world.stop()
    world.api.faults.append(Fault(method="getMe", times=2))
    await world.start()
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


async def test_an_update_that_cannot_be_read_is_passed_over(world: TelegramWorld) -> None:
    await world.api.queue(world.bot, {"update_id": 1, "message": {"message_id": "?"}})
    world.api.skip_updates(5)
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


async def test_an_update_of_an_unknown_kind_is_passed_over(world: TelegramWorld) -> None:
    await world.api.queue(world.bot, {"update_id": 1, "something_new": {"id": 1}})
    world.api.skip_updates(5)
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


async def test_what_the_store_does_not_take_is_tried_again(world: TelegramWorld) -> None:
    failures = 2

    async def full(inbound: Inbound, send: Send) -> None:
        nonlocal failures
        failures -= 1
        if failures >= 0:
            raise StorageError("disk full")
        await world.engine.handle(inbound, send)

    await world.stop()
    await world.start(full)
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


async def test_a_backlog_is_kept_and_only_what_is_recent_is_answered(
    world: TelegramWorld,
) -> None:
    await world.stop()
    old = world.write("anyone?")
    world.clock.pass_time(hours=3)
    new = world.write("hello?", who="Ben")
    await world.api.deliver(world.bot, "message", old, new)
    await world.start()
    await world.settled()
    assert world.seen() == []
    assert world.seen(who="Ben") == ["I heard: hello?"]
    assert await world.events() == 3


async def test_a_reply_under_way_is_finished_when_the_program_stops(
    world: TelegramWorld,
) -> None:
    async def a_moment(lines: Sequence[Line]) -> str:
        await asyncio.sleep(0.02)
        return "just in time"

    world.model.script = a_moment
    await world.api.deliver(world.bot, "message", world.write("hello"))
    await until(lambda: bool(world.model.prompts))
    await world.stop(seconds=5)
    assert world.seen() == ["just in time"]
    assert world.bot.updates == []
    await world.start()


async def test_a_command_is_not_run_twice(world: TelegramWorld) -> None:
    message = world.write("/about")
    [update] = await world.api.deliver(world.bot, "message", message)
    await world.settled()
    session = world.session
    await world.api.queue(world.bot, update)
    await world.settled()
    assert session.receiving is world.session.receiving
    assert len(world.heard_of(Command)) == 1
    assert len(world.seen()) == 1


async def test_updates_are_asked_for_by_kind(world: TelegramWorld) -> None:
    await world.say("hello")
    [kinds] = {call.params["allowed_updates"] for call in world.api.called("getUpdates")}
    assert "my_chat_member" in kinds
    assert "channel_post" not in kinds


async def test_no_secret_and_no_word_is_logged(
    world: TelegramWorld, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    world.api.faults += [Fault(method="getUpdates"), Fault(method="sendMessage")]
    await world.say("my secret heron")
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert "heron" not in logged
    own = [r.getMessage() for r in caplog.records if not r.name.startswith("http")]
    assert world.bot.token not in "\n".join(own)
    assert PEOPLE["Ana"]["first_name"] not in "\n".join(own)
