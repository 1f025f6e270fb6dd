"""One person on Discord and Telegram at once: one engine behind both real adapters."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.discord import DiscordPlatform, InMemory, Login, Options
from bot.world import AccountKey, Agent
from tests.fakes import until
from tests.platforms.contract import PERSONA
from tests.platforms.discord.fake_gateway import FakeDiscord
from tests.platforms.discord.fake_state import TOKEN
from tests.platforms.discord.fake_wire import Interaction
from tests.platforms.discord.world import NO_DRAFTS
from tests.platforms.telegram.fake_chats import Json
from tests.platforms.telegram.world import PEOPLE, TelegramWorld

CODE = re.compile(r"Your code: ([A-Z2-9]{10})\n")


class Both:
    """Telegram's world with Discord beside it. On either platform there are an Ana and
    others; nobody knows that two of them are one."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "b.db"
        self.telegram = TelegramWorld(folder)
        self.fake = FakeDiscord(self.telegram.clock.now)
        self.home = self.fake.add_guild("Home", "Ana", "Eve")

    async def run(self) -> AsyncIterator["Both"]:
        options = Options(
            keys={PERSONA.name: PERSONA.key},
            default_persona=PERSONA.key,
            owners=frozenset(),
            clock=self.telegram.clock,
            memo=InMemory(),
            pace=NO_DRAFTS,
            stop_seconds=0.2,
            ready_seconds=0.01,
        )
        await self.telegram.open()
        async with self.fake:
            platform = DiscordPlatform(
                [Login(token=TOKEN)],
                options,
                api_url=self.fake.api_url,
                gateway_url=self.fake.gateway_url,
                login_seconds=2.0,
            )
            running = asyncio.create_task(platform.run(self.telegram.engine.handle))
            await until(lambda: running.done() or self.fake.connected == 1)
            yield self
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        await self.telegram.close()

    # -- on Discord ------------------------------------------------------------------------
    async def say(self, text: str, who: str = "Ana") -> str:
        """What is answered in the DM."""
        self.telegram.clock.pass_time(seconds=2)
        dm = self.fake.dm_of(who)
        before = len(self.fake.texts(dm))
        await self.fake.say(dm, who, text)
        await until(lambda: len(self.fake.texts(dm)) > before)
        await self.telegram.engine.idle()
        return self.fake.texts(dm)[-1]

    async def give(self, name: str, who: str = "Ana", **options: str) -> Json:
        """The answer to a command in the DM."""
        return await self._answer(self.fake.command(self.fake.dm_of(who), who, name, dict(options)))

    async def press(self, shown: Json, number: int, who: str = "Ana") -> Json:
        """The answer to a button of a message."""
        button = shown["components"][0]["components"][number]
        return await self._answer(self.fake.press(shown["id"], who, button["custom_id"]))

    async def _answer(self, given: Interaction) -> Json:
        await until(lambda: any(self.fake.messages[m]["content"] for m in given.answers))
        found: Json = self.fake.messages[given.answers[-1]]
        return found

    # -- on Telegram -----------------------------------------------------------------------
    async def code(self) -> str:
        """A fresh code of Ana's account there."""
        await self.telegram.command("/link")
        found = CODE.search(self.telegram.seen()[-1])
        assert found
        return found[1]

    async def tap(self, label: str, who: str = "Ana") -> str:
        """Presses a button of the newest message, and what is said then."""
        shown = self.telegram.newest(PEOPLE[who]["id"])
        buttons = [b for row in shown["reply_markup"]["inline_keyboard"] for b in row]
        [data] = [b["callback_data"] for b in buttons if b["text"] == label]
        self.telegram.clock.pass_time(seconds=2)
        await self.telegram.press(shown, data, who=who)
        return self.telegram.seen(who=who)[-1]

    # -- both ------------------------------------------------------------------------------
    async def link(self) -> None:
        """All the way: code, yes there, yes here."""
        code = await self.code()
        await self.press(await self.give("link", code=code), 0)
        await self.tap("Who gave the code?")
        assert "one person now" in await self.tap("Yes, that is me")

    async def person(self, platform: str, who: str = "Ana") -> Agent | None:
        user = PEOPLE[who]["id"] if platform == "telegram" else self.fake.user(who)["id"]
        key = AccountKey(platform=platform, user=str(user))
        return await self.telegram.store.person(key)

    async def exchanges(self, platform: str) -> int:
        person = await self.person(platform)
        assert person is not None
        bonds = await self.telegram.store.bonds(person.id)
        return sum(bond.standing.exchanges for bond in bonds)


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[Both]:
    async for made in Both(tmp_path).run():
        yield made


