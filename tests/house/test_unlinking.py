"""Linked accounts that come apart: each takes along what came from it, and nothing else."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.engine import Engine
from bot.house.links import NamedAccount
from bot.ports import Storage
from bot.stream.bonds import Bond, Delta, Exchange, Stage, WeightRule
from bot.stream.claims import NewClaim, Stance
from bot.world import Answers, Hearing
from tests.conftest import MakeEngine
from tests.fakes import NOON, FakeClock, ListPlatform, dm_with, room
from tests.house.someone import Someone
from tests.storage.scenes import answers, hears
from tests.storage.scenes import author as an_author
from tests.storage.scenes import message as a_message

HERE, THERE = room("kitchen"), room("hall", platform="other")


class Two:
    """Ana and Anita, who are one person or not, and a persona."""

    def __init__(self, engine: Engine, store: Storage) -> None:
        self.store = store
        self.ana = self._one(engine, "Ana", "list")
        self.anita = self._one(engine, "Anita", "other")
        self.ben = self._one(engine, "Ben", "list")

    def _one(self, engine: Engine, name: str, on: str) -> Someone:
        return Someone(engine, ListPlatform(on), name, where=dm_with(name, on), on=on)

    async def link(self) -> None:
        offered = await self.ana.ask("/link")
        code = offered.buttons[0].data.rpartition(":")[2]
        await self.anita.ask(f"/link {code}")
        await self.anita.press(f"link:yes:{code}")
        assert "one person now" in (await self.ana.press(f"link:yes:{code}")).text

    async def id_of(self, one: Someone) -> int:
        agent = await self.store.person(one.author.account)
        assert agent is not None
        return agent.id

    async def bonds(self, one: Someone) -> dict[str, Bond]:
        found = await self.store.bonds(await self.id_of(one))
        return {bond.other.name: bond for bond in found}

    async def exchanges(self, one: Someone, other: str = "Ida") -> int:
        bond = (await self.bonds(one)).get(other)
        return bond.standing.exchanges if bond else 0


@pytest.fixture
async def two(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Two]:
    async with make_engine(store) as engine:
        for where in (HERE, THERE):
            place = await store.place(where)
            await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
        yield Two(engine, store)


@pytest.mark.parametrize("leaving", ["ana", "anita"])
async def test_exchanges_go_back_to_the_account_that_had_them(two: Two, leaving: str) -> None:
    await two.ana.say("I keep bees")
    await two.anita.say("I keep goats")
    await two.link()
    for _ in range(2):
        await two.ana.say("the bees are well")
    for _ in range(3):
        await two.anita.say("the goats are well")
    assert await two.exchanges(two.ana) == await two.exchanges(two.anita) == 7
    await getattr(two, leaving).ask("/unlink")
    assert (await two.exchanges(two.ana), await two.exchanges(two.anita)) == (3, 4)


async def test_who_was_answered_elsewhere_while_linked_keeps_it_there(two: Two) -> None:
    await two.ben.say("hello all", HERE)
    await two.link()
    await two.anita.say("I came by the other way", HERE)
    assert await two.exchanges(two.ana, "Ben") == 1
    await two.ana.ask("/unlink")
    assert (await two.exchanges(two.ana, "Ben"), await two.exchanges(two.anita, "Ben")) == (0, 1)


async def test_an_answer_to_one_account_begins_no_exchange_with_the_other(two: Two) -> None:
    await two.link()
    await two.ana.say("the lamp is out", HERE)
    await two.ben.say("I will see to it", HERE)
    await two.anita.say("thank you", HERE)
    assert await two.exchanges(two.ana, "Ben") == 1


async def test_relation_words_go_back_to_the_account_that_said_them(two: Two) -> None:
    await two.link()
    await two.anita.say("you are my friend")
    assert (await two.bonds(two.ana))["Ida"].relation == "friend"
    await two.ana.ask("/unlink")
    assert "Ida" not in await two.bonds(two.ana)
    assert (await two.bonds(two.anita))["Ida"].relation == "friend"


async def test_of_two_relation_words_of_one_person_the_newer_holds(two: Two) -> None:
    await two.link()
    await two.anita.say("you are my sister")
    await two.ana.say("you are my friend")
    assert (await two.bonds(two.anita))["Ida"].relation == "friend"
    await two.anita.ask("/unlink")
    assert (await two.bonds(two.ana))["Ida"].relation == "friend"
    assert (await two.bonds(two.anita))["Ida"].relation == "sister"


async def test_what_linked_people_are_to_others_is_told_wherever_it_was_said(two: Two) -> None:
    await two.ben.say("hello", HERE)
    await two.anita.say("I am Anita", HERE)
    await two.link()
    await two.anita.say("this is my brother Ben", HERE)
    ida = await two.store.persona("ida", "Ida")
    here = await two.store.place(HERE)
    ids = [await two.id_of(two.ana), await two.id_of(two.ben)]
    ties = await two.store.ties(ids, Hearing(persona=ida.id, place=here.id))
    assert [t.relation for t in ties if t.agent.id == ids[0]] == ["brother"]


async def test_claims_go_back_to_the_account_that_made_them(two: Two) -> None:
    await two.ben.say("hello", HERE)
    await two.link()
    await two.anita.say("Ben is moving to Porto in May", HERE)
    [claim] = await two.store.claims(None, limit=9)
    assert claim.source.id == await two.id_of(two.ana)
    await two.ana.ask("/unlink")
    [claim] = await two.store.claims(None, limit=9)
    assert claim.source.id == await two.id_of(two.anita)
    await two.store.checked(claim.id, claim.event, Stance.SUPPORT, 1.0)
    [claim] = await two.store.claims(None, limit=9)
    assert [check.agent.id for check in claim.checks] == [await two.id_of(two.anita)]


async def test_a_claim_is_about_the_account_that_is_known_there(two: Two) -> None:
    await two.anita.say("I am Anita", HERE)
    await two.link()
    await two.ben.say("Anita is moving to Porto in May", HERE)
    [claim] = await two.store.claims(None, limit=9)
    assert claim.subject is not None
    assert claim.subject.id == await two.id_of(two.ana)
    await two.ana.ask("/unlink")
    [claim] = await two.store.claims(None, limit=9)
    assert claim.subject is not None
    assert claim.subject.id == await two.id_of(two.anita)


async def test_who_was_asked_about_a_claim_is_not_asked_again_as_somebody_else(
    store: Storage,
) -> None:
    """Stored straight: whom the persona asks is chosen elsewhere."""
    one, other = an_author("Ana"), an_author("Anita", platform="zinc")
    claimed = await hears(store, a_message(1, "Ben is moving", by="Cleo"))
    first = await hears(store, a_message(2, "hello", by=one))
    second = await hears(store, a_message(3, "hello", by=other))
    named = [NamedAccount(account=a.account, name=a.name) for a in (one, other)]
    await store.offer_link(named[0], "CODE", at=NOON)
    await store.take_link("CODE", named[1], at=NOON)
    for side in named:
        await store.agree_link("CODE", side.account, at=NOON)
    number = await store.claimed(
        NewClaim(
            event=claimed.id,
            source=claimed.speaker.id,
            subject=None,
            statement="Ben is moving",
            sensitive=False,
            at=NOON,
            expires=NOON + timedelta(days=7),
        )
    )
    assert number is not None
    turn = await answers(store, second)
    await store.asked(number, first.speaker.id, turn=turn.id, at=NOON)
    [claim] = await store.claims(None, limit=9)
    assert claim.asked == {first.speaker.id}
    await store.unlink(one.account, at=NOON)
    [claim] = await store.claims(None, limit=9)
    assert claim.asked == {second.speaker.id}


async def test_each_has_the_stage_that_its_own_exchanges_lead_to(
    two: Two, clock: FakeClock
) -> None:
    """Together they know the persona; alone neither does."""
    await two.link()
    for _ in range(3):
        for one in (two.ana, two.anita):
            await one.say("what a lovely evening")
        clock.pass_time(days=1)
    ida = await two.store.persona("ida", "Ida")
    await make_pleasant(two.store, two, ida.id)
    assert (await two.bonds(two.ana))["Ida"].stage is Stage.FAMILIAR
    await two.ana.ask("/unlink")
    assert (await two.bonds(two.ana))["Ida"].stage is Stage.FIRST_MET
    assert (await two.bonds(two.anita))["Ida"].stage is Stage.FIRST_MET
    await two.link()
    assert (await two.bonds(two.ana))["Ida"].stage is Stage.FAMILIAR
    assert (await two.bonds(two.anita))["Ida"].stage is Stage.FAMILIAR


async def make_pleasant(store: Storage, two: Two, ida: int) -> None:
    """One more exchange, a pleasant one: the neutral scorer finds no feeling."""
    event = await hears(
        store,
        a_message(
            "last",
            "lovely",
            by=two.ana.author,
            where=two.ana.where,
            at=NOON + timedelta(days=2, hours=1),
        ),
    )
    turn = await answers(store, event)
    assert turn.reply is not None
    me = await two.id_of(two.ana)
    exchange = Exchange(
        said=event.id,
        answer=turn.reply.id,
        deltas=[
            Delta(agent=me, other=ida, delta=1, reason="pleasant"),
            Delta(agent=ida, other=me, delta=1, reason="pleasant"),
        ],
        rule=WeightRule.TOWARD,
        begun=event.at,
        at=turn.reply.at,
        turn=turn.id,
    )
    assert await store.exchanged(exchange)


async def test_a_stage_reached_together_is_the_new_accounts_too(two: Two) -> None:
    """A first word by another account does not begin the relationship anew."""
    ida = await two.store.persona("ida", "Ida")
    await two.ana.say("hello")
    await two.store.related(await two.id_of(two.ana), ida.id, "friend", event=1, at=NOON)
    before = (await two.bonds(two.ana))["Ida"]
    await two.link()
    await two.anita.say("hello")
    after = (await two.bonds(two.ana))["Ida"]
    assert (after.stage, after.stage_since) == (before.stage, before.stage_since)
