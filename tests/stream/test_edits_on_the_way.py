"""Edits among people, of vouched-for rumours, and while an answer is on its way."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from bot.engine import Engine
from bot.messages import Edit, Message, Outbound, Reply
from bot.ports import Storage
from bot.stream.bonds import Bond
from bot.stream.claims import ClaimStatus
from bot.world import Answers
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ListPlatform, ScriptedChat, WordEmbedder, dm_with, room, says
from tests.stream.feelings import WordScorer

KITCHEN = room()


class Stage:
    def __init__(self, engine: Engine, store: Storage, clock: FakeClock) -> None:
        self.engine, self.store, self.clock = engine, store, clock
        self.platform = ListPlatform()

    async def says(self, name: str, text: str, **more: object) -> Message:
        self.clock.pass_time(seconds=20)
        message = says(name, text, **{"where": KITCHEN, "at": self.clock.now(), **more})  # type: ignore[arg-type]
        await self.engine.handle(message, self.platform.send)
        await self.engine.idle()
        return message

    async def edits(self, message: Message, text: str) -> None:
        self.clock.pass_time(seconds=20)
        edit = Edit(message=replace(message, text=text), at=self.clock.now())
        await self.engine.handle(edit, self.platform.send)
        await self.engine.idle()

    async def bond(self, one: str, other: str) -> Bond:
        agents = [
            (await self.store.persona("ida", "Ida")).id
            if name == "Ida"
            else (await self.store.people_named(name))[0][0].id
            for name in (one, other)
        ]
        return (await self.store.bonds(agents[0], others=agents[1:]))[0]

    async def claims(self) -> dict[str, ClaimStatus]:
        return {c.statement: c.status for c in await self.store.claims(None, limit=20)}


async def open_kitchen(store: Storage) -> None:
    place = await store.place(KITCHEN)
    await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)


@pytest.fixture
async def stage(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> AsyncIterator[Stage]:
    model.script = lambda _: "Aye."
    async with make_engine(store, scorer=WordScorer()) as engine:
        await open_kitchen(store)
        yield Stage(engine, store, clock)


async def test_an_insult_that_becomes_kind_counts_as_kind(stage: Stage) -> None:
    message = await stage.says("Ana", "I hate you", where=dm_with("Ana"))
    assert (await stage.bond("Ida", "Ana")).standing.weight == 0
    await stage.edits(message, "what a lovely evening")
    bond = await stage.bond("Ida", "Ana")
    assert (bond.standing.weight, bond.standing.exchanges) == (2, 1)


@pytest.mark.parametrize("edited", [0, 1])
async def test_among_people_both_sides_of_an_exchange_may_be_edited(
    stage: Stage, edited: int
) -> None:
    lines = [
        await stage.says("Ana", "hello Ben"),
        await stage.says("Ben", "hello Ana"),
    ]
    assert (await stage.bond("Ana", "Ben")).standing.weight == 1
    await stage.edits(lines[edited], "what a lovely evening with you")
    kind, other = ("Ana", "Ben") if edited == 0 else ("Ben", "Ana")
    assert (await stage.bond(kind, other)).standing.weight == 2
    await stage.edits(lines[edited], "I hate you")
    assert (await stage.bond(kind, other)).standing.weight == 0
    assert (await stage.bond(kind, other)).standing.exchanges == 1


async def test_a_claim_that_is_edited_away_is_gone(stage: Stage) -> None:
    message = await stage.says("Ana", "Ben is moving to Porto")
    await stage.edits(message, "Ben is moving to Oslo")
    assert await stage.claims() == {"Ben is moving to Oslo": ClaimStatus.PENDING}
    await stage.edits(message, "good evening")
    assert await stage.claims() == {}


async def test_a_claim_that_others_vouch_for_outlives_its_source(stage: Stage) -> None:
    message = await stage.says("Ana", "Ben is moving to Porto")
    await stage.says("Cleo", "yes, Ben is moving to Porto, I heard it")
    await stage.edits(message, "good evening")
    (claim,) = await stage.store.claims(None, limit=9)
    assert claim.source.name == "Cleo"
    assert claim.checks == ()


async def test_a_confirmation_that_is_edited_away_counts_no_longer(stage: Stage) -> None:
    await stage.says("Ana", "Ben is moving to Porto")
    await stage.says("Cleo", "yes, Ben is moving to Porto, I heard it")
    last = await stage.says("Dan", "yes, Ben is moving to Porto, I saw it")
    assert set((await stage.claims()).values()) == {ClaimStatus.CONFIRMED}
    await stage.edits(last, "good evening")
    assert set((await stage.claims()).values()) == {ClaimStatus.PENDING}


async def test_a_scene_follows_the_line_that_changed_it(stage: Stage) -> None:
    message = await stage.says("Ana", "*lights the fire*")
    place = await stage.store.place(KITCHEN)
    assert [item.item for item in await stage.store.scene(place.id)] == ["fire"]
    await stage.edits(message, "never mind")
    assert await stage.store.scene(place.id) == []


async def test_the_vector_is_that_of_the_new_text(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> None:
    embedder = WordEmbedder()
    async with make_engine(store, embedder=embedder) as engine:
        stage = Stage(engine, store, clock)
        message = await stage.says("Ana", "I keep herons", where=dm_with("Ana"))
        await stage.edits(message, "I keep walnuts")
        assert any(text.endswith("I keep walnuts") for text in embedder.asked)
        assert await store.unembedded(embedder.name, 9) == []


async def test_an_edit_while_the_persona_thinks_is_what_is_learnt(
    stage: Stage, model: ScriptedChat
) -> None:
    message = says("Ana", "I hate you", at=stage.clock.now())

    async def meanwhile() -> str:
        edit = Edit(message=replace(message, text="what a lovely evening"), at=stage.clock.now())
        await stage.store.edited(edit.message, edit.at)
        return "Aye."

    model.script = lambda _: meanwhile()
    await stage.engine.handle(message, stage.platform.send)
    await stage.engine.idle()
    assert (await stage.bond("Ida", "Ana")).standing.weight == 2


async def test_an_edit_while_the_reply_is_sent_is_what_is_learnt(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> None:
    embedder = WordEmbedder()
    message = says("Ana", "I keep herons", at=clock.now())
    platform = ListPlatform()

    async def send(outbound: Outbound) -> Sequence[str]:
        if isinstance(outbound, Reply):
            await store.edited(replace(message, text="I keep walnuts"), clock.now())
        return await platform.send(outbound)

    async with make_engine(store, embedder=embedder) as engine:
        await engine.handle(message, send)
        await engine.idle()
    assert any(text.endswith("I keep walnuts") for text in embedder.asked)
