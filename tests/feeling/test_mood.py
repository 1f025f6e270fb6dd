"""The persona's mood: how it moves, what it says, and that it stays where it arose."""

from collections.abc import AsyncIterator
from datetime import UTC, timedelta
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from adapters.pictures import MatplotlibPictures
from bot.emotion import DIMENSIONS, NEUTRAL, Emotion
from bot.memory import Event, EventKind
from bot.mood import (
    HALF_LIFE,
    Mood,
    for_recall,
    in_words,
    mood_after,
    mood_note,
    mood_table,
    nature,
    recent_days,
)
from bot.persona import Persona
from bot.ports import Storage
from bot.world import Agent, AgentKind
from tests.conftest import MakeEngine
from tests.fakes import NOON, FakeClock, ScriptedChat, a_persona, dm_with, room
from tests.feeling.stage import Room
from tests.stream.feelings import ANGER, JOY, SORROW, WordScorer

WARM = a_persona(temperament={"joy": 3.7, "acceptance": 4.6, "anticipation": 3.0})
"""In 0..1: joy .30, acceptance .40, anticipation .22."""


def line(
    emotion: Emotion | None,
    hours_ago: float = 0,
    *,
    kind: AgentKind = AgentKind.PERSON,
    forwarded: bool = False,
    number: int = 1,
) -> Event:
    return Event(
        id=number,
        kind=EventKind.MESSAGE,
        at=NOON - timedelta(hours=hours_ago),
        place_id=1,
        place_name="",
        speaker=Agent(id=1, kind=kind, name="Ana"),
        speaker_name="Ana",
        text="…",
        forwarded=forwarded,
        emotion=emotion,
    )


def level(mood: Mood, dimension: str) -> float:
    return mood.now[DIMENSIONS.index(dimension)]


def test_a_mood_without_cause_is_the_temperament() -> None:
    mood = mood_after([], WARM, NOON)
    assert mood.now == mood.usual == pytest.approx((0.3, 0.4, 0, 0, 0, 0, 0, 2 / 9))
    assert mood_after([line(NEUTRAL), line(None)], WARM, NOON) == mood
    assert for_recall(mood) == NEUTRAL


def test_a_line_moves_the_mood_by_its_strength() -> None:
    """Sorrow of 9 is 8/9: half of 8/9 of the way to it."""
    mood = mood_after([line(SORROW)], WARM, NOON)
    assert level(mood, "sadness") == pytest.approx(0.5 * (8 / 9) * (8 / 9))
    assert level(mood, "joy") == pytest.approx(0.3 * (1 - 0.5 * 8 / 9))


def test_half_of_it_has_worn_off_after_the_half_life() -> None:
    fresh = mood_after([line(SORROW)], WARM, NOON)
    later = mood_after([line(SORROW)], WARM, NOON + HALF_LIFE)
    for then, now, usual in zip(fresh.now, later.now, fresh.usual, strict=True):
        assert now - usual == pytest.approx((then - usual) / 2)


def test_the_way_there_does_not_depend_on_the_order_of_the_lines() -> None:
    lines = [line(SORROW, 2, number=1), line(JOY, 1, number=2), line(ANGER, 0, number=3)]
    assert mood_after(lines, WARM, NOON) == mood_after(lines[::-1], WARM, NOON)


def test_its_own_words_and_forwarded_ones_leave_a_persona_cold() -> None:
    lines = [line(ANGER, kind=AgentKind.PERSONA), line(ANGER, forwarded=True)]
    assert mood_after(lines, WARM, NOON).now == mood_after([], WARM, NOON).now


def test_what_comes_later_is_not_felt_yet() -> None:
    assert mood_after([line(ANGER, -1)], WARM, NOON) == mood_after([], WARM, NOON)


feelings = st.lists(st.floats(1, 10), min_size=8, max_size=8).map(
    lambda scores: Emotion(scores=tuple(scores))
)


@given(st.lists(st.tuples(feelings, st.floats(0, 500)), max_size=12))
def test_a_mood_stays_in_bounds_and_comes_home(heard: list[tuple[Emotion, float]]) -> None:
    lines = [line(emotion, ago, number=at) for at, (emotion, ago) in enumerate(heard)]
    mood = mood_after(lines, WARM, NOON)
    assert all(0 <= one <= 1 for one in mood.now)
    home = mood_after(lines, WARM, NOON + 20 * HALF_LIFE)
    assert home.now == pytest.approx(home.usual, abs=1e-5)
    assert in_words(home) == ""


