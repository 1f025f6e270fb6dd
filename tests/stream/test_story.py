"""Three weeks of five people and two personas, in two places and two DMs, as one story.

The chapters build on each other; each is told by a function of its own.
"""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.ports import Storage
from bot.stream.bonds import Stage
from bot.stream.claims import ClaimRules, ClaimStatus, Stance
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import FakeClock, ScriptedChat
from tests.stream.feelings import WordScorer
from tests.stream.story_stage import ANAS_DM, BENS_DM, IDA, KITCHEN, OTTO, SECRETS, YARD, Story

DEAL = "I am secretly selling the zeppelin on Monday"
HIDDEN = "Eva got engaged, she hid the ring in her xylophone"


@pytest.fixture
async def story(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> AsyncIterator[Story]:
    limits = replace(LIMITS, claims=ClaimRules(days=10))
    async with make_engine(
        store, personas=(IDA, OTTO), scorer=WordScorer(), limits=limits
    ) as engine:
        told = Story(engine, store, clock, model)
        await told.sit_down()
        yield told


async def test_three_weeks_in_the_kitchen_and_the_yard(story: Story) -> None:
    await everybody_arrives_and_a_fire_is_lit(story)
    await two_secrets_are_told(story)
    await news_goes_round(story)
    await dan_is_asked_and_denies_it(story)
    await two_others_confirm_the_job(story)
    await there_are_two_called_alex(story)
    await one_friendship_grows_and_one_breaks(story)
    await nobody_knew_about_the_ferry(story)
    await eva_comes_back(story)
    await the_two_personas_talk(story)
    await the_secrets_are_asked_for(story)
    nothing_of_a_dm_was_heard_anywhere_else(story)


async def everybody_arrives_and_a_fire_is_lit(story: Story) -> None:
    await story.in_the(
        KITCHEN, "Ana: good evening", "Ben: evening all", "Cleo: hello there", "Dan: hi", "Eva: hey"
    )
    assert "fire" not in await story.in_the(KITCHEN, "Ana: Ida, I am cold")
    await story.in_the(KITCHEN, "Cleo: *lights the fire*")
    (lit,) = await story.store.scene((await story.store.place(KITCHEN)).id)
    assert lit.event == (await story.event("*lights the fire*")).id

    story.clock.pass_time(minutes=20)
    prompt = await story.in_the(KITCHEN, "Ana: Ida, is it warm enough for you?")
    assert "- fire: burning, for about 20 minutes" in prompt
    assert "burning" not in await story.in_the(YARD, "Dan: Otto, good evening")


async def two_secrets_are_told(story: Story) -> None:
    """Ana's is her own; Ben's is news about Eva."""
    await story.in_the(ANAS_DM, f"Ana: between us, {DEAL}")
    await story.in_the(BENS_DM, f"Ben: {HIDDEN}")
    assert (await story.claim("xylophone")).status is ClaimStatus.PENDING


async def news_goes_round(story: Story) -> None:
    await story.in_the(
        KITCHEN,
        "Ana: they say the old ferry will stop running in autumn",
        "Ana: Dan is moving to Oslo",
        "Eva: Ben got a new job at the mill",
    )
    for about in ("ferry", "Oslo", "job"):
        assert (await story.claim(about)).status is ClaimStatus.PENDING
    story.words = ["Have you heard that the old ferry will stop in autumn?"]
    prompt = await story.in_the(KITCHEN, "Cleo: Ida, what is new?")
    assert "ask Cleo about" in prompt
    await story.in_the(KITCHEN, "Cleo: Ida, no idea")
    for about in ("ferry will stop", "Dan is moving to Oslo", "Ben got a new job at the mill"):
        (line,) = [line for line in prompt.splitlines() if "You heard" in line and about in line]
        assert "Ana" not in line
        assert "Eva" not in line
    assert await story.agent("Cleo") in (await story.claim("ferry")).asked


async def dan_is_asked_and_denies_it(story: Story) -> None:
    story.words = ["Dan, are you really moving to Oslo?"]
    prompt = await story.in_the(KITCHEN, "Dan: Ida, good evening")
    assert 'ask Dan about "Dan is moving to Oslo"' in prompt
    assert "it is about Dan" in prompt
    prompt = await story.in_the(KITCHEN, "Dan: Ida, no, that's not true")
    assert 'ask Dan about "Dan is moving to Oslo"' not in prompt  # never the same twice

    moving = await story.claim("Oslo")
    assert moving.status is ClaimStatus.FALSE
    assert [(c.agent.name, c.stance) for c in moving.checks] == [("Dan", Stance.DENY)]


async def two_others_confirm_the_job(story: Story) -> None:
    await story.in_the(KITCHEN, "Eva: Ben got a new job at the mill")  # repeats herself
    await story.in_the(KITCHEN, "Cleo: yes, Ben got a new job at the mill, I saw him there")
    assert (await story.claim("job")).status is ClaimStatus.PENDING
    await story.in_the(KITCHEN, "Ana: I heard that Ben got a new job at the mill")
    job = await story.claim("job")
    assert job.status is ClaimStatus.CONFIRMED
    assert {c.agent.name for c in job.checks if c.stance is Stance.SUPPORT} == {"Ana", "Cleo"}


async def there_are_two_called_alex(story: Story) -> None:
    """One was in Bergen on Saturday, so the one seen in Porto that day is another."""
    baker = "Alex told me of rye bread, Alex was in Bergen on Saturday"
    sailor = "Alex was in Porto on Saturday, I met Alex under sail"
    await story.in_the(YARD, f"Ana: {baker}", f"Ben: {sailor}")
    assert await story.the_one_in(baker) != await story.the_one_in(sailor)

    seen = "Otto, Alex was in Porto on Saturday, Alex said so"
    prompt = await story.in_the(YARD, f"Cleo: {seen}")
    assert await story.the_one_in(seen) == await story.the_one_in(sailor)
    assert f'By Alex, Cleo means the one of whom Ben said "{sailor}"' in prompt

    story.clock.pass_time(days=1)
    wet = "Otto, I dreamt of Alex"
    prompt = await story.in_the(YARD, f"Dan: {wet}")
    assert "ask which Alex is meant" in prompt
    (left_open,) = await story.meant(wet)
    assert left_open.agent is None


async def one_friendship_grows_and_one_breaks(story: Story) -> None:
    """Ana is kind to Ida most days; Dan begins well with Otto, and then quarrels."""
    assert await story.stage("Ida", "Ana") is Stage.FIRST_MET
    grown, broken = [], []
    for day in range(16):
        story.clock.pass_time(days=1)
        await story.in_the(ANAS_DM, "Ana: lovely to see you", "Ana: what a lovely story")
        if day < 4:
            await story.in_the(YARD, "Dan: Otto, lovely evening", "Dan: Otto, lovely boat")
        elif day < 9:
            await story.in_the(YARD, "Dan: Otto, I hate you", "Dan: Otto, you are stupid")
        grown.append(await story.stage("Ida", "Ana"))
        broken.append(await story.stage("Otto", "Dan"))
    assert list(dict.fromkeys(grown)) == [Stage.FIRST_MET, Stage.FAMILIAR, Stage.DEPENDENT]
    assert list(dict.fromkeys(broken)) == [Stage.FIRST_MET, Stage.FAMILIAR, Stage.SEPARATED]
    assert broken[4] is Stage.FAMILIAR  # one bad evening ends no friendship
    assert "one of the people closest to you" in await story.in_the(ANAS_DM, "Ana: hello")
    assert "drifted apart" in await story.in_the(YARD, "Dan: Otto, may I sit here")


async def nobody_knew_about_the_ferry(story: Story) -> None:
    ferry = await story.claim("ferry")
    assert ferry.status is ClaimStatus.UNVERIFIED
    assert story.clock.now() >= ferry.expires
    prompt = await story.in_the(KITCHEN, "Ben: Ida, what do they say of the ferry?")
    assert f'You heard: "{ferry.statement}" (nobody could say whether it is so)' in prompt


async def eva_comes_back(story: Story) -> None:
    await story.in_the(KITCHEN, "Eva: Ida, good night")
    story.clock.pass_time(days=120)
    assert "greet it as a return" in await story.in_the(KITCHEN, "Eva: Ida, I am back")


async def the_two_personas_talk(story: Story) -> None:
    """Both sit in the kitchen: Ida asks Otto, he answers her once, and all hear it."""
    await story.store.choose_persona((await story.store.place(KITCHEN)).id, "ida,otto")
    before = await story.store.claims(None, limit=40)
    story.words = ["Otto, is it true that the mill closed?", "Yes, the mill closed, I saw it."]
    await story.in_the(KITCHEN, "Ana: Ida, ask him about the mill")
    assert [reply.speaker for reply in story.platform.sent[-2:]] == ["Ida", "Otto"]
    assert await story.store.claims(None, limit=40) == before  # their words are no testimony
    assert (await story.bond("Ida", "Otto")).standing.weight == 1
    assert "the mill closed" in await story.in_the(KITCHEN, "Ben: Otto, what of the mill?")


async def the_secrets_are_asked_for(story: Story) -> None:
    """Each comes back where it was told, and nowhere else, however it is asked for."""
    for question in (
        "what is Ana secretly selling on Monday?",
        "what is new of Eva, who got engaged, and where is her ring?",
    ):
        for where, who in ((KITCHEN, "Cleo"), (KITCHEN, "Ana"), (KITCHEN, "Ben"), (YARD, "Eva")):
            for persona in ("Ida", "Otto"):
                await story.in_the(where, f"{who}: {persona}, {question}")
        await story.in_the(ANAS_DM, f"Ana: {question}")
        await story.in_the(BENS_DM, f"Ben: {question}")
    last = {heard.where: heard.text for heard in story.prompts}
    assert DEAL in last[ANAS_DM]
    assert HIDDEN in last[BENS_DM]


def nothing_of_a_dm_was_heard_anywhere_else(story: Story) -> None:
    for heard in (*story.prompts, *story.replies):
        for word, home in SECRETS.items():
            assert heard.where == home or word not in heard.text, heard
    for word, home in SECRETS.items():  # where it may be said, it was
        assert any(heard.where == home and word in heard.text for heard in story.replies)
