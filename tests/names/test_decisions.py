"""Whom a name means: found names, forms, exclusions and the decision itself."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from bot.memory import Event, EventKind
from bot.names.apart import told_of, why_apart
from bot.names.forms import forms, looks_like
from bot.names.meant import decide
from bot.names.profile import About, Bearer, Context
from bot.names.said import names_said
from bot.names.values import Decision, Outcome
from bot.world import Agent, AgentKind
from tests.fakes import NOON

ANA, BEN, BAKER, SAILOR = 1, 2, 10, 11


def line(number: int, by: int, text: str, at: datetime = NOON) -> Event:
    speaker = Agent(id=by, kind=AgentKind.PERSON, name=f"P{by}")
    return Event(
        id=number, kind=EventKind.MESSAGE, at=at, place_id=1, place_name="kitchen",
        speaker=speaker, speaker_name=speaker.name, text=text,
    )  # fmt: skip


def third_party(agent: int, *lines: Event, **more: object) -> Bearer:
    who = Agent(id=agent, kind=AgentKind.THIRD_PARTY, name="Alex")
    about = [About(event=event, by_bearer=False) for event in lines]
    return Bearer(agent=who, lines=about, **more)  # type: ignore[arg-type]


def person(agent: int, *lines: Event, here: bool = True) -> Bearer:
    who = Agent(id=agent, kind=AgentKind.PERSON, name="Alex")
    about = [About(event=event, by_bearer=True) for event in lines]
    return Bearer(agent=who, lines=about, lives_here=here)


def meant(text: str, bearers: Sequence[Bearer], at: datetime = NOON, by: int = ANA) -> Decision:
    said = next(one for one in names_said(text, {"alex"}) if one.form == "alex")
    context = Context(event=line(999, by, text, at), hidden={"alex"})
    return decide(said, context, bearers)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Alex, are you there?", ["alex"]),
        ("my sister Zoe moved to Porto", ["zoe"]),
        ("I came back from Porto on Monday", []),
        ("I live in Porto and I love it", []),
        ("Mark my words", []),
        ("alex told me so", ["alex"]),
        ("听说小明搬家了", ["小明"]),
        ('she said "Alex is late"', []),
        ("🦊 was here", ["🦊"]),
    ],
)
def test_names_are_found_where_they_name_somebody(text: str, found: list[str]) -> None:
    known = {"alex", "mark", "小明", "🦊"}
    assert [said.form for said in names_said(text, known)] == found


def test_a_decorated_name_is_found_by_what_people_call_it() -> None:
    assert forms("🦊Alex") == ["alex"]
    assert "alex" in forms("alex_99")
    assert "jose" in forms("José Núñez")
    assert forms("🦊🦊") == ["🦊🦊"]
    assert forms("  ") == []


def test_names_that_readers_take_for_each_other_are_told() -> None:
    assert looks_like("Аlex") == looks_like("A1ex") == looks_like("Alex")
    assert looks_like("Alma") != looks_like("Alex")


def test_nobody_is_in_two_places_on_one_day() -> None:
    oslo = third_party(BAKER, line(1, BEN, "Alex was in Oslo on Saturday"))
    decision = meant("Alex was in Porto on Saturday", [oslo])
    assert decision.outcome is Outcome.NEW
    assert "oslo" in decision.why


def test_two_namesakes_are_told_apart_by_where_they_were_on_one_day() -> None:
    oslo = third_party(BAKER, line(1, BEN, "Alex was in Oslo on Saturday"))
    porto = third_party(SAILOR, line(2, BEN, "Alex was in Porto on Saturday"))
    assert meant("I saw Alex in Porto on Saturday", [oslo, porto]).agent == SAILOR
    assert meant("I saw Alex in Oslo on Saturday", [oslo, porto]).agent == BAKER


def test_other_days_and_vague_places_exclude_nobody() -> None:
    lines = [About(event=line(1, BEN, "Alex was in Oslo on Saturday"), by_bearer=False)]
    for text in ("Alex was in Porto on Friday", "Alex was in Oslo on Saturday",
                 "Was Alex in Porto on Saturday?", "Alex was in love on Saturday"):  # fmt: skip
        told = told_of(line(2, ANA, text), "Alex")
        assert why_apart(told, lines, ["Alex"]) == "", text


def test_one_wedding_has_one_day_and_place() -> None:
    rome = third_party(BAKER, line(1, BEN, "the wedding of Alex was in Rome on 3 May 2025"))
    assert meant("the wedding of Alex was in Porto on 9 May 2025", [rome]).outcome is Outcome.NEW


def test_where_two_fit_alike_it_stays_open() -> None:
    one = third_party(BAKER, line(1, BEN, "Alex told a story", NOON - timedelta(days=1)))
    two = third_party(SAILOR, line(2, BEN, "Alex told a joke", NOON - timedelta(days=1)))
    decision = meant("Alex said hello", [one, two])
    assert decision.outcome is Outcome.AMBIGUOUS
    assert set(decision.rivals) == {BAKER, SAILOR}


def test_the_profile_decides_between_namesakes() -> None:
    past = NOON - timedelta(days=2)
    bread = third_party(BAKER, line(1, ANA, "Alex burned the rye bread in the oven", past))
    boat = third_party(SAILOR, line(2, BEN, "Alex repaired the sails of the boat", past))
    assert meant("Alex sold me some rye bread, the oven works again", [bread, boat]).agent == BAKER


def test_whoever_speaks_is_not_spoken_of() -> None:
    own = person(ANA, line(1, ANA, "hello"))
    other = person(BEN, line(2, BEN, "good evening"))
    assert meant("Alex told me a story", [own, other]).agent == BEN


def test_somebody_introduced_is_somebody_new() -> None:
    regular = person(BEN, line(1, BEN, "good evening"))
    assert meant("a guy named Alex fixed the roof", [regular]).outcome is Outcome.NEW


def test_the_other_one_is_not_the_one_meant_last() -> None:
    old = third_party(BAKER, line(1, ANA, "Alex bakes", NOON - timedelta(minutes=9)))
    new = third_party(SAILOR, line(2, ANA, "Alex sails", NOON - timedelta(minutes=2)))
    assert meant("I mean the other Alex", [old, new]).agent == BAKER


def test_a_regular_of_the_place_is_meant_rather_than_a_stranger() -> None:
    regular = person(BEN, line(1, BEN, "good evening", NOON - timedelta(days=3)))
    assert meant("Alex is moving to Porto", [regular]).agent == BEN
