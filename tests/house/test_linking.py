"""Two accounts of one person: linked only if both sides agree, and taken apart again."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from bot.engine import Engine
from bot.messages import Reply
from bot.ports import Storage
from bot.world import Hearing
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ListPlatform, dm_with, room
from tests.house.someone import Someone


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    engine: Engine
    store: Storage
    here: Someone
    there: Someone
    thief: Someone

    def someone(self, name: str, on: str) -> Someone:
        return Someone(self.engine, ListPlatform(on), name, where=dm_with(name, on), on=on)

    async def code(self) -> str:
        """A fresh code of the first account."""
        text = (await self.here.ask("/link")).text
        found = re.search(r"Your code: ([A-Z2-9]{10})\n", text)
        assert found
        return found[1]

    async def are_one(self, *people: Someone) -> bool:
        agents = [await self.store.person(one.author.account) for one in people]
        ids = {agent.id for agent in agents if agent}
        return len(ids) == 1 and None not in agents

    async def link(self, one: Someone, other: Someone) -> None:
        code = re.findall(r"[A-Z2-9]{10}", (await one.ask("/link")).text)[0]
        await other.press((await other.ask(f"/link {code}")).buttons[0].data)
        seen = await one.press(f"link:check:{code}")
        assert "one person now" in (await one.press(seen.buttons[0].data)).text


@pytest.fixture
async def house(store: Storage, make_engine: MakeEngine) -> AsyncIterator[House]:
    async with make_engine(store) as engine:
        made = House(engine=engine, store=store, here=None, there=None, thief=None)  # type: ignore[arg-type]
        yield House(
            engine=engine,
            store=store,
            here=made.someone("Ana", "list"),
            there=made.someone("Anita", "other"),
            thief=made.someone("Eve", "other"),
        )


async def test_both_sides_name_the_other_and_agree(house: House, clock: FakeClock) -> None:
    await house.here.say("I keep bees")
    await house.there.say("I keep goats")
    code = await house.code()
    waiting = await house.here.press(f"link:check:{code}")
    assert "Nobody has given the code" in waiting.text
    taken: Reply = await house.there.ask(f"/link {code.lower()}")
    assert "Ana (list:ana)" in taken.text
    assert taken.private
    assert not await house.are_one(house.here, house.there)
    assert "has to agree" in (await house.there.press(taken.buttons[0].data)).text
    assert not await house.are_one(house.here, house.there)
    asked = await house.here.press(waiting.buttons[0].data)
    assert "Anita (other:anita)" in asked.text
    assert not await house.are_one(house.here, house.there)
    assert "one person now" in (await house.here.press(asked.buttons[0].data)).text
    assert await house.are_one(house.here, house.there)


async def test_the_side_that_agrees_last_may_be_either(house: House) -> None:
    code = await house.code()
    await house.there.ask(f"/link {code}")
    assert "has to agree" in (await house.here.press(f"link:yes:{code}")).text
    assert "one person now" in (await house.there.press(f"link:yes:{code}")).text
    assert "one person now" in (await house.here.press(f"link:check:{code}")).text


async def test_button_data_fits_into_64_bytes(house: House) -> None:
    for button in (await house.here.ask("/link")).buttons:
        assert len(button.data.encode()) <= 64


class TestNothingIsLinked:
    @pytest.fixture(autouse=True)
    async def nobody(self, house: House) -> AsyncIterator[None]:
        yield
        assert not await house.are_one(house.here, house.there)
        assert not await house.are_one(house.here, house.thief)
        assert not await house.are_one(house.there, house.thief)

    async def test_by_one_side_alone_however_often(self, house: House) -> None:
        code = await house.code()
        await house.there.ask(f"/link {code}")
        for _ in range(3):
            await house.there.press(f"link:yes:{code}")

    async def test_with_a_code_that_is_too_old(self, house: House, clock: FakeClock) -> None:
        code = await house.code()
        clock.pass_time(minutes=10)
        assert "too old" in (await house.there.ask(f"/link {code}")).text
        for one in (house.there, house.here):
            await one.press(f"link:yes:{code}")

    async def test_if_one_side_agrees_too_late(self, house: House, clock: FakeClock) -> None:
        code = await house.code()
        await house.there.ask(f"/link {code}")
        await house.there.press(f"link:yes:{code}")
        clock.pass_time(minutes=10)
        assert "too old" in (await house.here.press(f"link:yes:{code}")).text

    async def test_with_a_stolen_code_since_the_owner_sees_who_gave_it(self, house: House) -> None:
        code = await house.code()
        await house.thief.press((await house.thief.ask(f"/link {code}")).buttons[0].data)
        seen = await house.here.press(f"link:check:{code}")
        assert "Eve (other:eve)" in seen.text
        assert "void" in (await house.here.press(seen.buttons[1].data)).text
        assert "void" in (await house.thief.press(f"link:yes:{code}")).text
        assert "void" in (await house.here.press(f"link:yes:{code}")).text

    async def test_with_a_code_that_two_accounts_gave(self, house: House) -> None:
        code = await house.code()
        await asyncio.gather(*(one.ask(f"/link {code}") for one in (house.there, house.thief)))
        for one in (house.there, house.thief):
            await one.press(f"link:yes:{code}")
        assert "void" in (await house.here.press(f"link:yes:{code}")).text

    async def test_with_a_code_used_in_a_group(self, house: House) -> None:
        code = await house.code()
        reply = await house.there.ask(f"/link {code}", room(platform="other"))
        assert "direct message" in reply.text
        assert reply.private
        assert "void" in (await house.there.ask(f"/link {code}")).text
        await house.here.press(f"link:yes:{code}")

    async def test_by_a_button_pressed_in_a_group(self, house: House) -> None:
        code = await house.code()
        await house.there.ask(f"/link {code}")
        await house.there.press(f"link:yes:{code}")
        reply = await house.here.press(f"link:yes:{code}", room())
        assert "direct message" in reply.text

    async def test_by_somebody_who_is_neither_side(self, house: House) -> None:
        code = await house.code()
        await house.there.ask(f"/link {code}")
        await house.there.press(f"link:yes:{code}")
        for step in ("yes", "no", "check"):
            assert "no such code" in (await house.thief.press(f"link:{step}:{code}")).text

    async def test_with_a_code_of_before(self, house: House) -> None:
        code = await house.code()
        await house.code()
        assert "void" in (await house.there.ask(f"/link {code}")).text

    async def test_with_an_invented_code_or_ones_own(self, house: House) -> None:
        assert "no such code" in (await house.there.ask("/link AAAAAAAAAA")).text
        code = await house.code()
        assert "your own code" in (await house.here.ask(f"/link {code}")).text

    async def test_to_an_account_that_opted_out(self, house: House, clock: FakeClock) -> None:
        await house.store.opt_out(house.thief.author.account, clock.now())
        code = await house.code()
        assert "left out" in (await house.thief.ask(f"/link {code}")).text
        await house.there.ask(f"/link {code}")
        await house.there.press(f"link:yes:{code}")
        await house.store.opt_out(house.there.author.account, clock.now())
        assert "void" in (await house.here.press(f"link:yes:{code}")).text


async def test_a_code_is_good_once(house: House) -> None:
    code = await house.code()
    await house.there.ask(f"/link {code}")
    await house.there.press(f"link:yes:{code}")
    await house.here.press(f"link:yes:{code}")
    assert "void" in (await house.thief.ask(f"/link {code}")).text
    await house.thief.press(f"link:yes:{code}")
    assert await house.are_one(house.here, house.there)
    assert not await house.are_one(house.here, house.thief)


async def test_private_conversations_stay_apart(house: House) -> None:
    await house.here.say("my secret is the blue heron")
    await house.there.say("hello")
    await house.link(house.here, house.there)
    ida = await house.store.persona("ida", "Ida")
    place = await house.store.place(house.there.where)
    hearing = Hearing(persona=ida.id, place=place.id)
    assert await house.store.matching("blue heron", hearing, limit=5) == []


async def test_unlinking_gives_each_its_own_again(house: House) -> None:
    await house.here.say("I keep bees")
    await house.there.say("I keep goats")
    before = [await house.store.person(one.author.account) for one in (house.here, house.there)]
    for first, second in ((house.here, house.there), (house.there, house.here)):
        for leaving in (house.here, house.there):
            await house.link(first, second)
            assert await house.are_one(house.here, house.there)
            reply = await leaving.ask("/unlink")
            assert "on its own again" in reply.text
            assert reply.private
            after = [
                await house.store.person(one.author.account) for one in (house.here, house.there)
            ]
            assert after == before
    assert "no other" in (await house.here.ask("/unlink")).text
    assert "direct message" in (await house.here.ask("/unlink", room())).text


async def test_of_three_linked_accounts_one_leaves_and_two_stay(house: House) -> None:
    await house.link(house.here, house.there)
    await house.link(house.there, house.thief)
    assert await house.are_one(house.here, house.there, house.thief)
    assert "already" in (await house.thief.ask(f"/link {await house.code()}")).text
    await house.here.ask("/unlink")
    assert await house.are_one(house.there, house.thief)
    assert not await house.are_one(house.here, house.there)


async def test_forget_everything_on_one_side_takes_both(house: House) -> None:
    await house.here.say("I keep bees")
    await house.there.say("I keep goats")
    await house.link(house.here, house.there)
    preview = await house.here.ask("/forget everything")
    assert "all your accounts" in preview.text
    assert "2 messages" in preview.text
    await house.here.press(preview.buttons[0].data)
    counts = await house.store.counts()
    assert (counts["events"], counts["people"]) == (0, 0)
    assert await house.store.person(house.there.author.account) is None
