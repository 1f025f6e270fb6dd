"""The connection to Discord: it is kept, taken up again, or given up in one clear sentence."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import discord
import pytest

from adapters.discord import DiscordPlatform, Login
from bot.errors import SendError, SettingsError, Undeliverable
from bot.messages import Edit, Message, Reply
from bot.ports import Line
from bot.world import PlaceKey
from tests.fakes import until
from tests.platforms.discord.conftest import MakeWorld
from tests.platforms.discord.fake_wire import Fault
from tests.platforms.discord.world import DiscordWorld

CONTENT = discord.Intents(message_content=True).value
MEMBERS = discord.Intents(members=True).value
CONTENT_FLAG = 1 << 19
MEMBERS_FLAG = 1 << 15


# -- taken up again ------------------------------------------------------------------------
async def test_a_request_to_reconnect_is_followed_without_losing_anything(
    world: DiscordWorld,
) -> None:
    await world.fake.op(7)
    await until(lambda: world.fake.resumed == 1)
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]
    assert len(world.fake.identified) == 1


@pytest.mark.parametrize("code", [1000, 1001, 4000, 4009])
async def test_what_is_said_while_the_socket_is_down_is_answered(
    world: DiscordWorld, code: int
) -> None:
    await world.fake.close_sockets(code)
    await world.fake.say(world.fake.dm_of("Ana"), "Ana", "hello")
    await until(lambda: world.fake.resumed == 1)
    await world.settle()
    assert world.seen() == ["I heard: hello"]


async def test_a_cut_connection_is_resumed(world: DiscordWorld) -> None:
    world.fake.cut_sockets()
    await until(lambda: world.fake.resumed == 1)
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


async def test_a_resume_that_replays_is_not_answered_twice(world: DiscordWorld) -> None:
    message = await world.say("hello")
    await world.fake.op(7)
    await until(lambda: world.fake.resumed == 1)
    await world.redeliver(message)
    assert world.seen() == ["I heard: hello"]


async def test_an_invalid_session_is_begun_anew(world: DiscordWorld) -> None:
    await world.fake.op(9, data=False)
    await until(lambda: len(world.fake.identified) == 2)
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]
    assert 5.0 in world.clock.slept  # Discord wants a pause before


async def test_a_reply_under_way_survives_a_reconnect(world: DiscordWorld) -> None:
    go_on = asyncio.Event()

    async def slow(lines: Sequence[Line]) -> str:
        del lines
        await go_on.wait()
        return "here"

    world.model.script = slow
    say = asyncio.create_task(world.say("hello"))
    await until(lambda: bool(world.model.prompts))
    world.fake.cut_sockets()
    await until(lambda: world.fake.resumed == 1)
    go_on.set()
    await say
    assert world.seen() == ["here"]


# -- tried again, with patience ------------------------------------------------------------
async def test_nobody_there_at_first_is_waited_for(
    make_world: MakeWorld, caplog: pytest.LogCaptureFixture
) -> None:
    world = await make_world()
    await world.stop()
    twice = 2  # aiohttp itself asks once more
    world.fake.rest.faults.append(
        Fault(method="GET", path="/users/@me", reset=True, times=4 * twice)
    )
    world.clock.slept.clear()
    with caplog.at_level(logging.WARNING):
        await world.start()
    waits = [s for s in world.clock.slept if s in {1.0, 2.0, 4.0, 8.0}]
    assert waits == [1.0, 2.0, 4.0, 8.0]
    assert "Discord is out of reach; the next try is in 1 s." in caplog.text
    assert "Traceback" not in caplog.text
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


@pytest.mark.parametrize(
    ("status", "word"), [(503, "not well"), (429, "asks for patience"), (403, "not well")]
)
async def test_a_refusal_at_login_is_waited_for(
    make_world: MakeWorld, caplog: pytest.LogCaptureFixture, status: int, word: str
) -> None:
    world = await make_world()
    await world.stop()
    world.fake.rest.faults.append(
        Fault(method="GET", path="/users/@me", status=status, retry_after=3600, times=2)
    )
    with caplog.at_level(logging.WARNING):
        await world.start()
    assert word in caplog.text


async def test_a_gateway_that_is_not_there_at_first_is_waited_for(
    make_world: MakeWorld, caplog: pytest.LogCaptureFixture
) -> None:
    """discord.py itself stumbles over this; the supervisor does not."""
    world = await make_world()
    await world.stop()
    world.fake.deaf = 1
    with caplog.at_level(logging.WARNING):
        await world.start()
    assert "Traceback" not in caplog.text
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


async def test_a_socket_that_never_holds_is_not_hammered(world: DiscordWorld) -> None:
    world.clock.slept.clear()
    world.fake.refuse = [4000] * 40
    await world.fake.close_sockets(4000)
    await until(lambda: not world.fake.refuse)
    await until(lambda: world.fake.connected == 1)
    waits = [s for s in world.clock.slept if s in {1.0, 2.0, 4.0, 8.0}]
    assert waits[:2] == [1.0, 2.0]
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


async def test_a_silent_socket_is_given_up_and_resumed(make_world: MakeWorld) -> None:
    world = await make_world(heartbeat_seconds=0.2)
    await until(lambda: world.fake.resumed >= 1)


# -- given up ------------------------------------------------------------------------------
async def test_a_wrong_token_is_said_in_one_sentence(
    make_world: MakeWorld, caplog: pytest.LogCaptureFixture
) -> None:
    world = await make_world()
    await world.stop()
    world.fake.token = "another"
    await world.start(connected=False)
    with pytest.raises(SettingsError, match="DISCORD_TOKEN") as raised:
        await world.running
    assert "token-of-the-bot" not in str(raised.value) + caplog.text


async def test_a_token_that_the_gateway_refuses_is_said_too(make_world: MakeWorld) -> None:
    world = await make_world()
    await world.stop()
    world.fake.refuse = [4004]
    await world.start(connected=False)
    with pytest.raises(SettingsError, match="Reset Token"):
        await world.running


async def test_an_empty_token_is_refused_at_once() -> None:
    with pytest.raises(SettingsError, match="DISCORD_TOKEN is empty"):
        DiscordPlatform([Login(token=" ")])


async def test_one_wrong_token_does_not_stop_the_other_bot(
    world: DiscordWorld, caplog: pytest.LogCaptureFixture
) -> None:
    both = DiscordPlatform(
        [Login(token="wrong", persona="tam"), Login(token=world.fake.token)],
        replace(world.options, ready_seconds=0.0),
        api_url=world.fake.api_url,
        gateway_url=world.fake.gateway_url,
    )
    await world.stop()
    with caplog.at_level(logging.ERROR):
        running = asyncio.create_task(both.run(world.engine.handle))
        await until(lambda: "The other bots go on" in caplog.text)
        await until(lambda: both.accounts[1].session is not None)
    assert not running.done()
    assert "token of tam" in caplog.text
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


# -- intents -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("allowed", "flags", "missing"),
    [
        (~CONTENT, MEMBERS_FLAG, ["Message Content"]),
        (~MEMBERS, CONTENT_FLAG, ["Server Members"]),
        (~(CONTENT | MEMBERS), 0, ["Message Content", "Server Members"]),
        (~(CONTENT | MEMBERS), CONTENT_FLAG | MEMBERS_FLAG, ["Message Content", "Server Members"]),
    ],
)
async def test_without_an_intent_it_goes_on_and_says_what_is_missing(
    make_world: MakeWorld,
    caplog: pytest.LogCaptureFixture,
    allowed: int,
    flags: int,
    missing: list[str],
) -> None:
    world = await make_world()
    await world.stop()
    world.fake.allowed, world.fake.flags = allowed, flags
    world.fake.identified.clear()
    with caplog.at_level(logging.WARNING):
        await world.start()
    assert len(world.fake.identified) == 2
    [said] = [r.getMessage() for r in caplog.records if "does not grant" in r.getMessage()]
    assert [name for name in ("Message Content", "Server Members") if name in said] == missing
    assert "Privileged Gateway Intents" in said
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


@pytest.fixture
async def without_content(make_world: MakeWorld) -> DiscordWorld:
    world = await make_world()
    await world.stop()
    world.fake.allowed, world.fake.flags = ~CONTENT, MEMBERS_FLAG
    await world.start()
    return world


async def test_without_content_a_mention_and_a_dm_and_talk_still_work(
    without_content: DiscordWorld,
) -> None:
    world = without_content
    await world.say("hello", mention=True, channel=world.hall)
    assert world.fake.texts(world.hall) == ["I heard: hello"]
    await world.say("Ida, unheard", channel=world.hall)
    assert len(world.fake.texts(world.hall)) == 1
    await world.say("in private")
    assert world.seen() == ["I heard: in private"]
    await world.give("talk", {"text": "by command"}, channel=world.hall)
    assert world.fake.texts(world.hall)[-1] == "I heard: by command"


async def test_without_content_an_edit_does_not_empty_what_is_remembered(
    without_content: DiscordWorld,
) -> None:
    world = without_content
    message = await world.say("I keep bees", mention=True, channel=world.hall)
    await world.edit(message, "I keep bees!")
    assert not [one for one in world.heard if isinstance(one, Edit)]


# -- leaving -------------------------------------------------------------------------------
async def test_a_reply_under_way_is_finished_when_the_program_stops(make_world: MakeWorld) -> None:
    world = await make_world(stop_seconds=5.0)
    go_on = asyncio.Event()

    async def slow(lines: Sequence[Line]) -> str:
        del lines
        await go_on.wait()
        return "farewell"

    world.model.script = slow
    await world.fake.say(world.fake.dm_of("Ana"), "Ana", "hello")
    await until(lambda: bool(world.model.prompts))
    world.running.cancel()
    await asyncio.sleep(0.05)
    assert not world.running.done()
    go_on.set()
    await asyncio.wait([world.running])
    assert world.seen() == ["farewell"]
    assert world.fake.connected == 0


async def test_a_reply_that_takes_too_long_is_answered_by_the_next_process(
    make_world: MakeWorld,
) -> None:
    world = await make_world(stop_seconds=0.05)

    async def never(lines: Sequence[Line]) -> str:
        del lines
        await asyncio.Event().wait()
        return ""

    world.model.script = never
    await world.fake.say(world.fake.dm_of("Ana"), "Ana", "hello")
    await until(lambda: bool(world.model.prompts))
    await world.stop()
    world.model.script = lambda _: "late"
    await world.start()
    assert world.seen() == ["late"]


async def test_nothing_runs_on_after_it_stopped(world: DiscordWorld) -> None:
    await world.say("hello")
    before = asyncio.all_tasks()
    await world.stop()
    await asyncio.sleep(0.05)
    left = [t for t in asyncio.all_tasks() - before if "Web" not in repr(t.get_coro())]
    assert not [t for t in asyncio.all_tasks() if t.get_name().startswith("discord.py")]
    assert left == []


# -- reaching ------------------------------------------------------------------------------
async def test_a_place_of_a_bot_that_is_not_run_is_said(world: DiscordWorld) -> None:
    send = world.platform.reach(PlaceKey(platform="discord", bot_account="1", chat="2"))
    with pytest.raises(Undeliverable, match="put its token back"):
        await send(Reply(text="hello", nonce="n"))


async def test_a_reply_before_the_login_waits_and_then_gives_up(tmp_path: Path) -> None:
    platform = DiscordPlatform([Login(token="t")], login_seconds=0.02)
    send = platform.reach(PlaceKey(platform="discord", bot_account="1", chat="2"))
    with pytest.raises(SendError, match="not connected"):
        await send(Reply(text="hello", nonce="n"))


async def test_default_addresses_stay_untouched() -> None:
    DiscordPlatform([Login(token="t")])
    assert discord.http.Route.BASE == "https://discord.com/api/v10"
    assert str(discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY) == "wss://gateway.discord.gg/"


async def test_the_persona_of_an_account_is_named_in_every_message(world: DiscordWorld) -> None:
    platform = DiscordPlatform(
        [Login(token=world.fake.token, persona="ida")],
        world.options,
        api_url=world.fake.api_url,
        gateway_url=world.fake.gateway_url,
    )
    await world.stop()
    heard: list[Message] = []

    async def handle(inbound: object, send: object) -> None:
        del send
        if isinstance(inbound, Message):
            heard.append(inbound)

    running = asyncio.create_task(platform.run(handle))
    await until(lambda: world.fake.connected == 1)
    await world.fake.say(world.fake.dm_of("Ana"), "Ana", "hello")
    await until(lambda: bool(heard))
    assert heard[0].persona == "ida"
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
