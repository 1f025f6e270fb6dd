"""A day of the whole program, `main.py` with its real encoder, as people in a server see it."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.clock import SystemClock
from tests.fakes import until
from tests.platforms.discord.fake_gateway import FakeDiscord
from tests.platforms.discord.fake_payloads import EPHEMERAL, Json
from tests.platforms.discord.fake_wire import Interaction
from tests.platforms.discord.test_process import start, stop
from tests.platforms.telegram.fake_bot_api import FakeBotApi
from tests.platforms.telegram.world import BOT, PEOPLE
from tests.scripted_model import ScriptedModel, chat
from tests.test_process import SECONDS, Program


class Server:
    """The server Home with a channel and a thread in it, and Ana, who speaks."""

    def __init__(self, fake: FakeDiscord) -> None:
        self.fake = fake
        home = fake.add_guild("Home", "Ana")
        self.hall = fake.add_channel(home, "hall")
        self.thread = fake.add_thread(self.hall, "tea")

    async def say(self, channel: str, text: str) -> str:
        return await self.fake.say(channel, "Ana", text, mention=True)

    async def hears(self, channel: str, word: str) -> None:
        """Returns when the persona has said the word there."""
        await until(lambda: any(word in text for text in self.fake.texts(channel)))

    async def answers(self, interaction: Interaction) -> Json:
        """The first answer to a command or a press."""
        await until(lambda: bool(interaction.answers))
        return self.fake.messages[interaction.answers[0]]

    async def memories(self, wanted: Callable[[str], bool]) -> Json:
        """Asks until the answer is as wanted: a command may overtake an edit or a delete."""
        while True:
            found = await self.answers(self.fake.command(self.hall, "Ana", "memories"))
            if wanted(found["content"]):
                return found

    def acknowledgements(self) -> list[Json]:
        return [r.body for r in self.fake.rest.requests if r.path.endswith("/callback")]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with FakeDiscord() as fake:
        yield Server(fake)
        assert fake.rest.wrong == []


async def test_a_day_in_a_server(tmp_path: Path, server: Server) -> None:
    """Messages in a channel, a thread and a DM; a command, a button; an edit and a delete; a
    socket that drops; and the end while a reply is under way."""
    fake = server.fake
    async with asyncio.timeout(SECONDS), ScriptedModel(chat) as model:
        process = await start(Program(tmp_path, model.url), fake)
        await until(lambda: fake.connected == 1)
        said = await server.say(server.hall, "I keep bees")
        await server.hears(server.hall, "bees")
        await server.say(server.thread, "The kettle sings")
        await server.hears(server.thread, "kettle")
        dm = fake.dm_of("Ana")
        await fake.say(dm, "Ana", "I am shy")
        await server.hears(dm, "shy")

        fake.edit(said, "I keep hens")
        memories = await server.memories(lambda text: "hens" in text)
        assert "bees" not in memories["content"]
        assert memories["flags"] & EPHEMERAL
        assert server.acknowledgements()[0] == {"type": 5, "data": {"flags": EPHEMERAL}}

        fake.delete(said)
        await server.memories(lambda text: "hens" not in text)

        asked = await server.answers(fake.command(dm, "Ana", "forget", {"what": "this"}))
        button = asked["components"][0]["components"][0]["custom_id"]
        done = await server.answers(fake.press(asked["id"], "Ana", button))
        assert done["content"].startswith("Forgotten: ")

        fake.cut_sockets()
        await server.say(server.hall, "Are you still there")
        await server.hears(server.hall, "still there")
        assert fake.resumed == 1
        assert len(fake.identified) == 1

        model.latency = 1.0
        asked_before = len(model.requests)
        await server.say(server.hall, "One last word")
        await until(lambda: len(model.requests) > asked_before)
        log = await stop(process, signal.SIGTERM)
    assert process.returncode == 0
    assert "last word" in fake.texts(server.hall)[-1]
    assert "Traceback" not in log
    assert not fake.thinking


async def test_a_wrong_token_of_discord_leaves_telegram(tmp_path: Path, server: Server) -> None:
    ana = PEOPLE["Ana"]
    async with (
        asyncio.timeout(SECONDS),
        ScriptedModel(chat) as model,
        FakeBotApi(SystemClock()).running() as api,
    ):
        bot, room = api.add_bot(BOT, "ida_bot", "Ida"), api.chats.private(ana)
        program = Program(tmp_path, model.url)
        program.environment |= {"TELEGRAM_TOKEN": bot.token, "TELEGRAM_API_URL": api.url}
        process = await start(program, server.fake, token="wrong")
        await api.deliver(bot, "message", api.chats.message(room, ana, text="My dog is Rex"))
        await until(lambda: any("Rex" in one for one in api.chats.texts(ana["id"], sender=BOT)))
        log = await stop(process, signal.SIGTERM)
    assert process.returncode == 0
    assert log.count("Discord has stopped: Discord does not accept the token") == 1
    assert "The other platforms go on without it." in log
    assert "Traceback" not in log
