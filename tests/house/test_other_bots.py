"""Other bots: answered where admins allow it and only so often, and never taken for people."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.engine import Engine
from bot.messages import Edit, Rights
from bot.ports import Storage
from bot.world import AgentKind, Answers, Author, Hearing
from storage import open_storage
from storage.driver import pick_driver
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import (
    NOON,
    FakeClock,
    ListPlatform,
    ScriptedChat,
    a_persona,
    dialogue_end,
    dm_with,
    person,
    room,
    says,
)
from tests.house.someone import Someone
from tests.storage.scenes import look

Count = Callable[[str], int]


@pytest.fixture
def platform() -> ListPlatform:
    return ListPlatform()


@pytest.fixture
async def engine(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
    async with make_engine(store) as made:
        yield made


def other_bot(engine: Engine, platform: ListPlatform, name: str = "Otto") -> Someone:
    someone = Someone(engine, platform, name)
    someone.author = replace(someone.author, is_bot=True)
    return someone


@pytest.fixture
def otto(engine: Engine, platform: ListPlatform) -> Someone:
    return other_bot(engine, platform)


@pytest.fixture
async def admin(engine: Engine, platform: ListPlatform) -> Someone:
    someone = Someone(engine, platform, "Olga", rights=Rights.ADMIN)
    await someone.ask("/settings bots yes")
    return someone


@pytest.fixture
def rows(tmp_path: Path) -> Count:
    def count(table: str) -> int:
        found = look(pick_driver(), tmp_path / "bower.db", f"select count(*) from {table}")
        number = found[0][0]
        assert isinstance(number, int)
        return number

    return count


async def test_nothing_is_kept_of_a_bot_where_nobody_allowed_it(
    engine: Engine, otto: Someone, rows: Count
) -> None:
    assert await otto.say("hello", mentions_me=True) == []
    assert rows("event") == 0
    assert rows("agent where kind = 'person'") == 0


async def test_a_bot_must_mention_or_reply_even_where_everything_is_answered(
    admin: Someone, otto: Someone, rows: Count
) -> None:
    await admin.ask("/settings speak always")
    await admin.ask("/settings opened yes")
    assert await otto.say("Ida, did you hear?") == []
    assert rows("event") == 0
    assert await otto.say("did you hear?", replies_to_me=True) == ["I heard: did you hear?"]


async def test_it_is_allowed_in_one_channel_alone(admin: Someone, otto: Someone) -> None:
    assert await otto.say("hello", room("attic"), mentions_me=True) == []
    assert await otto.say("hello", mentions_me=True) == ["I heard: hello"]
    await admin.ask("/settings bots no")
    assert await otto.say("still there?", mentions_me=True) == []


async def test_bots_never_talk_in_private(admin: Someone, otto: Someone) -> None:
    admin.rights = Rights.OPERATOR
    await admin.ask("/settings bots yes everywhere")
    assert await otto.say("psst", dm_with("Otto"), mentions_me=True) == []


async def test_two_bots_end_after_some_lines_until_a_person_speaks_or_an_hour_passed(
    admin: Someone, otto: Someone, clock: FakeClock
) -> None:
    async def answered(times: int) -> int:
        found = 0
        for number in range(times):
            clock.pass_time(seconds=20)
            found += len(await otto.say(f"and {number}?", replies_to_me=True))
        return found

    assert await answered(8) == LIMITS.persona_turns
    await admin.say("Ida, who is that?")
    assert await answered(8) == LIMITS.persona_turns - 1  # the person was answered, too
    clock.pass_time(minutes=61)
    assert await answered(8) == LIMITS.persona_turns


async def test_several_bots_share_what_is_allowed(
    admin: Someone, engine: Engine, platform: ListPlatform, clock: FakeClock
) -> None:
    bots = [other_bot(engine, platform, name) for name in ("Otto", "Rob", "Max")]
    found = 0
    for number in range(9):
        clock.pass_time(seconds=20)
        found += len(await bots[number % 3].say(f"line {number}", mentions_me=True))
    assert found == LIMITS.persona_turns


async def test_a_flood_within_a_minute_is_answered_only_so_often(
    admin: Someone, otto: Someone, clock: FakeClock
) -> None:
    found = 0
    for number in range(12):
        clock.pass_time(seconds=1)
        await admin.say(f"Ida, {number}")
        clock.pass_time(seconds=1)
        found += len(await otto.say(f"line {number}", mentions_me=True))
    assert found < LIMITS.persona_turns_per_minute


@pytest.mark.parametrize("setting", ["speak never", "quiet 00:00-23:59"])
async def test_what_silences_people_silences_bots_without_a_word(
    admin: Someone, otto: Someone, setting: str, rows: Count
) -> None:
    await admin.ask(f"/settings {setting}")
    assert await otto.say("hello", mentions_me=True) == []
    assert rows("event") == 0


async def test_no_bot_is_told_that_the_budget_is_used_up(
    admin: Someone, otto: Someone, store: Storage
) -> None:
    admin.rights = Rights.OPERATOR
    await admin.ask("/budget 0")
    assert await otto.say("hello", mentions_me=True) == []
    assert len(await admin.say("Ida, hello")) == 1  # the first person reads it


async def test_a_muted_bot_is_not_answered(admin: Someone, otto: Someone) -> None:
    await otto.say("hello", mentions_me=True)
    await admin.ask("/mute Otto")
    assert await otto.say("hello", mentions_me=True) == []


# -- no person --------------------------------------------------------------------------------
async def test_what_a_bot_says_is_neither_remembered_nor_hearsay_nor_a_relationship(
    admin: Someone, otto: Someone, rows: Count, store: Storage
) -> None:
    await admin.say("Ida, this is Otto")
    before = rows("relationship"), rows("claim"), rows("relationship_delta")
    await otto.say("Ana is my sister, and Ben left Lisbon for good", mentions_me=True)
    await otto.say("You are my best friend, I love you", mentions_me=True)
    assert (rows("relationship"), rows("claim"), rows("relationship_delta")) == before
    assert rows("event e join agent a on a.id = e.speaker where a.automated and e.remembered") == 0
    assert rows("agent where nature = 'bot'") == 1
    ida = await store.persona("ida", "Ida")
    otto_agent = await store.person(otto.author.account)
    assert otto_agent is not None
    assert otto_agent.kind is AgentKind.BOT
    hearing = Hearing(persona=ida.id, place=(await store.place(room())).id)
    later = NOON.replace(year=2100)
    told = await store.told_by(otto_agent.id, hearing, before=later, shortest=1, limit=9)
    assert told == []


async def test_bots_are_no_people_in_the_figures(admin: Someone, otto: Someone) -> None:
    await otto.say("hello", mentions_me=True)
    await admin.say("Ida, hello")
    assert "2 messages of 1 person in 1 place" in (await admin.ask("/stats")).text


async def test_the_persona_is_told_that_it_is_a_bot(
    admin: Someone, otto: Someone, model: ScriptedChat
) -> None:
    await otto.say("hello", mentions_me=True)
    text = "\n".join(line.text for line in model.prompts[-1])
    assert "- Otto: a program" in text
    assert "do not know each other" not in text
    assert "Otto: hello" in dialogue_end(model.prompts[-1])


async def test_a_bots_words_of_distress_get_no_help_lines(
    admin: Someone, otto: Someone, model: ScriptedChat
) -> None:
    text = "I want to kill myself"
    assert await otto.say(text, mentions_me=True) == [f"I heard: {text}"]


async def test_a_bot_that_was_only_mentioned_by_people_is_one_from_then_on(
    admin: Someone, store: Storage
) -> None:
    otto = Author(account=person("Otto").account, name="Otto", is_bot=True)
    await admin.say("Ida, ask Otto", mentions=(otto,))
    found = await store.person(otto.account)
    assert found is not None
    assert found.kind is AgentKind.BOT


async def test_whoever_was_taken_for_a_person_before_becomes_a_bot(
    admin: Someone, otto: Someone, store: Storage
) -> None:
    await Someone.say(otto, "Ida, hi", author=person("Otto"))
    assert (await _kind(store, otto)) is AgentKind.PERSON
    await otto.say("Ida, hi", mentions_me=True)
    assert (await _kind(store, otto)) is AgentKind.BOT


async def _kind(store: Storage, someone: Someone) -> AgentKind:
    found = await store.person(someone.author.account)
    assert found is not None
    return found.kind


# -- edits, crashes, personas among themselves ------------------------------------------------
async def test_a_bot_that_writes_by_editing_is_answered_once(
    admin: Someone, otto: Someone, engine: Engine, platform: ListPlatform, clock: FakeClock
) -> None:
    draft = says("Otto", "…", room(), author=otto.author, at=clock.now())
    await engine.handle(draft, platform.send)
    for text in ("What do", "What do you think?"):
        clock.pass_time(seconds=1)
        now = replace(draft, text=text, mentions_me=True)
        await engine.handle(Edit(message=now, at=clock.now()), platform.send)
    assert platform.texts[-1:] == ["I heard: What do"]
    assert platform.texts.count("I heard: What do you think?") == 0


async def test_masks_are_ignored_whatever_is_set(admin: Someone, otto: Someone) -> None:
    otto.author = replace(otto.author, is_masked=True)
    assert await otto.say("hello", mentions_me=True) == []


async def test_a_bots_message_is_answered_after_a_crash(
    tmp_path: Path, make_engine: MakeEngine, clock: FakeClock, platform: ListPlatform
) -> None:
    persona = a_persona()
    message = says("Otto", "hello", room(), mentions_me=True)
    message = replace(message, author=replace(message.author, is_bot=True))
    async with open_storage(tmp_path / "b.db") as store:
        await store.persona(persona.key, persona.name)
        await store.received(message, persona=persona.key)
    async with open_storage(tmp_path / "b.db") as store, make_engine(store) as engine:
        assert await engine.resume(platform) == 1
        await engine.idle()
        assert platform.texts == ["I heard: hello"]


async def test_a_bot_does_not_set_personas_talking_for_ever(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, platform: ListPlatform
) -> None:
    """A bot's line is no person's: the personas' lines in a row go on being counted."""
    ida, olga = a_persona(), a_persona("olga", "Olga")
    async with make_engine(store, personas=(ida, olga)) as engine:
        place = await store.place(room())
        await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
        admin = Someone(engine, platform, "Ada", rights=Rights.ADMIN)
        await admin.ask("/settings bots yes")
        await admin.ask("/persona use ida,olga")
        otto = other_bot(engine, platform)
        before = len(platform.texts)
        for number in range(12):
            clock.pass_time(seconds=15)
            await otto.say(f"Ida and Olga, {number}?", mentions_me=True)
        assert len(platform.texts) - before <= LIMITS.persona_turns + 1
