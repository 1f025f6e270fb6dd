"""Names in running conversations: whom they mean, what the prompt says, what is forgotten."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.engine import Engine
from bot.memory import Selection, Share
from bot.messages import Delete
from bot.names.values import Kept
from bot.ports import Storage
from bot.world import Answers, Author, Hearing, Where
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ListPlatform, ScriptedChat, dm_with, person, room, says

KITCHEN = room("kitchen")


class Talk:
    def __init__(self, engine: Engine, store: Storage, clock: FakeClock, model: ScriptedChat):
        self.engine, self.store, self.clock, self.model = engine, store, clock, model
        self.send = ListPlatform().send
        self.events: dict[str, int] = {}

    async def say(
        self, name: str, text: str, where: Where = KITCHEN, by: Author | None = None
    ) -> str:
        """Returns the newest prompt's first part, empty if nobody answered."""
        self.clock.pass_time(seconds=20)
        before = len(self.model.prompts)
        message = says(name, text, where, at=self.clock.now(), author=by or person(name))
        await self.engine.handle(message, self.send)
        await self.engine.idle()
        self.events[text] = (await self.store.full_stream(limit=3))[-1].id
        newest = [e for e in await self.store.full_stream(limit=9) if e.text == text][-1]
        self.events[text] = newest.id
        return self.model.prompts[-1][0].text if len(self.model.prompts) > before else ""

    async def meant(self, text: str) -> list[Kept]:
        return await self.store.names_in(self.events[text])

    async def one(self, text: str) -> int:
        (kept,) = await self.meant(text)
        assert kept.agent is not None, kept
        return kept.agent


