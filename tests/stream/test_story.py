"""Three weeks of five people and two personas, in two places and two DMs, as one story."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.engine import Engine
from bot.ports import Storage
from bot.stream.bonds import Bond, Stage
from bot.stream.claims import ClaimRules, ClaimStatus
from bot.world import Answers, Where
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import FakeClock, ListPlatform, ScriptedChat, a_persona, dm_with, room, says
from tests.stream.feelings import WordScorer

KITCHEN, YARD = room("kitchen"), room("yard")
IDA, OTTO = a_persona("ida", "Ida"), a_persona("otto", "Otto")


class Story:
    def __init__(
        self, engine: Engine, store: Storage, clock: FakeClock, model: ScriptedChat
    ) -> None:
        self.engine, self.store, self.clock, self.model = engine, store, clock, model
        self.platform = ListPlatform()

    async def in_the(self, where: Where, *lines: str) -> str:
        """Lines like `Ana: hello`, twenty seconds apart; returns the newest prompt."""
        for line in lines:
            self.clock.pass_time(seconds=20)
            name, _, text = line.partition(": ")
            await self.engine.handle(
                says(name, text, where, at=self.clock.now()), self.platform.send
            )
        await self.engine.idle()
        return self.model.prompts[-1][0].text if self.model.prompts else ""

    async def agent(self, name: str) -> int:
        if name in {"Ida", "Otto"}:
            return (await self.store.persona(name.casefold(), name)).id
        return (await self.store.people_named(name))[0][0].id

    async def bond(self, one: str, other: str) -> Bond:
        agent, toward = await self.agent(one), await self.agent(other)
        return (await self.store.bonds(agent, others=[toward]))[0]

    async def claims(self) -> dict[str, ClaimStatus]:
        return {c.statement: c.status for c in await self.store.claims(None, limit=20)}


@pytest.fixture
async def story(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> AsyncIterator[Story]:
    model.script = lambda lines: "Aye."
    limits = replace(LIMITS, claims=ClaimRules(days=10))
    async with make_engine(
        store, personas=(IDA, OTTO), scorer=WordScorer(), limits=limits
    ) as engine:
        for where, persona in ((KITCHEN, "ida"), (YARD, "otto")):
            place = await store.place(where)
            await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
            await store.choose_persona(place.id, persona)
        yield Story(engine, store, clock, model)


def nothing_leaked(story: Story) -> None:
    """Nothing of a DM is in any other prompt."""
    for lines in story.model.prompts:
        text = "\n".join(line.text for line in lines)
        assert not ("zeppelin" in text and "xylophone" in text)
        if "zeppelin" in text or "xylophone" in text:
            assert "private conversation" in text


async def the_two_talk(story: Story) -> None:
    # both personas sit in the kitchen: Ida asks Otto, he answers her once, and Ana hears it
    kitchen = await story.store.place(KITCHEN)
    await story.store.choose_persona(kitchen.id, "ida,otto")
    words = iter(["Otto, is it true that the mill closed?", "Yes, the mill closed, I saw it."])
    story.model.script = lambda _: next(words)
    before = await story.claims()
    await story.in_the(KITCHEN, "Ana: Ida, ask him about the mill")
    assert [reply.speaker for reply in story.platform.sent[-2:]] == ["Ida", "Otto"]
    assert await story.claims() == before  # a persona's words are no testimony
    assert (await story.bond("Ida", "Otto")).standing.weight == 1

    # what Otto heard there is his; Ana's and Ben's DMs with Ida are not
    story.model.script = lambda _: "Aye."
    await story.in_the(KITCHEN, "Ben: Otto, what of the mill, and what is Ana selling")
    prompt = "\n".join(line.text for line in story.model.prompts[-1])
    assert "the mill closed" in prompt
    assert "selling the zeppelin" not in prompt


async def test_three_weeks_in_the_kitchen_and_the_yard(story: Story) -> None:
    # everybody arrives
    await story.in_the(
        KITCHEN, "Ana: good evening", "Ben: evening all", "Cleo: hello there", "Dan: hi", "Eva: hey"
    )

    # Cleo lights the fire; it burns while they talk
    await story.in_the(KITCHEN, "Cleo: *lights the fire*")
    story.clock.pass_time(minutes=20)
    prompt = await story.in_the(KITCHEN, "Ana: Ida, is it warm enough for you?")
    assert "- fire: burning, for about 20 minutes" in prompt

    # Ana confides in Ida, and Ben in Otto's yard knows nothing of it
    await story.in_the(dm_with("Ana"), "Ana: between us, I am secretly selling the zeppelin")
    await story.in_the(dm_with("Ben"), "Ben: between us, I buried the xylophone")

    # three pieces of news
    await story.in_the(
        KITCHEN,
        "Ana: the old ferry will stop running in autumn, they say the ferry will stop running",
        "Ana: Dan is moving to Oslo",
        "Eva: Ben got a new job at the mill",
    )
    assert set((await story.claims()).values()) == {ClaimStatus.PENDING}

    # Dan denies his; two others confirm Ben's job; nobody knows about the ferry
    await story.in_the(KITCHEN, "Dan: Dan is not moving to Oslo, that's not true")
    await story.in_the(KITCHEN, "Cleo: yes, Ben got a new job at the mill, I saw him there")
    assert (await story.claims())["Ben got a new job at the mill"] is ClaimStatus.PENDING
    await story.in_the(KITCHEN, "Ana: I heard that Ben got a new job at the mill")
    claims = await story.claims()
    assert claims["Dan is moving to Oslo"] is ClaimStatus.FALSE
    assert claims["Ben got a new job at the mill"] is ClaimStatus.CONFIRMED

    # three weeks: Ana is kind to Ida most days, Dan quarrels in the yard
    for day in range(16):
        story.clock.pass_time(days=1)
        await story.in_the(dm_with("Ana"), "Ana: lovely to see you", "Ana: what a lovely story")
        if day < 4:
            await story.in_the(YARD, "Dan: Otto, lovely evening", "Dan: Otto, lovely boat")
        elif day < 9:
            await story.in_the(YARD, "Dan: Otto, I hate you", "Dan: Otto, you are stupid")
    assert (await story.bond("Ida", "Ana")).stage is Stage.DEPENDENT
    assert (await story.bond("Otto", "Dan")).stage is Stage.SEPARATED
    assert "one of the people closest to you" in await story.in_the(dm_with("Ana"), "Ana: hello")
    assert "drifted apart" in await story.in_the(YARD, "Dan: Otto, may I sit here")

    # the ferry's time ran out: still told, only as hearsay
    ferry = [status for claim, status in (await story.claims()).items() if "ferry" in claim]
    assert set(ferry) == {ClaimStatus.UNVERIFIED}

    # Eva comes back after months and is greeted as that
    await story.in_the(KITCHEN, "Eva: Ida, good night")
    story.clock.pass_time(days=120)
    assert "greet it as a return" in await story.in_the(KITCHEN, "Eva: Ida, I am back")

    await the_two_talk(story)
    nothing_leaked(story)
