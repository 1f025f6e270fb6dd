"""Every command of the table, given by everybody, everywhere: what is answered, and who sees it."""

import json
from typing import Final

import pytest

from bot.commands import COMMANDS, CommandSpec
from bot.commands.call import ORDER, Where
from bot.messages import Rights
from tests.platforms.discord.fake_payloads import EPHEMERAL
from tests.platforms.discord.fake_wire import Interaction
from tests.platforms.discord.world import DiscordWorld
from tests.storage.forgetting import in_file

MANAGE_GUILD: Final = 1 << 5
OFFERED: Final = [spec for spec in COMMANDS if spec.where is not Where.TERMINAL]
NEEDED: Final = {
    option.name: "something" for spec in OFFERED for option in spec.options if option.required
}
PLACES: Final = ("server", "direct message", "only the member has it installed")
GIVERS: Final = {Rights.MEMBER: "Ana", Rights.ADMIN: "Ana", Rights.OPERATOR: "Olga"}


async def given(
    world: DiscordWorld, name: str, options: dict[str, str], rights: Rights, place: str
) -> Interaction:
    """A command by somebody with these rights, as Discord reports it from such a place."""
    who = GIVERS[rights]
    return await world.give(
        name,
        options,
        channel=world.fake.dm_of(who) if place == "direct message" else world.hall,
        who=who,
        permissions=MANAGE_GUILD if rights is Rights.ADMIN else 0,
        installed=place != "only the member has it installed",
    )


def held(rights: Rights, place: str) -> Rights:
    """What counts there: an admin is one only in a server that has installed the bot itself."""
    return Rights.MEMBER if rights is Rights.ADMIN and place != "server" else rights


def required(spec: CommandSpec) -> dict[str, str]:
    return {one.name: NEEDED[one.name] for one in spec.options if one.required}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("rights", list(Rights))
async def test_each_command_is_answered_or_refused_as_the_table_says(
    world: DiscordWorld, rights: Rights, place: str
) -> None:
    for spec in OFFERED:
        interaction = await given(world, spec.name, required(spec), rights, place)
        answers = [world.fake.messages[one] for one in interaction.answers]
        allowed = ORDER.index(held(rights, place)) >= ORDER.index(spec.rights)
        texts = [one["content"] for one in answers]
        assert texts, f"{spec.name} is not answered"
        refusal = f"/{spec.name} is for {spec.rights}s."
        misplaced = f"Give /{spec.name} in the server or group that it is about."
        in_dm = place == "direct message"
        assert (refusal in texts) == (not allowed)
        assert (misplaced in texts) == (allowed and in_dm and spec.where is Where.SERVER)
        if spec.private or not allowed:
            assert all(one["flags"] & EPHEMERAL for one in answers), f"{spec.name} is seen by all"
    assert not world.fake.thinking
    assert world.fake.asked("POST", "/messages") == []


@pytest.mark.parametrize("spec", [one for one in OFFERED if one.options], ids=lambda one: one.name)
async def test_wrong_options_are_said_to_the_giver_alone(
    world: DiscordWorld, spec: CommandSpec
) -> None:
    """Discord checks some of them, and an old client may send what was valid once."""
    for option in spec.options:
        options = required(spec) | {option.name: "nonsense\u202e"}
        if option.required:
            del options[option.name]
        interaction = await given(
            world, spec.name, options | {"unknown": "x"}, Rights.OPERATOR, "server"
        )
        answers = [world.fake.messages[one] for one in interaction.answers]
        assert answers
        if option.choices or option.required:
            assert f"/{spec.name}" in answers[0]["content"]
            assert all(one["flags"] & EPHEMERAL for one in answers)


async def test_a_command_that_nobody_knows_any_more_is_answered(world: DiscordWorld) -> None:
    interaction = await given(world, "dance", {}, Rights.MEMBER, "server")
    [answer] = [world.fake.messages[one] for one in interaction.answers]
    assert "no command /dance" in answer["content"]
    assert answer["flags"] & EPHEMERAL


# -- one's own data ----------------------------------------------------------------------------
SECRET: Final = "the xylotheque is in Valparaiso"


async def pressed(world: DiscordWorld, interaction: Interaction, label: str) -> str:
    """Presses a button under an answer; what is said to that."""
    [answer] = interaction.answers
    [row] = world.fake.messages[answer]["components"]
    [button] = [one for one in row["components"] if one["label"] == label]
    press = world.fake.press(answer, "Ana", button["custom_id"])
    await world.settle()
    return str(world.fake.messages[press.answers[-1]]["content"])


async def test_after_forget_the_words_are_not_in_the_file(world: DiscordWorld) -> None:
    world.model.script = lambda _: f"So {SECRET}?"
    await world.say(SECRET)
    await world.say(f"Ida, {SECRET}", room=True)
    await world.say(f"Ida, Ana says {SECRET}", who="Ben", room=True)
    database = world.database
    assert in_file(database, SECRET)
    for who in ("Ana", "Ben"):
        asked = await world.give("forget", {"what": "everything"}, channel=world.hall, who=who)
        [answer] = asked.answers
        custom_id = world.fake.messages[answer]["components"][0]["components"][0]["custom_id"]
        world.fake.press(answer, who, custom_id)
        await world.settle()
    assert in_file(database, SECRET, "xylotheque", "Valparaiso") == set()
    assert await world.events() == 0


async def test_an_export_can_be_read_again_and_holds_ones_own_words(world: DiscordWorld) -> None:
    await world.say(SECRET)
    await world.say("Ida, tea?", room=True)
    await world.say("Ida, Ben's words", who="Ben", room=True)
    interaction = await world.give("export", channel=world.hall)
    [answer] = interaction.answers
    [file] = world.fake.messages[answer]["attachments"]
    content = json.loads(world.fake.file(file["id"]))
    assert [(line["text"], line["reply"]) for line in content["lines"]] == [
        (SECRET, f"I heard: {SECRET}"),
        ("Ida, tea?", "I heard: Ida, tea?"),
    ]
    assert content["person"]["name"] == "Ana"
    assert world.fake.messages[answer]["flags"] & EPHEMERAL


async def test_somebody_who_opted_out_leaves_no_row_and_reaches_no_model(
    world: DiscordWorld,
) -> None:
    asked = await world.give("privacy", channel=world.hall)
    assert "nothing you write is kept" in await pressed(world, asked, "Leave me out")
    rows = await world.store.counts()
    await world.say(SECRET)
    said = await world.say(f"Ida, {SECRET}", room=True)
    await world.edit(said, f"Ida, edited: {SECRET}")
    await world.give("talk", {"text": SECRET}, channel=world.hall)
    await world.say(SECRET, attachment="picture")
    await world.fake.say(world.room, "Ben", "Ida, is that so?", reply_to=said)
    await world.settle()
    assert await world.store.counts() == rows | {
        "events": rows["events"] + 2,
        "people": rows["people"] + 1,
        "turns": rows["turns"] + 1,
        "vectors": rows["vectors"] + 2,
        "places": (await world.store.counts())["places"],
    }
    assert in_file(world.database, SECRET, "xylotheque") == set()
    assert len(world.model.prompts) == 1
    assert not any("xylotheque" in line.text for line in world.model.prompts[0])
    asked = await world.give("privacy", channel=world.hall)
    assert "remembered again" in await pressed(world, asked, "Remember me again")
    await world.say("hello")
    assert world.seen()[-1] == "I heard: hello"
