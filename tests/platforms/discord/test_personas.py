"""Several personas in one server: each with its own name, and replies find the right one."""

import logging
from dataclasses import replace

import pytest

from adapters.discord.outbound.webhooks import webhook_name
from bot.messages import Message, Reply
from bot.world import PlaceKey, PlaceKind, Where
from tests.fakes import a_persona
from tests.platforms.contract import PERSONA
from tests.platforms.discord.conftest import MakeWorld
from tests.platforms.discord.fake_wire import Fault
from tests.platforms.discord.world import QUICK_DRAFTS, DiscordWorld

TAM = a_persona("tam", "Tam of Discord Hill")
SHOWN = "Tam of Disc·ord Hill"


@pytest.fixture
async def world(make_world: MakeWorld) -> DiscordWorld:
    """Ida is the bot itself; Tam lives in the hall."""
    made = await make_world(personas=(PERSONA, TAM))
    await give_to_tam(made, made.hall)
    return made


async def give_to_tam(world: DiscordWorld, channel: str) -> None:
    place = await world.store.place(
        Where(key=world.key(channel), kind=PlaceKind.CHANNEL, server=world.home["id"])
    )
    await world.store.choose_persona(place.id, "tam")


def last_heard(world: DiscordWorld) -> Message:
    return next(one for one in reversed(world.heard) if isinstance(one, Message))


def newest(world: DiscordWorld, channel: str) -> dict[str, object]:
    return next(m for m in reversed(world.fake.messages.values()) if m["channel_id"] == channel)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Tam", "Tam"),
        ("discord mod", "disc·ord mod"),
        ("CLYDE", "CLY·DE"),
        ("x" * 200, "x" * 80),
        ("  two   words ", "two words"),
        ("   ", "Bower"),
    ],
)
def test_a_webhook_bears_a_name_that_discord_takes(name: str, shown: str) -> None:
    assert webhook_name(name) == shown


async def test_another_persona_speaks_under_its_own_name(world: DiscordWorld) -> None:
    await world.say("hello", mention=True, channel=world.hall)
    posted = newest(world, world.hall)
    assert posted["content"] == "I heard: hello"
    assert posted["author"]["username"] == SHOWN  # type: ignore[index]
    assert len(world.fake.webhooks) == 1
    await world.say("again", mention=True, channel=world.hall)
    assert len(world.fake.webhooks) == 1
    assert len([r for r in world.fake.rest.requests if r.path.endswith("/webhooks")]) == 2


async def test_the_webhook_is_found_again_after_a_restart(world: DiscordWorld) -> None:
    await world.say("hello", mention=True, channel=world.hall)
    await world.restart()
    await world.say("again", mention=True, channel=world.hall)
    assert len(world.fake.webhooks) == 1


async def test_own_webhook_messages_are_not_answered(world: DiscordWorld) -> None:
    await world.say("hello", mention=True, channel=world.hall)
    heard = len(world.heard)
    await world.restart()
    world.fake.redeliver(str(newest(world, world.hall)["id"]))
    await world.settle()
    assert len(world.heard) == heard


async def test_a_reply_to_a_persona_reaches_it(world: DiscordWorld) -> None:
    await world.say("hello", mention=True, channel=world.hall)
    said = str(newest(world, world.hall)["id"])
    await world.restart()
    await world.fake.say(world.hall, "Ana", "and you?", reply_to=said)
    await world.settle()
    assert last_heard(world).replies_to_me
    assert last_heard(world).persona == "tam"
    assert world.fake.texts(world.hall)[-1].endswith("and you?")
    assert newest(world, world.hall)["author"]["username"] == SHOWN  # type: ignore[index]


async def test_a_thread_at_a_personas_message_is_that_personas(world: DiscordWorld) -> None:
    await world.say("hello", mention=True, channel=world.hall)
    starter = str(newest(world, world.hall)["id"])
    thread = world.fake.add_thread(world.hall, "more", id_=starter, known=False)
    await world.say("go on", mention=True, channel=thread)
    assert last_heard(world).persona == "tam"
    assert newest(world, thread)["author"]["username"] == SHOWN  # type: ignore[index]


async def test_in_a_thread_a_persona_speaks_through_the_parents_webhook(
    world: DiscordWorld,
) -> None:
    thread = world.fake.add_thread(world.hall, "tea")
    await give_to_tam(world, thread)
    await world.restart()
    await world.say("hello", mention=True, channel=thread)
    assert newest(world, thread)["author"]["username"] == SHOWN  # type: ignore[index]
    assert next(iter(world.fake.webhooks.values()))["channel_id"] == world.hall


