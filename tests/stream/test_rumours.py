"""Hearsay in running conversations: claimed, raised, answered, settled, told."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.commands import parse_command
from bot.messages import Command, Rights
from bot.ports import Storage
from bot.stream.claims import Claim, ClaimRules, ClaimStatus, Stance
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import FakeClock, ScriptedChat, person, room
from tests.stream.feelings import WordScorer
from tests.stream.test_circle import Evening

MOVES = "Ben is moving to Porto in May"


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


async def test_the_line_that_made_the_persona_ask_is_no_answer(scene: Evening) -> None:
    scene.model.script = lambda lines: "Ben, are you really moving to Porto in May?"
    await scene.say("Ana", MOVES, room())
    await scene.say("Ben", "Ida, good evening", room())
    found = await only(scene)
    assert list(found.asked) == [await scene.agent("Ben")]
    assert found.checks == ()


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
