"""Hearsay: what becomes a claim, who settles it, and what a persona does with it meanwhile."""

from datetime import timedelta

import pytest

from bot.stream.addressed import called_forms
from bot.stream.claims import (
    Check,
    Claim,
    ClaimReading,
    ClaimRules,
    ClaimStatus,
    Stance,
    confidence,
    verdict,
)
from bot.stream.hearsay import hearsay_note, whom_to_ask
from bot.stream.news import news_in
from bot.stream.stances import read_stance
from bot.world import Agent, AgentKind
from tests.fakes import NOON

RULES = ClaimRules()
MOVES = "Ben is moving to Porto in May"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (MOVES, [(MOVES, "Ben")]),
        ("I heard that Ben is moving to Porto.", [("Ben is moving to Porto", "Ben")]),
        ("did you hear that Ben quit his job?", [("Ben quit his job", "Ben")]),
        ("What a day. Ben got a new job at the mill!", [("Ben got a new job at the mill", "Ben")]),
        ("they say the bridge will close in May", [("the bridge will close in May", "")]),
        ("Apparently the harbour master resigned.", [("the harbour master resigned", "")]),
        ("My sister Lucía is moving away", [("My sister Lucía is moving away", "Lucía")]),
        ("Dicen que Lucía se casa en mayo", [("Lucía se casa en mayo", "Lucía")]),
        ("听说小红要结婚了", [("小红要结婚了", "小红")]),
        (f"Ben, {MOVES}", [(MOVES, "Ben")]),
        ("Hey 小红, my brother Alex moved to Porto.", [("my brother Alex moved to Porto", "Alex")]),
        ("Well, by the way, Ben, Ana quit her job!", [("Ana quit her job", "Ana")]),
        ("Ben, did you hear that Ana quit?", [("Ana quit", "Ana")]),
        ("Ana quit her job, Ben.", [("Ana quit her job", "Ana")]),
        ("小红，听说小明要结婚了", [("小明要结婚了", "")]),
        ("Ben, I quit my job", []),
        ("Ben, you quit your job", []),
        ("Yesterday, Ben", []),
        ("Is Ben moving to Porto?", []),
        ("Ben is moving to Mars haha lol", []),
        ("*Ben is moving to Porto*", []),
        ("> Ben is moving to Porto", []),
        ('Cleo wrote "Ben is moving to Porto"', []),
        ("If Ben is moving, I cry", []),
        ("maybe Ben is moving", []),
        ("I think Ben is moving", []),
        ("I am moving to Porto", []),
        ("You are moving to Porto", []),
        ("Ben is great", []),
        ("Ben, how are you", []),
        ("Paris is a city", []),
        ("hello Ben", []),
        ("this is my brother Ben", []),
        ("she is with Ben", []),
        ("", []),
    ],
)
def test_news_about_others_is_a_claim_nothing_else_is(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert [(n.statement, n.subject) for n in news_in(text, ["Ben", "小红"])] == found


@pytest.mark.parametrize(
    ("text", "restates", "stance"),
    [
        ("yes, he told me so", False, Stance.SUPPORT),
        ("I heard it too", False, Stance.SUPPORT),
        ("no, that's nonsense", False, Stance.DENY),
        ("that's not true at all", False, Stance.DENY),
        ("really?", False, Stance.QUERY),
        ("who says so?", False, Stance.QUERY),
        ("no idea", False, Stance.COMMENT),
        ("poor thing", False, Stance.COMMENT),
        (MOVES, True, Stance.SUPPORT),
        ("Ben is not moving to Porto", True, Stance.DENY),
        ("is Ben moving to Porto?", True, Stance.QUERY),
        ("sí, es verdad", False, Stance.SUPPORT),
        ("es mentira", False, Stance.DENY),
        ("是真的", False, Stance.SUPPORT),
        ("假的", False, Stance.DENY),
        ('"yes, it is true"', False, Stance.COMMENT),
        ("Ida, no, Ben never moved to Porto. He still lives in Lyon!", True, Stance.DENY),
        ("Hey Ida, no!", False, Stance.DENY),
        ("Ida, yes, he told me", False, Stance.SUPPORT),
        ("Ben never moved to Porto, he is not there", True, Stance.DENY),
        ("Ben is moving to Porto, he never liked it here", True, Stance.SUPPORT),
        ("He never liked it here, Ben is moving to Porto", True, Stance.SUPPORT),
        ("Ida, are you sure?", False, Stance.QUERY),
    ],
)
def test_answers_are_read(text: str, restates: bool, stance: Stance) -> None:
    called = called_forms(["Ida", "Ben"])
    read = read_stance(text, statement=MOVES, restates=restates, called=called)
    assert read.stance is stance


def who(number: int) -> Agent:
    return Agent(id=number, kind=AgentKind.PERSON, name=f"p{number}")


SOURCE, SUBJECT = who(1), who(2)


def claim(*answers: tuple[int, Stance], **more: object) -> Claim:
    checks = [
        Check(agent=who(n), event=number, stance=stance, confidence=0.9,
              at=NOON + timedelta(minutes=number))
        for number, (n, stance) in enumerate(answers)
    ]  # fmt: skip
    fields: dict[str, object] = {
        "id": 1, "event": 1, "source": SOURCE, "subject": SUBJECT, "statement": MOVES,
        "status": ClaimStatus.PENDING, "sensitive": False, "opened": NOON,
        "expires": NOON + timedelta(days=7), "checks": checks, **more,
    }  # fmt: skip
    return Claim(**fields)  # type: ignore[arg-type]


S, D, Q = Stance.SUPPORT, Stance.DENY, Stance.QUERY


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ([], ClaimStatus.PENDING),
        ([(3, S)], ClaimStatus.PENDING),
        ([(3, S), (3, S), (3, S)], ClaimStatus.PENDING),
        ([(1, S), (3, S)], ClaimStatus.PENDING),
        ([(3, S), (4, S)], ClaimStatus.CONFIRMED),
        ([(3, D), (4, D)], ClaimStatus.FALSE),
        ([(3, S), (4, S), (5, D), (6, D)], ClaimStatus.PENDING),
        ([(3, S), (4, S), (5, D)], ClaimStatus.CONFIRMED),
        ([(3, Q), (4, Q), (5, Q)], ClaimStatus.PENDING),
        ([(2, S)], ClaimStatus.CONFIRMED),
        ([(3, S), (4, S), (2, D)], ClaimStatus.FALSE),
        ([(3, S), (4, S), (3, D)], ClaimStatus.PENDING),
        ([(1, D)], ClaimStatus.FALSE),
        ([(1, D), (3, S)], ClaimStatus.PENDING),
    ],
)
def test_distinct_people_settle_a_claim_and_the_subject_decides(
    answers: list[tuple[int, Stance]], status: ClaimStatus
) -> None:
    assert verdict(claim(*answers), NOON, RULES) is status