async def test_where_it_may_not_have_a_webhook_the_name_goes_in_front(world: DiscordWorld) -> None:
    world.fake.rest.faults.append(
        Fault(method="GET", path=r"/webhooks$", status=403, code=50013, times=99)
    )
    await world.say("hello", mention=True, channel=world.hall)
    assert world.fake.texts(world.hall) == [f"**{TAM.name}:** I heard: hello"]
    await world.say("again", mention=True, channel=world.hall)
    asked = [r for r in world.fake.rest.requests if r.path.endswith("/webhooks")]
    assert len(asked) == 1
    said = str(newest(world, world.hall)["id"])
    await world.fake.say(world.hall, "Ana", "and you?", reply_to=said)
    await world.settle()
    assert last_heard(world).persona == "tam"


async def test_a_webhook_that_is_gone_is_made_anew(world: DiscordWorld) -> None:
    await world.say("hello", mention=True, channel=world.hall)
    world.fake.webhooks.clear()
    await world.say("again", mention=True, channel=world.hall)
    assert newest(world, world.hall)["content"] == "I heard: again"
    assert len(world.fake.webhooks) == 1


async def test_a_reply_through_a_webhook_grows_and_splits(make_world: MakeWorld) -> None:
    world = await make_world(personas=(PERSONA, TAM), pace=QUICK_DRAFTS)
    await give_to_tam(world, world.hall)
    words = " ".join(f"word{n}" for n in range(500))
    world.model.script = lambda _: words
    await world.say("go on", mention=True, channel=world.hall)
    assert " ".join(world.fake.texts(world.hall)) == words
    assert len(world.fake.texts(world.hall)) == 2


async def test_a_place_may_ask_for_a_webhook_for_the_bots_own_persona(
    make_world: MakeWorld,
) -> None:
    world = await make_world()

    async def in_the_hall(place: PlaceKey) -> bool:
        return place.chat == world.hall

    world.options = replace(
        world.options, wants_webhook=in_the_hall, avatars={"Ida": "https://example.org/ida.png"}
    )
    await world.restart()
    await world.say("hello", mention=True, channel=world.hall)
    await world.say("hello", mention=True, channel=world.room)
    assert newest(world, world.hall)["author"]["username"] == "Ida"  # type: ignore[index]
    assert world.fake.asked("POST", "/webhooks/")[0]["avatar_url"] == "https://example.org/ida.png"
    assert newest(world, world.room)["author"]["username"] == "bower"  # type: ignore[index]


async def test_in_a_dm_another_persona_has_its_name_in_front(world: DiscordWorld) -> None:
    send = world.platform.reach(world.key(world.fake.dm_of("Ana")))
    await send(Reply(text="hello", nonce="n", speaker=TAM.name))
    await send(Reply(text="hello", nonce="m", speaker="Ida"))
    assert world.seen() == [f"**{TAM.name}:** hello", "hello"]


async def test_two_personas_in_one_channel_answer_by_name_and_talk_with_each_other(
    world: DiscordWorld,
) -> None:
    place = await world.store.place(
        Where(key=world.key(world.room), kind=PlaceKind.CHANNEL, server=world.home["id"])
    )
    await world.store.choose_persona(place.id, "ida,tam")
    world.model.script = lambda _: "Aye."
    await world.say("Tam of Discord Hill, hello", channel=world.room)
    assert newest(world, world.room)["author"]["username"] == SHOWN  # type: ignore[index]
    await world.say("Ida, hello", channel=world.room)
    assert newest(world, world.room)["author"]["username"] == "bower"  # type: ignore[index]

    answers = iter(["Tam of Discord Hill, is the tide in?", "It is out."])
    world.model.script = lambda _: next(answers)
    await world.say("Ida, ask him", channel=world.room)
    assert world.fake.texts(world.room)[-2:] == [
        "Tam of Discord Hill, is the tide in?",
        "It is out.",
    ]
    assert newest(world, world.room)["author"]["username"] == SHOWN  # type: ignore[index]
    assert next(answers, None) is None


async def test_the_secret_of_a_webhook_is_not_logged(
    world: DiscordWorld, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        await world.say("hello", mention=True, channel=world.hall)
        world.fake.rest.faults.append(Fault(method="POST", path=r"/webhooks/", reset=True))
        await world.say("again", mention=True, channel=world.hall)
        await world.give("about", channel=world.hall)
    assert world.fake.texts(world.hall)
    assert "secret-" not in caplog.text
    assert "itoken-" not in caplog.text
    assert "token-of-the-bot" not in caplog.text