def test_words_say_what_is_more_and_what_is_less_than_usual() -> None:
    assert nature(mood_after([], WARM, NOON)) == "warm, cheerful and eager"
    sad = mood_after([line(SORROW, n / 60, number=n) for n in range(3)], WARM, NOON)
    assert in_words(sad).startswith("very sad, less warm, cheerful")
    faint = mood_after([line(SORROW, 5)], WARM, NOON)
    assert in_words(faint) == "a little sad"


def test_the_prompt_gets_words_and_no_figures() -> None:
    note = mood_note(mood_after([line(ANGER)], WARM, NOON))
    assert "By nature you are warm, cheerful and eager." in note
    assert "just now you are angry" in note
    assert not any(character.isdigit() for character in note)
    assert mood_note(mood_after([], a_persona(), NOON)) == ""
    assert "That is your mood now." in mood_note(mood_after([], WARM, NOON))


def test_recall_hears_of_what_is_above_the_usual_alone() -> None:
    risen = for_recall(mood_after([line(SORROW)], WARM, NOON)).named()
    assert risen["sadness"] == pytest.approx(1 + 9 * 0.5 * 64 / 81)
    assert risen["joy"] == risen["acceptance"] == 1


def test_days_are_those_of_the_persona_and_hold_feelings_alone() -> None:
    lines = [line(JOY, 1), line(SORROW, 25), line(NEUTRAL, 49), line(ANGER, 24 * 8)]
    days = recent_days(lines, NOON, UTC)
    assert [day.day.day for day in days] == [28, 1]
    assert days[-1].feeling[0] == pytest.approx(8 / 9)


def test_a_table_has_the_scores() -> None:
    rows = mood_table(mood_after([], WARM, NOON)).splitlines()
    assert rows[1].split() == ["joy", "3.7", "3.7"]
    assert len(rows) == 9


@pytest.mark.parametrize("lines", [[], [line(JOY), line(SORROW, 30)]])
def test_the_radar_is_a_picture(lines: list[Event]) -> None:
    mood = mood_after(lines, WARM, NOON)
    content = MatplotlibPictures().mood("Ida $^", mood, recent_days(lines, NOON, UTC))
    with Image.open(BytesIO(content)) as image:
        assert image.format == "PNG"
        assert image.width > 400


class TestInTalk:
    @pytest.fixture
    def persona(self) -> Persona:
        return WARM

    @pytest.fixture
    async def here(
        self, store: Storage, make_engine: MakeEngine, clock: FakeClock, persona: Persona
    ) -> AsyncIterator[Room]:
        scorer, pictures = WordScorer(), MatplotlibPictures()
        async with make_engine(
            store, personas=(persona,), scorer=scorer, pictures=pictures
        ) as engine:
            yield Room(engine, clock)

    async def test_what_is_said_colours_the_very_reply(
        self, here: Room, model: ScriptedChat
    ) -> None:
        await here.say("Ana", "my dog died")
        assert "just now you are sad" in model.prompts[-1][0].text

    async def test_a_mood_stays_in_its_conversation(self, here: Room, model: ScriptedChat) -> None:
        await here.say("Ana", "my dog died")
        await here.say("Ben", "good evening")
        assert "sad" not in model.prompts[-1][0].text
        await here.say("Ana", "good evening")
        assert "sad" in model.prompts[-1][0].text
        assert "as usual here" in (await here.ask("Ben", "/mood")).text

    async def test_forgetting_takes_the_mood_along(self, here: Room) -> None:
        await here.say("Ana", "I hate this")
        assert "is angry" in (await here.ask("Ana", "/mood")).text
        await here.ask("Ana", "/undo")
        assert "is as usual" in (await here.ask("Ana", "/mood")).text

    async def test_the_command_shows_words_a_table_and_a_radar(self, here: Room) -> None:
        await here.say("Ana", "I hate this")
        reply = await here.ask("Ana", "/mood")
        assert reply.text.startswith("Ida is angry")
        assert "anger          4.6    1.0" in reply.text
        assert [file.name for file in reply.files] == ["mood.png"]

    async def test_the_terminal_gets_no_picture(self, here: Room) -> None:
        reply = await here.ask("Ana", "/mood", dm_with("Ana", "terminal"))
        assert reply.files == ()
        assert "```" not in reply.text

    async def test_a_room_has_a_mood_of_all_who_speak_there(
        self, here: Room, model: ScriptedChat
    ) -> None:
        await here.say("Ana", "Ida, my dog died", room())
        await here.say("Ben", "Ida, good evening", room())
        assert "sad" in model.prompts[-1][0].text


async def test_a_mood_outlives_the_process(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> None:
    for text in ("I hate this", "good evening"):
        async with make_engine(store, personas=(WARM,), scorer=WordScorer()) as engine:
            await Room(engine, clock).say("Ana", text)
    assert "you are angry" in model.prompts[-1][0].text
