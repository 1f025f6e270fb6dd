"""Commands, menus and buttons on Discord: registered once, answered in time, private in private."""

import logging
from dataclasses import replace

import pytest

from adapters.discord.commands.rendering import ABOUT_MESSAGE, fingerprint, payload
from bot.commands import COMMANDS, Answer, Call, CommandSpec, Option
from bot.commands.call import Where
from bot.errors import SendError, Undeliverable
from bot.messages import Command, Message, Press, Reply, Rights
from bot.world import PlaceKind
from tests.fakes import dialogue_end
from tests.platforms.discord.conftest import MakeWorld
from tests.platforms.discord.fake_wire import Fault
from tests.platforms.discord.world import DiscordWorld

ADMINISTRATOR = 1 << 3
MANAGE_GUILD = 1 << 5
MANAGE_MESSAGES = 1 << 13
CALLBACK = r"/interactions/"


async def _answer(call: Call) -> Answer:
    return Answer(text="done")


ADMIN_ONLY = CommandSpec(
    name="sleep",
    summary="Be quiet here.",
    handler=_answer,
    rights=Rights.ADMIN,
    where=Where.SERVER,
    options=(
        Option(name="why", summary="the reason"),
        Option(name="long", summary="how long", required=True, choices=("hour", "day")),
    ),
)


def last_command(world: DiscordWorld) -> Command:
    return next(one for one in reversed(world.heard) if isinstance(one, Command))


def puts(world: DiscordWorld) -> int:
    return sum(r.method == "PUT" and r.path.endswith("/commands") for r in world.fake.rest.requests)


# -- registering ---------------------------------------------------------------------------
def test_every_command_of_the_table_is_offered_but_those_of_the_terminal() -> None:
    names = [one["name"] for one in payload(COMMANDS)]
    assert names[:2] == ["talk", ABOUT_MESSAGE]
    assert set(names[2:]) == {c.name for c in COMMANDS if c.where is not Where.TERMINAL}


def test_an_admins_command_is_hidden_and_bound_to_servers() -> None:
    made = payload([ADMIN_ONLY])[-1]
    assert made["default_member_permissions"] == str(MANAGE_GUILD)
    assert made["contexts"] == [0]
    assert made["integration_types"] == [0]
    options = made["options"]
    assert isinstance(options, list)
    assert [one["name"] for one in options] == ["long", "why"]  # what is required comes first
    assert options[0]["choices"] == [
        {"name": "hour", "value": "hour"},
        {"name": "day", "value": "day"},
    ]


def test_a_members_command_works_where_only_the_member_has_the_bot() -> None:
    made = next(one for one in payload(COMMANDS) if one["name"] == "forget")
    assert made["integration_types"] == [0, 1]
    assert made["contexts"] == [0, 1, 2]
    assert made["default_member_permissions"] is None


def test_the_fingerprint_changes_with_the_commands() -> None:
    one = payload(COMMANDS)
    assert fingerprint(one) == fingerprint(payload(COMMANDS))
    assert fingerprint(one) != fingerprint(payload([*COMMANDS, ADMIN_ONLY]))


async def test_commands_are_registered_once_and_again_when_they_change(world: DiscordWorld) -> None:
    assert puts(world) == 1
    await world.restart()
    assert puts(world) == 1
    world.options = replace(world.options, commands=[*COMMANDS, ADMIN_ONLY])
    await world.restart()
    assert puts(world) == 2
    assert world.fake.commands[-1]["name"] == "sleep"


async def test_commands_that_cannot_be_registered_stop_nothing(
    make_world: MakeWorld, caplog: pytest.LogCaptureFixture
) -> None:
    world = await make_world()
    await world.stop()
    world.memo.kept.clear()
    world.fake.rest.faults.append(
        Fault(method="PUT", path="/commands", status=400, code=30034, message="Max per day")
    )
    with caplog.at_level(logging.WARNING):
        await world.start()
        await world.say("hello")
    assert world.seen() == ["I heard: hello"]
    assert "too many changes today" in caplog.text
    await world.restart()
    assert world.memo.kept


# -- answers -------------------------------------------------------------------------------
async def test_a_private_answer_is_seen_by_the_asker_alone(world: DiscordWorld) -> None:
    await world.say("Ida, I keep bees", room=True)
    await world.give("memories", channel=world.room)
    assert "I keep bees" in world.private_texts(world.room)[0]
    assert not [text for text in world.seen(who="Ben", room=True) if "Your own words" in text]
    assert world.fake.asked("POST", CALLBACK)[0]["data"]["flags"] == 64


async def test_a_public_answer_is_public(world: DiscordWorld) -> None:
    await world.give("about", channel=world.hall)
    assert "character played by a program" in world.fake.texts(world.hall)[0]
    assert not world.fake.thinking


async def test_a_file_is_sent_privately(world: DiscordWorld) -> None:
    await world.say("Ida, I keep bees", room=True)
    await world.give("export", channel=world.room)
    sent = [m for m in world.fake.messages.values() if m["attachments"] and m["flags"] == 64]
    assert [one["attachments"][0]["filename"] for one in sent] == ["bower-export.json"]