def test_time_runs_out_as_the_setting_says() -> None:
    later = NOON + timedelta(days=8)
    assert verdict(claim((3, S)), later, RULES) is ClaimStatus.UNVERIFIED
    literal = ClaimRules(reading=ClaimReading.FALSE)
    assert verdict(claim((3, S)), later, literal) is ClaimStatus.FALSE


def test_confidence_follows_the_answers_but_not_the_source() -> None:
    assert confidence(claim()) == 0.5
    assert confidence(claim((1, S))) == 0.5
    assert confidence(claim((3, S))) > 0.6
    assert confidence(claim((3, D))) < 0.4


def asked(one: Claim, person: int, *, present: tuple[int, ...] = ()) -> bool:
    knowing = {(3, 2), (4, 2)}
    return whom_to_ask([one], [(person, "x")], [person, *present], knowing) is not None


def test_whom_to_ask() -> None:
    assert asked(claim(), 3)
    assert asked(claim(), 2)  # whom it is about
    assert not asked(claim(), 1)  # the source
    assert not asked(claim(), 9)  # knows nobody in it
    assert not asked(claim(), 3, present=(2,))  # the subject comes first
    assert asked(claim(asked=frozenset({2})), 3, present=(2,))
    assert not asked(claim(asked=frozenset({3})), 3)  # never twice
    assert not asked(claim((3, Q)), 3)  # has answered already
    assert not asked(claim(sensitive=True), 3)
    assert not asked(claim(subject_left_out=True), 3)
    assert not asked(claim(status=ClaimStatus.FALSE), 3)


def test_the_prompt_names_no_source_and_nothing_sensitive() -> None:
    note = hearsay_note([claim((3, S))], None)
    assert f'You heard: "{MOVES}" (somebody agreed)' in note
    assert "p1" not in note
    assert hearsay_note([claim(sensitive=True), claim(subject_left_out=True)], None) == ""
