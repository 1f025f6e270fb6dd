"""What followed from a line goes when the line is edited, and is learnt anew."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.messages import Edit, Message
from bot.ports import Storage
from bot.stream.claims import ClaimStatus
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ScriptedChat, a_persona, dm_with, room, says
from tests.stream.feelings import WordScorer
from tests.stream.test_circle import Evening

IDA = a_persona()
KITCHEN = room("kitchen")


class Writing(Evening):
    async def write(self, message: Message) -> Message:
        self.clock.pass_time(seconds=20)
        message = replace(message, at=self.clock.now())
        await self.engine.handle(message, self.platform.send)
        await self.engine.idle()
        return message

    async def mend(self, message: Message, text: str) -> None:
        self.clock.pass_time(seconds=20)
        edit = Edit(message=replace(message, text=text), at=self.clock.now())
        await self.engine.handle(edit, self.platform.send)
        await self.engine.idle()

    async def weight(self, of: str, toward: str) -> tuple[int, int]:
        standing = (await self.bond(of, toward)).standing
        return standing.weight, standing.exchanges


async def rumours(store: Storage) -> list[str]:
    return [claim.statement for claim in await store.claims(None, limit=9)]


@pytest.fixture
async def scene(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> AsyncIterator[Writing]:
    async with make_engine(store, personas=(IDA,), scorer=WordScorer()) as engine:
        writing = Writing(engine, store, clock, model)
        await writing.open_room(KITCHEN)
        yield writing


async def test_an_exchange_is_weighed_by_what_the_line_says_now(scene: Writing) -> None:
    said = await scene.write(says("Ana", "you are lovely", dm_with("Ana")))
    assert await scene.weight("Ida", "Ana") == (2, 1)
    await scene.mend(said, "you are stupid, I hate you")
    assert await scene.weight("Ida", "Ana") == (0, 1)
    await scene.mend(said, "you are lovely")
    assert await scene.weight("Ida", "Ana") == (2, 1)


async def test_an_exchange_among_people_is_weighed_again_from_either_side(scene: Writing) -> None:
    first = await scene.write(says("Ana", "Ben, you are lovely", KITCHEN))
    answer = await scene.write(says("Ben", "good to see you, lovely", KITCHEN))
    assert await scene.weight("Ana", "Ben") == (2, 1)
    await scene.mend(first, "Ben, I hate you")
    assert await scene.weight("Ana", "Ben") == (0, 1)
    assert await scene.weight("Ben", "Ana") == (2, 1)
    await scene.mend(answer, "well, Ana, I hate you")
    assert await scene.weight("Ben", "Ana") == (0, 1)


async def test_a_rumour_that_is_edited_away_is_no_claim_any_more(
    scene: Writing, store: Storage
) -> None:
    said = await scene.write(says("Ana", "Ben is moving to Porto in May", KITCHEN))
    assert await rumours(store) == ["Ben is moving to Porto in May"]
    await scene.mend(said, "Ben is moving to Oslo in May")
    assert await rumours(store) == ["Ben is moving to Oslo in May"]
    await scene.mend(said, "good night")
    assert await rumours(store) == []


async def test_a_check_that_is_edited_away_settles_nothing(scene: Writing, store: Storage) -> None:
    await scene.write(says("Ben", "hello all", KITCHEN))
    await scene.write(says("Ana", "Ben got a new job at the mill", KITCHEN))
    said = await scene.write(says("Ben", "no, Ben did not get a new job at the mill", KITCHEN))
    [claim] = await store.claims(None, limit=9)
    before = claim.status
    await scene.mend(said, "pass me the bread")
    [claim] = await store.claims(None, limit=9)
    assert before is ClaimStatus.FALSE
    assert (claim.status, claim.checks) == (ClaimStatus.PENDING, ())


async def test_a_fire_that_was_never_lit_does_not_burn(scene: Writing, store: Storage) -> None:
    said = await scene.write(says("Ana", "*lights the fire*", KITCHEN))
    place = await store.place(KITCHEN)
    assert [item.item for item in await store.scene(place.id)] == ["fire"]
    await scene.mend(said, "*yawns*")
    assert await store.scene(place.id) == []


async def test_a_correction_that_is_edited_away_leaves_the_old_fact_true(
    scene: Writing, store: Storage
) -> None:
    ana = dm_with("Ana")
    await scene.write(says("Ana", "I live in Paris", ana))
    said = await scene.write(says("Ana", "I moved, I live in Lyon now", ana))
    [old] = await store.events([1])
    assert old.text == "I live in Paris"
    assert old.superseded_by is not None
    await scene.mend(said, "what a grey day")
    [old] = await store.events([1])
    assert old.superseded_by is None


async def test_a_line_that_was_heard_before_a_crash_is_learnt_after_it(
    store: Storage, make_engine: MakeEngine, clock: FakeClock
) -> None:
    """Received and never learnt: what a process leaves that is killed in between."""
    place = await store.place(KITCHEN)
    await store.open_place(place.id, listens=True, answers=place.answers)
    await store.received(
        says("Ana", "Ben is moving to Porto in May", KITCHEN), persona=None, ignored="not spoken to"
    )
    assert await rumours(store) == []
    async with make_engine(store, personas=(IDA,), scorer=WordScorer()) as engine:
        while await store.unlearned_lines():
            await engine.idle()
    assert await rumours(store) == ["Ben is moving to Porto in May"]
