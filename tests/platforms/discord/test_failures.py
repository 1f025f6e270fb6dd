"""Bad days of Discord's REST interface: replies arrive or stay recorded, and nothing hammers."""

import logging

import aiohttp
import discord
import pytest
from aiohttp import web

from adapters.discord.outbound.failures import in_our_words
from bot.errors import SendError, Undeliverable
from bot.messages import Draft, Dropped, Reply
from tests.fakes import until
from tests.platforms.discord.conftest import MakeWorld
from tests.platforms.discord.fake_wire import Fault
from tests.platforms.discord.world import QUICK_DRAFTS, DiscordWorld, PausingChat

MESSAGES = r"/messages$"


def posts(world: DiscordWorld) -> int:
    return len(world.fake.asked("POST", "/messages"))


@pytest.mark.parametrize("is_global", [True, False])
async def test_a_rate_limit_is_waited_for(world: DiscordWorld, is_global: bool) -> None:
    world.fake.rest.faults.append(
        Fault(method="POST", path=MESSAGES, status=429, retry_after=0.05, is_global=is_global)
    )
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]
    nonces = [one["nonce"] for one in world.fake.asked("POST", "/messages")]
    assert len(nonces) == 2
    assert len(set(nonces)) == 1


@pytest.mark.parametrize("fault", [{"retry_after": 3600.0}, {"retry_after": 1.0, "via": False}])
async def test_a_limit_beyond_patience_leaves_the_reply_for_later(
    world: DiscordWorld, fault: dict[str, float]
) -> None:
    world.fake.rest.faults.append(
        Fault(method="POST", path=MESSAGES, status=429, times=99, **fault)  # type: ignore[arg-type]
    )
    await world.say("hello")
    assert world.seen() == []
    assert posts(world) == 2  # as often as the engine tries, no oftener
    assert len((await world.store.unfinished("discord")).unsent) == 1
    world.fake.rest.faults.clear()
    await world.restart()
    assert world.seen() == ["I heard: hello"]


@pytest.mark.parametrize("fault", [{"status": 503}, {"reset": True}])
@pytest.mark.parametrize("after", [True, False])
async def test_a_failure_on_either_side_of_the_call_gives_one_message(
    world: DiscordWorld, fault: dict[str, int], after: bool
) -> None:
    world.fake.rest.faults.append(
        Fault(method="POST", path=MESSAGES, after=after, **fault)  # type: ignore[arg-type]
    )
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


async def test_a_failure_half_way_goes_on_where_it_stopped(world: DiscordWorld) -> None:
    words = " ".join(f"word{n}" for n in range(600))
    world.model.script = lambda _: words
    world.fake.rest.faults.append(
        Fault(method="POST", path=MESSAGES, skip=1, status=503, after=True)
    )
    await world.say("go on")
    assert " ".join(world.seen()) == words
    assert len(world.seen()) == 3


@pytest.mark.parametrize(
    ("status", "code", "word"),
    [
        (403, 50013, "Send Messages"),
        (403, 50001, "cannot see"),
        (403, 50007, "takes no direct messages"),
        (404, 10003, "gone"),
        (400, 50035, "Fault"),
    ],
)
async def test_what_can_never_be_sent_is_said_with_a_remedy(
    world: DiscordWorld, status: int, code: int, word: str, caplog: pytest.LogCaptureFixture
) -> None:
    world.fake.rest.faults.append(
        Fault(method="POST", path=MESSAGES, status=status, code=code, times=9)
    )
    with caplog.at_level(logging.WARNING):
        await world.say("hello")
    assert posts(world) == 1
    assert word in caplog.text
    assert not (await world.store.unfinished("discord")).unsent


@pytest.mark.parametrize(("status", "code"), [(500, 0), (503, 0), (429, 20016), (401, 0)])
async def test_what_may_work_later_is_an_error_for_later(
    world: DiscordWorld, status: int, code: int
) -> None:
    """Discord's 500 is tried five times by discord.py itself, over 25 seconds."""
    error = in_our_words(await http_error(status, code))
    assert isinstance(error, SendError)
    assert not isinstance(error, Undeliverable)