async def test_every_command_of_the_table_is_answered(world: DiscordWorld) -> None:
    await world.say("I keep bees")
    dm = world.fake.dm_of("Ana")
    needs = {"correct": {"fact": "I keep hens"}, "forget": {"what": "everything"}}
    for spec in COMMANDS:
        if spec.where is not Where.TERMINAL and spec.name not in {"undo", "reroll"}:
            given = await world.give(spec.name, needs.get(spec.name), channel=dm)
            assert given.answers, spec.name
    assert not world.fake.thinking


async def test_a_command_without_an_answer_does_not_think_for_ever(world: DiscordWorld) -> None:
    await world.say("Ida, tea?", room=True)
    world.model.script = lambda _: "Another cup?"
    await world.give("reroll", channel=world.room)
    assert world.seen(room=True) == ["Another cup?"]
    assert not world.fake.thinking


async def test_what_came_too_late_is_not_answered_in_public(
    world: DiscordWorld, caplog: pytest.LogCaptureFixture
) -> None:
    await world.say("Ida, I keep bees", room=True)
    with caplog.at_level(logging.WARNING):
        await world.give("memories", channel=world.room, known=False)
    assert len(world.seen(room=True)) == 1
    assert world.private_texts(world.room) == []
    assert "could not be acknowledged" in caplog.text


async def test_a_talk_that_came_too_late_is_answered_in_the_channel(world: DiscordWorld) -> None:
    await world.give("talk", {"text": "hello"}, channel=world.hall, known=False)
    assert world.fake.texts(world.hall) == ["I heard: hello"]


async def test_what_another_process_answers_is_not_answered_twice(world: DiscordWorld) -> None:
    world.fake.rest.faults.append(Fault(method="POST", path=CALLBACK, status=400, code=40060))
    await world.give("talk", {"text": "hello"}, channel=world.hall)
    assert world.fake.texts(world.hall) == []
    assert world.heard == []


async def test_a_private_answer_whose_time_is_over_goes_nowhere(world: DiscordWorld) -> None:
    """The model of a command may be slow; a channel is no way out for what is private."""
    await world.say("Ida, I keep bees", room=True)
    given = world.fake.command(world.room, "Ana", "memories")
    world.fake.rest.faults += [
        Fault(method="PATCH", path=r"/messages/@original", status=401, code=50027, times=9),
        Fault(method="POST", path=r"/webhooks/", status=401, code=50027, times=9),
    ]
    await world.settle()
    assert given.answers == []
    assert len(world.seen(room=True)) == 1


async def test_a_public_answer_whose_time_is_over_goes_to_the_channel(world: DiscordWorld) -> None:
    world.fake.rest.faults += [
        Fault(method="PATCH", path=r"/messages/@original", status=401, code=50027, times=9),
    ]
    await world.give("talk", {"text": "hello"}, channel=world.hall)
    assert world.fake.texts(world.hall) == ["I heard: hello"]


async def test_a_long_answer_ends_as_a_file_after_five_messages(world: DiscordWorld) -> None:
    world.model.script = lambda _: " ".join(f"word{n}" for n in range(3000))
    await world.give("talk", {"text": "go on"}, channel=world.hall)
    messages = [m for m in world.fake.messages.values() if m["channel_id"] == world.hall]
    assert len(messages) == 5
    assert messages[-1]["attachments"][0]["filename"] == "reply.md"


# -- rights --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("permissions", "installed", "who", "rights"),
    [
        (0, True, "Ana", Rights.MEMBER),
        (MANAGE_MESSAGES, True, "Ana", Rights.MEMBER),
        (MANAGE_GUILD, True, "Ana", Rights.ADMIN),
        (ADMINISTRATOR, True, "Ana", Rights.ADMIN),
        (0, True, "Owner", Rights.ADMIN),
        (ADMINISTRATOR, False, "Ana", Rights.MEMBER),
        (0, False, "Owner", Rights.MEMBER),
        (0, False, "Olga", Rights.OPERATOR),
    ],
)
async def test_rights_come_from_discord_and_from_a_real_installation(
    world: DiscordWorld, permissions: int, installed: bool, who: str, rights: Rights
) -> None:
    await world.give(
        "about", channel=world.hall, who=who, permissions=permissions, installed=installed
    )
    assert last_command(world).rights is rights


async def test_a_refusal_is_private(make_world: MakeWorld) -> None:
    world = await make_world()
    world.options = replace(world.options, commands=[*COMMANDS, ADMIN_ONLY])
    await world.restart()
    await world.give("sleep", {"long": "day"}, channel=world.hall)
    assert world.fake.texts(world.hall) == []
    assert world.private_texts(world.hall)


async def test_in_a_dm_nobody_is_an_admin(world: DiscordWorld) -> None:
    await world.give("about", channel=world.fake.dm_of("Ana"))
    assert last_command(world).rights is Rights.MEMBER


