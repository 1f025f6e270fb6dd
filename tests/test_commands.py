"""Commands from the one table: who may give them, what they show, what they change."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.commands import COMMANDS, CommandError, parse_command, usage
from bot.engine import Engine
from bot.errors import ModelDown
from bot.messages import Command, Press, Reply, Rights
from bot.ports import Storage
from bot.world import Where
from tests.conftest import MakeEngine
from tests.fakes import NOON, FakeClock, ListPlatform, ScriptedChat, dm_with, person, room, says


@pytest.fixture
async def engine(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
    async with make_engine(store) as made:
        yield made


class Asker:
    """Gives commands to an engine as one person, and keeps what came back."""

    def __init__(self, engine: Engine, platform: ListPlatform, name: str = "Ana") -> None:
        self.engine, self.platform, self.name = engine, platform, name

    async def ask(self, line: str, where: Where | None = None) -> Reply:
        parsed = parse_command(line)
        command = Command(
            id=f"c{len(self.platform.sent)}",
            name=parsed.name,
            options=parsed.options,
            where=where or dm_with(self.name),
            author=person(self.name),
            at=NOON,
        )
        before = len(self.platform.sent)
        await self.engine.handle(command, self.platform.send)
        assert len(self.platform.sent) > before, f"{line} was not answered"
        return self.platform.sent[-1]

    async def press(self, data: str, name: str | None = None) -> Reply:
        press = Press(
            id="p1",
            data=data,
            where=dm_with(self.name),
            author=person(name or self.name),
            at=NOON,
        )
        await self.engine.handle(press, self.platform.send)
        return self.platform.sent[-1]

    async def say(self, text: str, where: Where | None = None) -> None:
        message = replace(says(self.name, text, where), at=self.engine._clock.now())
        await self.engine.handle(message, self.platform.send)
        await self.engine.idle()


@pytest.fixture
def ana(engine: Engine) -> Asker:
    return Asker(engine, ListPlatform())


async def test_help_lists_the_commands_that_one_may_give_here(ana: Asker) -> None:
    text = (await ana.ask("/help")).text
    for spec in COMMANDS:
        is_ours = spec.rights is Rights.MEMBER and spec.name != "quit"
        assert (f"/{spec.name}" in text) is is_ours, spec.name


async def test_about_says_that_it_is_a_program_and_names_the_model(ana: Asker) -> None:
    text = (await ana.ask("/about")).text
    assert "program" in text
    assert "scripted" in text


async def test_why_shows_what_was_recalled_with_numbers(ana: Asker, clock: FakeClock) -> None:
    assert "has not answered" in (await ana.ask("/why")).text
    await ana.say("my cat is called Miso")
    for n in range(30):
        clock.pass_time(minutes=1)
        await ana.say(f"word {n}")
    await ana.say("what is my cat called")
    reply = await ana.ask("/why")
    assert "my cat is called Miso" in reply.text
    assert "meaning +" in reply.text
    assert reply.private


async def test_memories_shows_own_words_only_and_privately(ana: Asker) -> None:
    ben = Asker(ana.engine, ana.platform, "Ben")
    await ana.say("I keep bees")
    await ben.say("I keep goats")
    reply = await ana.ask("/memories")
    assert "I keep bees" in reply.text
    assert "goats" not in reply.text
    assert reply.private
    assert "I keep bees" in (await ana.ask("/memories about bees")).text
    assert "Nothing of yours" in (await ana.ask("/memories about submarines")).text


async def test_memories_says_that_there_are_more_than_it_shows(ana: Asker) -> None:
    for n in range(10):
        await ana.say(f"bee hive {n}")
    assert "Older" not in (await ana.ask("/memories")).text
    await ana.say("bee hive 10")
    text = (await ana.ask("/memories")).text
    assert "bee hive 10" in text
    assert "bee hive 0" not in text
    assert "Older ones are kept too" in text


async def test_forget_shows_counts_asks_and_only_then_removes(ana: Asker, store: Storage) -> None:
    await ana.say("the blue heron nests here")
    preview = await ana.ask("/forget everything")
    assert "message" in preview.text
    assert (await store.counts())["events"] == 2
    done = await ana.press(preview.buttons[0].data)
    assert "Forgotten" in done.text
    assert "backup" in done.text
    assert (await store.counts())["events"] == 0
    assert "Nothing" in (await ana.ask("/forget everything")).text


async def test_only_the_asker_can_confirm_and_only_for_ten_minutes(
    ana: Asker, clock: FakeClock, store: Storage
) -> None:
    await ana.say("the blue heron nests here")
    await Asker(ana.engine, ana.platform, "Ben").say("hello")
    preview = await ana.ask("/forget everything")
    assert "Only the person" in (await ana.press(preview.buttons[0].data, "Ben")).text
    clock.pass_time(minutes=11)
    assert "too old" in (await ana.press(preview.buttons[0].data)).text
    assert (await store.counts())["events"] == 4


async def test_forget_this_takes_the_last_exchange_and_hour_the_last_hour(
    ana: Asker, store: Storage, clock: FakeClock
) -> None:
    await ana.say("long ago")
    clock.pass_time(hours=5)
    await ana.say("just now")
    await ana.press((await ana.ask("/forget hour")).buttons[0].data)
    assert (await store.counts())["events"] == 2
    await ana.press((await ana.ask("/forget")).buttons[0].data)
    assert (await store.counts())["events"] == 0


async def test_a_button_that_nobody_knows_says_so(ana: Asker) -> None:
    assert "out of date" in (await ana.press("nonsense:1")).text
    assert "out of date" in (await ana.press("forget:everything")).text
    assert "Nothing was changed" in (await ana.press("keep")).text


async def test_export_is_a_file_of_own_words_and_replies(ana: Asker) -> None:
    await ana.say("I keep bees")
    await Asker(ana.engine, ana.platform, "Ben").say("I keep goats")
    reply = await ana.ask("/export")
    content = json.loads(reply.files[0].content)
    assert [(row["text"], row["reply"]) for row in content["lines"]] == [
        ("I keep bees", "I heard: I keep bees")
    ]
    assert reply.private


async def test_privacy_opts_out_and_in_again(ana: Asker, store: Storage) -> None:
    out = (await ana.ask("/privacy")).buttons[0].data
    await ana.press(out)
    before = await store.counts()
    await ana.say("do not keep this")
    assert await store.counts() == before
    back = (await ana.ask("/privacy")).buttons[0].data
    await ana.press(back)
    await ana.say("you may keep this")
    assert (await store.counts())["events"] == 2


async def test_correct_replaces_what_one_said_about_the_same_matter(
    ana: Asker, model: ScriptedChat, clock: FakeClock
) -> None:
    await ana.say("I live in Paris")
    await ana.say("I keep bees")
    clock.pass_time(hours=1)
    reply = await ana.ask("/correct I live in Lyon")
    assert "I live in Paris" in reply.text
    assert "bees" not in reply.text
    await ana.engine.idle()
    assert "(no longer so)" in (await ana.ask("/memories about Paris")).text
    for n in range(30):
        clock.pass_time(minutes=5)
        await ana.say(f"chatter {n}")
    await ana.say("where do I live")
    memories = [line for line in model.prompts[-1][0].text.splitlines() if " live in " in line]
    assert "I live in Lyon" in memories[0]
    assert all("no longer so" in line for line in memories if "Paris" in line)


async def test_correct_takes_old_and_new_apart(ana: Asker) -> None:
    await ana.say("my sister is called Eva")
    reply = await ana.ask("/correct my sister is called Eva -> Eve is her name")
    assert "Eve is her name" in reply.text
    assert "my sister is called Eva" in reply.text


async def test_reroll_replaces_the_reply_and_undo_takes_the_exchange_back(
    ana: Asker, store: Storage, model: ScriptedChat
) -> None:
    await ana.say("hello")
    model.script = lambda _: "Another answer."
    assert (await ana.ask("/reroll")).text == "Another answer."
    ida = await store.last_turn((await store.place(dm_with("Ana"))).id)
    assert ida
    assert ida.reply
    assert ida.reply.text == "Another answer."
    assert "Taken back" in (await ana.ask("/undo")).text
    assert (await store.counts())["events"] == 0


async def test_a_reroll_while_the_model_is_down_keeps_the_old_reply(
    ana: Asker, store: Storage, model: ScriptedChat
) -> None:
    await ana.say("hello")
    model.script = lambda _: ModelDown("down")
    assert "old reply stays" in (await ana.ask("/reroll")).text
    turn = await store.last_turn((await store.place(dm_with("Ana"))).id)
    assert turn
    assert turn.reply
    assert turn.reply.text == "I heard: hello"


async def test_nobody_rerolls_or_undoes_an_exchange_of_others(ana: Asker, store: Storage) -> None:
    await Asker(ana.engine, ana.platform, "Ben").say("Ida, hi", room())
    await ana.say("hello")
    assert "no exchange of yours" in (await ana.ask("/undo", room())).text
    assert "no reply to you" in (await ana.ask("/reroll", room())).text
    assert (await store.counts())["events"] == 4


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("/nope", "no command /nope"),
        ("/forget all of it", "none of these"),
        ("/correct", "what is true now"),
        ("/about me", "Too many words"),
        ("/", "no command"),
    ],
)
def test_a_line_that_is_no_command_gets_one_sentence(line: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        parse_command(line)


async def test_options_are_checked_also_when_a_platform_did_not(ana: Asker) -> None:
    command = Command(
        id="c",
        name="forget",
        options={"what": "Everything ever"},
        where=dm_with("Ana"),
        author=person("Ana"),
        at=NOON,
    )
    await ana.engine.handle(command, ana.platform.send)
    assert "none of these" in ana.platform.sent[-1].text


async def test_an_unknown_command_is_answered_with_a_sentence(ana: Asker) -> None:
    command = Command(
        id="c", name="rm", options={}, where=dm_with("Ana"), author=person("Ana"), at=NOON
    )
    await ana.engine.handle(command, ana.platform.send)
    assert "no command /rm" in ana.platform.sent[-1].text


def test_usage_shows_choices_and_what_is_needed() -> None:
    by_name = {spec.name: usage(spec) for spec in COMMANDS}
    assert by_name["forget"] == "/forget [this|hour|everything]"
    assert by_name["correct"] == "/correct FACT"


def test_button_data_fits_into_64_bytes() -> None:
    assert len(f"forget:everything:{2**63}:{2**34}".encode()) <= 64


async def test_correct_leaves_what_is_about_other_people_and_other_matters(ana: Asker) -> None:
    for text in ("I live in Paris", "my mother bakes bread", "hello", "yes", "I like cheese"):
        await ana.say(text)
    reply = await ana.ask("/correct I live in Lyon")
    assert "I live in Paris" in reply.text
    for other in ("mother", "hello", "yes", "cheese"):
        assert other not in reply.text


async def test_who_opts_out_is_told_the_truth_about_what_was_kept_before(ana: Asker) -> None:
    await ana.say("I keep bees")
    await ana.press((await ana.ask("/privacy")).buttons[0].data)
    assert "kept before is still there" in (await ana.ask("/privacy")).text
