"""/people merge and /people split: who may, what they refuse, and that a merge is undone."""

from collections.abc import AsyncIterator

import pytest

from bot.engine import Engine
from bot.messages import Rights
from bot.ports import Storage
from bot.world import Answers
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ListPlatform, ScriptedChat, person, room
from tests.house.someone import Someone
from tests.names.test_names_in_talk import Talk

KITCHEN, YARD = room("kitchen"), room("yard")
HOW = "Type /people merge NUMBER NUMBER"


@pytest.fixture
async def engine(
    store: Storage, make_engine: MakeEngine, model: ScriptedChat
) -> AsyncIterator[Engine]:
    model.script = lambda lines: "Aye."
    async with make_engine(store, owners=frozenset({person("Root").account})) as made:
        for where in (KITCHEN, YARD):
            place = await store.place(where)
            await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
        yield made


@pytest.fixture
async def talk(engine: Engine, store: Storage, clock: FakeClock, model: ScriptedChat) -> Talk:
    """Ana speaks of two people with other names, who have no accounts."""
    made = Talk(engine, store, clock, model)
    await made.say("Ana", "my sister Zoe moved to Lyon", KITCHEN)
    await made.say("Ana", "a guy named Al fixed the roof", KITCHEN)
    return made


async def heard_of(talk: Talk) -> dict[str, int]:
    return {agent.name: agent.id for agent in await talk.store.heard_of(None)}


def someone(talk: Talk, name: str, rights: Rights = Rights.MEMBER) -> Someone:
    return Someone(talk.engine, ListPlatform(), name, rights=rights, where=KITCHEN)


async def test_the_list_gives_the_numbers_that_a_merge_takes_and_a_split_undoes_it(
    talk: Talk,
) -> None:
    admin, known = someone(talk, "Olga", Rights.ADMIN), await heard_of(talk)
    zoe, al = known["Zoe"], known["Al"]
    listed = (await admin.ask("/people")).text
    assert f"{zoe} Zoe" in listed
    assert f"{al} Al" in listed
    merged = await admin.ask(f"/people merge {al} {zoe}")
    assert merged.text == f"{al} is {zoe} from now on; /people split {al} undoes it."
    assert await heard_of(talk) == {"Zoe": zoe}
    assert "cannot be merged" in (await admin.ask(f"/people merge {al} {zoe}")).text
    assert "of their own again" in (await admin.ask(f"/people split {al}")).text
    assert await heard_of(talk) == known
    assert "was not merged" in (await admin.ask(f"/people split {al}")).text


async def test_members_do_not_decide_who_is_who(talk: Talk) -> None:
    known = await heard_of(talk)
    asked = f"/people merge {known['Al']} {known['Zoe']}"
    assert "Only admins" in (await someone(talk, "Ana").ask(asked)).text
    assert await heard_of(talk) == known


async def test_an_admin_decides_for_their_own_place_only_and_an_operator_for_all(
    talk: Talk,
) -> None:
    await talk.say("Ben", "my brother Otto moved to Bergen", YARD)
    known = await heard_of(talk)
    asked = f"/people merge {known['Otto']} {known['Zoe']}"
    admin = someone(talk, "Olga", Rights.ADMIN)
    assert "first heard of in this place" in (await admin.ask(asked)).text
    assert await heard_of(talk) == known
    assert "from now on" in (await someone(talk, "Root").ask(asked)).text
    assert "Otto" not in await heard_of(talk)


async def test_accounts_are_never_merged(talk: Talk) -> None:
    await talk.say("Ben", "good evening", KITCHEN)
    ((ben, _),) = await talk.store.people_named("Ben")
    ((ana, _),) = await talk.store.people_named("Ana")
    root = someone(talk, "Root")
    assert "/link" in (await root.ask(f"/people merge {ben.id} {ana.id}")).text
    assert {a.name for a in await talk.store.circle((await talk.store.place(KITCHEN)).id)} >= {
        "Ana", "Ben",
    }  # fmt: skip


@pytest.mark.parametrize(
    "typed", ["merge", "merge 1", "merge one two", "merge 1 2 3", "split", "split x", "split ²"]
)
async def test_wrong_numbers_are_said_in_a_sentence(talk: Talk, typed: str) -> None:
    known = await heard_of(talk)
    answer = await someone(talk, "Root").ask(f"/people {typed}")
    assert HOW in answer.text
    assert await heard_of(talk) == known


@pytest.mark.parametrize("typed", ["merge 999998 999999", "split 999999"])
async def test_numbers_of_nobody_change_nothing(talk: Talk, typed: str) -> None:
    known = await heard_of(talk)
    answer = await someone(talk, "Root").ask(f"/people {typed}")
    assert "cannot be merged" in answer.text or "was not merged" in answer.text
    assert await heard_of(talk) == known