@pytest.fixture
async def talk(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> AsyncIterator[Talk]:
    model.script = lambda lines: "Aye."
    async with make_engine(store) as engine:
        place = await store.place(KITCHEN)
        await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
        yield Talk(engine, store, clock, model)


async def test_two_called_alex_are_told_apart_by_where_they_were_on_one_day(talk: Talk) -> None:
    await talk.say("Ana", "Alex told me a story, Alex was in Oslo on Saturday")
    await talk.say("Ben", "Alex was in Porto on Saturday, I met Alex there")
    oslo = await talk.one("Alex told me a story, Alex was in Oslo on Saturday")
    porto = await talk.one("Alex was in Porto on Saturday, I met Alex there")
    assert oslo != porto
    await talk.say("Cleo", "Alex was in Porto on Saturday, Alex said so")
    assert await talk.one("Alex was in Porto on Saturday, Alex said so") == porto


async def test_whoever_talks_here_is_meant_by_their_name(talk: Talk) -> None:
    await talk.say("Ben", "good evening")
    await talk.say("Ana", "Ben is moving to Porto")
    ((ben, _),) = await talk.store.people_named("Ben")
    assert await talk.one("Ben is moving to Porto") == ben.id
    (claim,) = await talk.store.claims(None, limit=5)
    assert claim.subject is not None
    assert claim.subject.id == ben.id


async def test_a_nickname_and_a_former_name_lead_to_the_same_person(talk: Talk) -> None:
    account = person("Benny_99", user="b").account
    await talk.say("Benny_99", "hello", by=Author(account=account, name="Benny_99"))
    await talk.say("Bear", "I changed my name", by=Author(account=account, name="🐻Bear"))
    await talk.say("Ana", "Bear told me a joke")
    await talk.say("Ana", "Benny told me another")
    assert await talk.one("Bear told me a joke") == await talk.one("Benny told me another")


async def test_where_it_stays_open_the_persona_is_told_to_ask(talk: Talk) -> None:
    for user in ("x1", "x2"):
        await talk.say("Alex", "good evening to you all", by=person("Alex", user=user))
    prompt = await talk.say("Ana", "Ida, what did Alex say about the boat?")
    assert "ask which Alex is meant" in prompt
    (kept,) = await talk.meant("Ida, what did Alex say about the boat?")
    assert kept.agent is None


async def test_the_answer_to_which_one_settles_it(talk: Talk) -> None:
    await talk.say("Ana", "a baker named Alex burned the rye bread in the oven")
    await talk.say("Ben", "a sailor named Alex repaired the sails of our boat")
    talk.clock.pass_time(days=2)
    await talk.say("Cleo", "Ida, I met Alex today")
    (kept,) = await talk.meant("Ida, I met Alex today")
    assert kept.agent is None
    await talk.say("Cleo", "Ida, the baker who burned the rye bread in the oven")
    baker = await talk.one("a baker named Alex burned the rye bread in the oven")
    assert await talk.one("Ida, I met Alex today") == baker


async def test_a_dm_tells_nobody_else_whom_it_spoke_of(talk: Talk) -> None:
    await talk.say("Ana", "my cousin Zoe stole the zeppelin", dm_with("Ana"))
    ida = (await talk.store.persona("ida", "Ida")).id
    kitchen = Hearing(persona=ida, place=(await talk.store.place(KITCHEN)).id)
    assert await talk.store.heard_of(kitchen) == []
    prompt = await talk.say("Ben", "Ida, my friend Zoe laughed about it")
    assert "zeppelin" not in prompt
    secret = await talk.one("my cousin Zoe stole the zeppelin")
    assert await talk.one("Ida, my friend Zoe laughed about it") != secret


async def test_a_person_named_like_the_persona_is_another(talk: Talk) -> None:
    await talk.say("Ida", "I am called so too", by=person("Ida", user="i2"))
    await talk.say("Ana", "Ida, are you there?")
    ((namesake, _),) = await talk.store.people_named("Ida")
    assert namesake.id not in [kept.agent for kept in await talk.meant("Ida, are you there?")]
    dialogue = "\n".join(line.text for line in talk.model.prompts[-1] if line.role == "user")
    assert "Ida (2): I am called so too" in dialogue
    assert namesake.id != (await talk.store.persona("ida", "Ida")).id


async def test_what_is_said_of_the_persona_makes_nobody_new_and_is_no_hearsay(talk: Talk) -> None:
    for text in ("Ida moved to the attic last week", "Ida quit her job, did you know?"):
        await talk.say("Ana", text)
        assert await talk.meant(text) == []
    assert await talk.store.claims(None, limit=5) == []
    assert await talk.store.people_named("Ida") == []


async def test_a_deleted_line_takes_whom_only_it_spoke_of_along(talk: Talk) -> None:
    talk.clock.pass_time(seconds=20)
    message = says("Ana", "my sister Zoe moved to Lyon", KITCHEN, at=talk.clock.now())
    await talk.engine.handle(message, talk.send)
    await talk.engine.idle()
    assert [a.name for a in await talk.store.heard_of(None)] == ["Zoe"]
    await talk.engine.handle(
        Delete(place=KITCHEN.key, ids=(message.id,), at=talk.clock.now()), talk.send
    )
    assert await talk.store.heard_of(None) == []


async def test_somebody_forgotten_leaves_no_mention(talk: Talk) -> None:
    await talk.say("Ben", "good evening")
    await talk.say("Ana", "Ben told me a story")
    ((ben, _),) = await talk.store.people_named("Ben")
    await talk.store.forget(Selection(agent=ben.id, share=Share.EVERYTHING, now=talk.clock.now()))
    assert await talk.meant("Ben told me a story") == []


async def test_merges_are_undone_and_never_join_accounts(talk: Talk) -> None:
    await talk.say("Ben", "good evening")
    await talk.say("Ana", "a guy named Al fixed the roof")
    store, at = talk.store, talk.clock.now()
    al = await talk.one("a guy named Al fixed the roof")
    ((ben, _),) = await store.people_named("Ben")
    ((ana, _),) = await store.people_named("Ana")
    assert not await store.merge_agents(ana.id, ben.id, by="op", at=at)
    assert await store.merge_agents(ben.id, al, by="op", at=at)
    assert await store.heard_of(None) == []
    assert not await store.merge_agents(ben.id, al, by="op", at=at + timedelta(hours=1))
    assert await store.split_agent(al, at=at)
    assert [a.id for a in await store.heard_of(None)] == [al]
    assert not await store.split_agent(al, at=at)