# -- talking by command --------------------------------------------------------------------
async def test_talk_is_answered_in_place(world: DiscordWorld) -> None:
    given = await world.give("talk", {"text": "hello"}, channel=world.hall)
    assert world.fake.texts(world.hall) == ["I heard: hello"]
    assert len(given.answers) == 1
    heard = next(one for one in world.heard if isinstance(one, Message))
    assert heard.mentions_me
    assert heard.where.key == world.key(world.hall)


async def test_where_only_the_member_has_the_bot_the_place_is_closed(world: DiscordWorld) -> None:
    await world.give("talk", {"text": "hello"}, channel=world.hall, installed=False)
    assert world.fake.texts(world.hall) == ["I heard: hello"]
    heard = next(one for one in world.heard if isinstance(one, Message))
    assert heard.where.private
    assert not world.fake.asked("POST", "/messages")


async def test_a_message_can_be_talked_about(world: DiscordWorld) -> None:
    said = await world.fake.say(world.hall, "Ben", "The tide is high.", tell=False)
    await world.give(ABOUT_MESSAGE, channel=world.hall, kind=3, target=said)
    heard = next(one for one in world.heard if isinstance(one, Message))
    assert heard.quoted == "The tide is high."
    assert heard.quoted_from is not None
    assert heard.quoted_from.name == "Ben"
    assert heard.author.name == "Ana"
    assert "The tide is high." in dialogue_end(world.model.prompts[-1])
    assert len(world.fake.texts(world.hall)) == 1


async def test_ones_own_message_is_said_to_the_persona(world: DiscordWorld) -> None:
    said = await world.fake.say(world.hall, "Ana", "The tide is high.", tell=False)
    await world.give(ABOUT_MESSAGE, channel=world.hall, kind=3, target=said)
    assert world.fake.texts(world.hall) == ["I heard: The tide is high."]


async def test_a_group_of_people_is_no_dm_with_the_bot(world: DiscordWorld) -> None:
    given = world.fake.command(
        world.fake.dm_of("Ana"), "Ana", "talk", {"text": "hello"}, installed=False, context=2
    )
    await world.settle()
    heard = next(one for one in world.heard if isinstance(one, Message))
    assert (heard.where.kind, heard.where.private) == (PlaceKind.GROUP, True)
    assert given.answers


# -- buttons -------------------------------------------------------------------------------
async def test_a_button_works_after_a_restart_and_answers_privately(world: DiscordWorld) -> None:
    await world.say("Ida, I keep bees", room=True)
    await world.give("forget", {"what": "everything"}, channel=world.room)
    asked = next(m for m in reversed(world.fake.messages.values()) if m["components"])
    yes = asked["components"][0]["components"][0]
    assert yes["style"] == 4
    await world.restart()
    world.fake.press(asked["id"], "Ana", yes["custom_id"])
    await world.settle()
    assert await world.events() == 0
    assert any("Forgotten" in text for text in world.private_texts(world.room))
    assert not any("Forgotten" in text for text in world.fake.texts(world.room))


async def test_only_who_asked_can_press(world: DiscordWorld) -> None:
    await world.say("Ida, I keep bees", room=True)
    await world.say("Ida, I do not", who="Ben", room=True)
    await world.give("forget", {"what": "everything"}, channel=world.room)
    asked = next(m for m in reversed(world.fake.messages.values()) if m["components"])
    world.fake.press(asked["id"], "Ben", asked["components"][0]["components"][0]["custom_id"])
    await world.settle()
    assert await world.events() == 4
    assert isinstance(world.heard[-1], Press)


async def test_a_private_reply_without_a_command_stays_unsent(world: DiscordWorld) -> None:
    send = world.platform.reach(world.key(world.hall))
    with pytest.raises(Undeliverable, match="private"):
        await send(Reply(text="for your eyes only", nonce="n", private=True))
    await world.platform.reach(world.key(world.fake.dm_of("Ana")))(
        Reply(text="for your eyes only", nonce="n", private=True)
    )
    assert world.fake.texts(world.hall) == []
    assert world.seen() == ["for your eyes only"]


async def test_a_card_comes_along_with_the_command(world: DiscordWorld) -> None:
    given = await world.give(
        "persona",
        {"what": "import"},
        channel=world.hall,
        permissions=1 << 5,
        file=("brenna.json", b'{"spec": 1}'),
    )
    heard = next(one for one in reversed(world.heard) if isinstance(one, Command))
    assert heard.options == {"what": "import"}
    assert heard.file is not None
    assert (heard.file.name, heard.file.size) == ("brenna.json", 11)
    assert await heard.file.read() == b'{"spec": 1}'
    assert given.answers


async def test_a_file_that_is_gone_meanwhile_is_said(world: DiscordWorld) -> None:
    await world.give("persona", {"what": "import"}, channel=world.hall, file=("b.json", b"{}"))
    heard = next(one for one in reversed(world.heard) if isinstance(one, Command))
    assert heard.file is not None
    world.fake.lose_files()
    with pytest.raises(SendError, match="could not be had from Discord"):
        await heard.file.read()