async def nothing_is_linked(both: Both) -> None:
    everybody = [
        await both.person("telegram"),
        await both.person("telegram", "Ben"),
        await both.person("discord"),
        await both.person("discord", "Eve"),
    ]
    known = [agent.id for agent in everybody if agent is not None]
    assert len(known) == len(set(known))
    for agent in everybody:
        if agent is not None:
            assert await both.telegram.store.names(agent.id)


async def test_linked_on_both_platforms_one_person_has_one_relationship(both: Both) -> None:
    await both.telegram.say("I keep bees")
    await both.say("I keep goats")
    assert (await both.exchanges("telegram"), await both.exchanges("discord")) == (1, 1)
    await both.link()
    assert await both.person("telegram") == await both.person("discord")
    await both.telegram.say("the bees are well")
    await both.say("the goats are well")
    assert await both.exchanges("telegram") == await both.exchanges("discord") == 4
    here = (await both.give("relationship"))["content"]
    await both.telegram.command("/relationship")
    assert "4 exchanges" in here
    assert both.telegram.seen()[-1].splitlines()[0] == here.splitlines()[0]
    prompts = ["\n".join(line.text for line in p) for p in both.telegram.model.prompts]
    assert not [p for p in prompts if "bees" in p and "goats" in p]  # the DMs stay apart
    await both.give("unlink")
    assert (await both.exchanges("telegram"), await both.exchanges("discord")) == (2, 2)
    await both.say("still goats")
    assert (await both.exchanges("telegram"), await both.exchanges("discord")) == (2, 3)


async def test_forgetting_everything_on_one_takes_both_and_says_so_first(both: Both) -> None:
    await both.telegram.say("I keep bees in Zennor")
    await both.say("I keep goats in Mousehole")
    await both.link()
    await both.telegram.say("the bees are well in Zennor")
    asked = await both.give("forget", what="everything")
    assert "all your accounts" in asked["content"]
    assert "3 messages" in asked["content"]
    assert await both.telegram.events() == 6  # nothing is gone yet
    done = await both.press(asked, 0)
    assert "Forgotten" in done["content"]
    counts = await both.telegram.store.counts()
    assert (counts["events"], counts["people"], counts["vectors"]) == (0, 0, 0)
    assert await both.person("telegram") is None
    assert await both.person("discord") is None
    kept = b"".join(f.read_bytes() for f in both.file.parent.glob("b.db*"))
    assert b"Zennor" not in kept
    assert b"Mousehole" not in kept


class TestNothingIsLinked:
    @pytest.fixture(autouse=True)
    async def afterwards(self, both: Both) -> AsyncIterator[None]:
        yield
        await nothing_is_linked(both)

    async def test_by_a_stolen_code(self, both: Both) -> None:
        """Its owner sees who gave it, says no, and that is the end of it."""
        code = await both.code()
        seen = await both.give("link", who="Eve", code=code)
        assert "Ana (telegram:11)" in seen["content"]
        await both.press(seen, 0, who="Eve")
        assert "Eve (discord:" in await both.tap("Who gave the code?")
        assert "void" in await both.tap("No")
        assert "void" in (await both.press(seen, 0, who="Eve"))["content"]

    async def test_by_an_old_code(self, both: Both) -> None:
        code = await both.code()
        both.telegram.clock.pass_time(minutes=11)
        assert "too old" in (await both.give("link", code=code))["content"]

    async def test_by_a_code_that_a_group_has_seen(self, both: Both) -> None:
        code = await both.code()
        await both.telegram.command(f"/link {code}", who="Ben", room=True)
        assert "void now" in both.telegram.seen(who="Ben")[-1]
        assert "void" in (await both.give("link", code=code))["content"]

    async def test_by_a_code_for_which_two_people_race(self, both: Both) -> None:
        code = await both.code()
        await asyncio.gather(
            both.give("link", who="Eve", code=code),
            both.telegram.command(f"/link {code}", who="Ben"),
        )
        assert "void" in await both.tap("Who gave the code?")
        assert "void" in (await both.give("link", who="Eve", code=code))["content"]
