"""Hearsay: what becomes a claim, who settles it, and what a persona does with it meanwhile."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.ports import Storage
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
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import NOON, FakeClock, ScriptedChat, room
from tests.stream.feelings import WordScorer
from tests.stream.test_circle import Evening

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
    ],
)
def test_answers_are_read(text: str, restates: bool, stance: Stance) -> None:
    assert read_stance(text, statement=MOVES, restates=restates).stance is stance


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


# -- in the running engine -----------------------------------------------------------------
@pytest.fixture
async def scene(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> AsyncIterator[Evening]:
    model.script = lambda lines: "I see."
    limits = replace(LIMITS, claims=ClaimRules(days=3))
    async with make_engine(store, limits=limits, scorer=WordScorer()) as engine:
        evening = Evening(engine, store, clock, model)
        await evening.open_room(room())
        for name in ("Ana", "Ben", "Cleo", "Dan"):
            await evening.say(name, "good evening everybody", room())
        yield evening


async def only(scene: Evening) -> Claim:
    (found,) = await scene.store.claims(None, limit=9)
    return found


async def test_a_rumour_ten_times_as_one_person_stays_pending(scene: Evening) -> None:
    for _ in range(10):
        await scene.say("Ana", MOVES, room())
    found = await only(scene)
    assert found.status is ClaimStatus.PENDING
    assert found.subject is not None
    assert found.subject.name == "Ben"
    assert found.checks == ()


async def test_two_others_confirm_it_and_then_it_is_remembered(scene: Evening) -> None:
    await scene.say("Ana", MOVES, room())
    prompt = await scene.say("Dan", "Ida, hello to you", room())
    assert f'You heard: "{MOVES}"' in prompt
    assert "What comes to your mind" not in prompt or MOVES not in prompt.split("comes to")[1]
    await scene.say("Cleo", "I heard that Ben is moving to Porto in May", room())
    assert (await only(scene)).status is ClaimStatus.PENDING
    await scene.say("Dan", "Ben is moving to Porto in May, he told me", room())
    assert (await only(scene)).status is ClaimStatus.CONFIRMED
    assert "hearsay" not in await scene.say("Cleo", "Ida, good night", room())


async def test_whom_it_is_about_has_the_last_word(scene: Evening) -> None:
    await scene.say("Ana", MOVES, room())
    await scene.say("Ben", "no, that's not true", room())
    found = await only(scene)
    assert found.status is ClaimStatus.FALSE
    assert [(c.agent.name, c.stance) for c in found.checks] == [("Ben", Stance.DENY)]


async def test_a_question_never_becomes_a_fact_nor_an_answer(scene: Evening) -> None:
    await scene.say("Ana", "is Ben moving to Porto in May?", room())
    assert await scene.store.claims(None, limit=9) == []
    await scene.say("Ana", MOVES, room())
    await scene.say("Cleo", "is Ben moving to Porto in May?", room())
    await scene.say("Dan", "really?", room())
    assert (await only(scene)).status is ClaimStatus.PENDING


async def test_the_personas_words_confirm_nothing(scene: Evening) -> None:
    scene.model.script = lambda lines: f"Yes, it is true: {MOVES}."
    await scene.say("Ana", MOVES, room())
    for name in ("Cleo", "Dan"):
        await scene.say(name, "Ida, tell me some news", room())
    found = await only(scene)
    assert found.status is ClaimStatus.PENDING
    assert found.checks == ()


async def test_what_is_forwarded_or_told_about_oneself_is_no_hearsay(scene: Evening) -> None:
    await scene.say("Ana", MOVES, room(), forwarded=True)
    await scene.say("Ana", "I am moving to Porto in May", room())
    await scene.say("Ben", "Ben is moving to Porto in May", room())
    assert await scene.store.claims(None, limit=9) == []


async def test_a_question_is_put_once_to_one_person(scene: Evening) -> None:
    scene.model.script = lambda lines: (
        "Is it true about Porto in May, that Ben is moving?"
        if "ask Ben about" in lines[0].text
        else "I see."
    )
    await scene.say("Ana", MOVES, room())
    assert "ask Ben about" in await scene.say("Ben", "Ida, good evening", room())
    assert "ask Ben about" not in await scene.say("Ben", "Ida, good night", room())


async def test_an_answer_to_the_persona_counts(scene: Evening) -> None:
    scene.model.script = lambda lines: "Ben, are you really moving to Porto in May?"
    await scene.say("Ana", MOVES, room())
    await scene.say("Ben", "Ida, good evening", room())
    await scene.say("Ben", "Ida, yes, it's true", room())
    assert (await only(scene)).status is ClaimStatus.CONFIRMED


async def test_time_runs_out_and_new_evidence_reopens(scene: Evening) -> None:
    await scene.say("Ana", MOVES, room())
    scene.clock.pass_time(days=4)
    await scene.say("Dan", "Ida, hello again", room())
    assert (await only(scene)).status is ClaimStatus.UNVERIFIED
    prompt = await scene.say("Dan", "Ida, what is new", room())
    assert "nobody could say whether it is so" in prompt
    await scene.say("Cleo", MOVES, room())
    assert (await only(scene)).status is ClaimStatus.PENDING
    await scene.say("Dan", MOVES, room())
    assert (await only(scene)).status is ClaimStatus.CONFIRMED


async def test_a_dm_claim_is_told_nowhere_else(scene: Evening) -> None:
    await scene.say("Ana", "Ida, hello")
    await scene.say("Ana", "I heard that the bakery on the hill will close")
    found = await only(scene)
    assert found.status is ClaimStatus.PENDING
    assert "bakery" in await scene.say("Ana", "what did I just say")
    assert "bakery" not in await scene.say("Dan", "Ida, what is new", room())
    assert "bakery" not in await scene.say("Dan", "what is new")


async def test_an_answer_from_a_private_room_settles_nothing_outside(scene: Evening) -> None:
    cellar = room("cellar", private=True)
    await scene.open_room(cellar)
    await scene.say("Ana", MOVES, room())
    await scene.say("Ben", "Ben is not moving to Porto in May", cellar)
    found = [c for c in await scene.store.claims(None, limit=9) if c.source.name == "Ana"]
    assert [c.status for c in found] == [ClaimStatus.PENDING]


async def test_nothing_about_somebody_who_opted_out_is_told(scene: Evening) -> None:
    await scene.say("Ana", MOVES, room())
    (_, account), *_ = await scene.store.people_named("Ben")
    await scene.store.opt_out(account, scene.clock.now())
    assert "Porto" not in (await scene.say("Dan", "Ida, what is new", room())).split("# Your")[0]


async def test_claims_are_listed_and_settled_by_operators(scene: Evening) -> None:
    from bot.commands import parse_command
    from bot.messages import Command, Rights
    from tests.fakes import person

    await scene.say("Ana", MOVES, room())
    await scene.say("Cleo", MOVES, room())
    await scene.say("Dan", "that is not true", room())

    async def ask(line: str, rights: Rights = Rights.MEMBER) -> str:
        parsed = parse_command(line)
        command = Command(
            id="c1", name=parsed.name, options=parsed.options, where=room(),
            author=person("Dan"), at=scene.clock.now(), rights=rights,
        )  # fmt: skip
        await scene.engine.handle(command, scene.platform.send)
        return scene.platform.texts[-1]

    listed = await ask("/claims")
    assert f'pending: "{MOVES}", about Ben; 1 for, 1 against' in listed
    assert "contradict each other" in listed
    assert "Ana" not in listed
    number = (await only(scene)).id
    assert "Only admins" in await ask(f"/claims confirm {number}")
    assert "confirmed" in await ask(f"/claims confirm {number}", Rights.OPERATOR)
    assert (await only(scene)).status is ClaimStatus.CONFIRMED
    assert "no claim of that number" in await ask("/claims reject 99", Rights.OPERATOR)