async def http_error(status: int, code: int) -> Exception:
    async def refuse(_: web.BaseRequest) -> web.Response:
        return web.json_response({"code": code, "message": "no"}, status=status)

    server = web.Server(refuse)
    runner = web.ServerRunner(server)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    async with aiohttp.ClientSession() as session, session.get(address) as response:
        error = discord.HTTPException(response, await response.json())
    await runner.cleanup()
    return error


async def test_a_reply_to_a_message_that_is_gone_is_sent_all_the_same(world: DiscordWorld) -> None:
    send = world.platform.reach(world.key(world.fake.dm_of("Ana")))
    await send(Reply(text="hello", nonce="n", reply_to="123"))
    assert world.seen() == ["hello"]


async def test_a_reference_that_discord_refuses_is_left_out(world: DiscordWorld) -> None:
    world.fake.rest.faults.append(Fault(method="POST", path=MESSAGES, status=404, code=10008))
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]
    assert "message_reference" not in world.fake.asked("POST", "/messages")[-1]


async def test_a_part_that_discord_finds_too_long_is_split_smaller(world: DiscordWorld) -> None:
    world.fake.rest.faults.append(
        Fault(
            method="POST",
            path=MESSAGES,
            status=400,
            code=50035,
            errors={
                "content": {
                    "_errors": [
                        {
                            "code": "BASE_TYPE_MAX_LENGTH",
                            "message": "Must be 2000 or fewer in length.",
                        }
                    ]
                }
            },
        )
    )
    words = " ".join(f"word{n}" for n in range(200))
    world.model.script = lambda _: words
    await world.say("go on")
    assert " ".join(world.seen()) == words
    assert len(world.seen()) == 2


async def test_a_placeholder_that_is_gone_is_posted_anew(world: DiscordWorld) -> None:
    send = world.platform.reach(world.key(world.fake.dm_of("Ana")))
    await send(Reply(text="hello", nonce="n", edit=("123",)))
    assert world.seen() == ["hello"]


async def test_a_draft_that_is_dropped_is_taken_back(make_world: MakeWorld) -> None:
    world = await make_world(pace=QUICK_DRAFTS)
    send = world.platform.reach(world.key(world.fake.dm_of("Ana")))
    await send(Draft(text="I think", nonce="n"))
    await until(lambda: bool(world.seen()))
    await send(Dropped(nonce="n"))
    assert world.seen() == []


async def test_drafts_stay_within_the_budget_and_the_reply_does_not_wait(
    make_world: MakeWorld,
) -> None:
    world = await make_world(pace=QUICK_DRAFTS)
    world.model.script = lambda _: " ".join(f"word{n}" for n in range(200))
    await world.say("go on")
    assert len(world.fake.edits) <= 4
    assert len(world.seen()) == 1


async def test_drafts_that_fail_do_not_cost_the_reply(make_world: MakeWorld) -> None:
    async def pause(word: str) -> None:
        if word == "Two":
            await until(lambda: not world.fake.rest.faults)

    world = await make_world(pace=QUICK_DRAFTS, model=PausingChat("One here. Two here.", pause))
    world.fake.rest.faults.append(Fault(method="POST", path=MESSAGES, status=503))
    await world.say("count")
    assert world.seen() == ["One here. Two here."]
    assert len(world.fake.asked("POST", "/messages")) >= 2


async def test_a_reply_of_nothing_is_no_message(world: DiscordWorld) -> None:
    send = world.platform.reach(world.key(world.fake.dm_of("Ana")))
    with pytest.raises(Undeliverable, match="empty"):
        await send(Reply(text="  ", nonce="n"))
    assert posts(world) == 0


async def test_a_text_file_that_cannot_be_had_is_named(world: DiscordWorld) -> None:
    lost = world.fake.store_file("1", "lost.txt", b"x").replace("/files/1/", "/files/2/")
    file = {"id": "1", "filename": "lost.txt", "size": 3, "url": lost, "proxy_url": lost}
    await world.fake.say(world.fake.dm_of("Ana"), "Ana", "see", attachments=[file])
    await world.settle()
    assert world.seen()[0].endswith('[file "lost.txt"]')
