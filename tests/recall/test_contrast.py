"""What a question sets its answer against, what feeling it asks for, and who lends weight."""

from dataclasses import replace

import pytest

from bot.emotion import NEUTRAL
from bot.memory import Beside, Candidate
from bot.persona import RecallMode
from bot.recall import Query
from bot.recall.blend import blend
from bot.recall.context import own_words, views
from bot.recall.contrast import Contrast, Contrasted, contrast, contrasted, set_against
from bot.recall.query import Earlier
from bot.recall.scale import Scale
from bot.recall.surroundings import lent
from bot.recall.tone import asked_tone
from bot.world import Agent, AgentKind
from tests.recall.scenes import candidate, event

UNIT = Scale(mean=0.2, spread=0.1)
BEN = Agent(id=8, kind=AgentKind.PERSON, name="Ben")


@pytest.mark.parametrize(
    ("text", "ruled_out", "before"),
    [
        ("Which one was the news of the death — not the numb funeral?", "the numb funeral", ""),
        ("Do you mean Ben, and not my brother?", "my brother", ""),
        ("What did you eat instead of the soup?", "the soup", ""),
        ("What happened before the wedding, in May?", "", "the wedding"),
        ("Which call preceded the offer rather than the refusal?", "the refusal", "the offer"),
        ("¿Qué pasó antes de la boda?", "", "la boda"),
        ("你说的是猫，不是狗？", "狗", ""),
        ("婚礼之前发生了什么？", "", "婚礼"),
    ],
)
def test_a_question_says_what_it_does_not_mean(text: str, ruled_out: str, before: str) -> None:
    found = contrast(text)
    assert found.ruled_out == ruled_out
    assert found.before.startswith(before)
    assert bool(found.before) == bool(before)


@pytest.mark.parametrize(
    "text",
    [
        "We had dinner before the film.",
        "I took the bus, not the train. Did you?",
        "Why did you not come?",
        "Have you been there before?",
        "",
    ],
)
def test_statements_and_plain_questions_set_nothing_apart(text: str) -> None:
    assert contrast(text) == Contrast()


def test_what_is_ruled_out_steps_back_behind_what_is_meant() -> None:
    walk, funeral = candidate(1, 0.5), candidate(2, 0.55)
    query = Query(text="the walk?", scale=UNIT)
    assert [r.event.id for r in blend(query, [walk, funeral])] == [2, 1]
    apart = replace(query, against=Contrasted(ruled_out={1: 0.3, 2: 0.9}, before={}))
    ranked = blend(apart, [walk, funeral])
    assert [r.event.id for r in ranked] == [1, 2]
    assert {r.event.id: round(r.parts["against"], 6) for r in ranked} == {1: -1.0, 2: -7.0}


def test_what_is_older_than_the_thing_named_is_meant_by_before() -> None:
    events = [event(1), event(2), event(3)]
    found = set_against(events, Contrasted(ruled_out={}, before={1: 0.1, 2: 0.8, 3: 0.3}), UNIT)
    assert found == pytest.approx({1: 1.0, 2: -6.0, 3: -1.0 - 1.0})


def test_where_the_thing_named_is_not_remembered_age_decides_nothing() -> None:
    events = [event(1), event(2)]
    assert set_against(events, Contrasted(ruled_out={}, before={1: 0.35}), UNIT) == pytest.approx(
        {1: -1.5, 2: 0.0}
    )
    assert set_against(events, None, UNIT) == {}
    assert set_against([], Contrasted(ruled_out={}, before={}), UNIT) == {}


def test_cosines_go_with_the_phrase_that_was_searched() -> None:
    both = Contrast(ruled_out="the refusal", before="the offer")
    found = contrasted(both, [[candidate(1, 0.4)], [candidate(2, 0.6), candidate(3, None)]])
    assert (found.ruled_out, found.before) == ({1: 0.4}, {2: 0.6})
    only = contrasted(Contrast(before="the offer"), [[candidate(2, 0.6)]])
    assert (only.ruled_out, only.before) == ({}, {2: 0.6})


@pytest.mark.parametrize(
    ("text", "tone"),
    [
        ("What was your happiest moment?", 1),
        ("When did you hit the lowest point?", -1),
        ("¿Cuál fue el día más feliz?", 1),
        ("你最难过的是什么时候？", -1),
        ("From the worst to the proudest?", 0),
        ("What did you have for lunch?", 0),
        ("That was the worst day.", 0),
    ],
)
def test_a_question_may_ask_for_a_feeling_that_it_does_not_have(text: str, tone: int) -> None:
    assert asked_tone(Query(text=text)) == tone
    assert asked_tone(Query(text=text, mode=RecallMode.OFF)) == 0


def test_of_two_memories_the_pleasant_one_answers_a_question_for_joy() -> None:
    glad, sad = replace(NEUTRAL, valence=0.8), replace(NEUTRAL, valence=-0.8)
    both = [candidate(1, 0.5, sad), candidate(2, 0.5, glad)]
    asked = Query(text="What was your happiest day?", scale=UNIT)
    assert [r.event.id for r in blend(asked, both)] == [2, 1]
    assert [r.event.id for r in blend(replace(asked, text="What day?"), both)] == [1, 2]


def near(number: int, *, by: object = None, minutes: int = 0) -> Candidate:
    from datetime import timedelta

    from tests.recall.scenes import ANA, NOON

    return candidate(number, 0.5, speaker=by or ANA, at=NOON + timedelta(minutes=minutes))


def test_an_answer_gets_weight_from_its_question_but_a_diary_lends_none() -> None:
    question, answer = near(1).event, near(2, by=BEN, minutes=1).event
    entry = near(2, minutes=1).event
    asked = [Beside(event=answer, to=question, steps=1)]
    told = [Beside(event=entry, to=question, steps=1)]
    assert lent({1: 2.0, 2: 0.0}, asked) == pytest.approx({2: 0.7})
    assert lent({1: 2.0, 2: 0.0}, told) == {}


def test_a_query_is_seen_alone_in_its_exchange_in_its_askers_words_and_as_a_whole() -> None:
    before = (
        Earlier(text="My cat ran away.", own=True),
        Earlier(text="Oh no.", own=False),
    )
    query = Query(text="What now?", before=before)
    assert views(query) == [
        "What now?",
        "Oh no. What now?",
        "My cat ran away. What now?",
        "My cat ran away. Oh no. What now?",
    ]
    assert own_words(query) == views(query)[2]
    assert views(Query(text="What now?")) == ["What now?"]
