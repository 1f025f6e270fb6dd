"""The whole program on Discord and Telegram at once: a day with everything that goes wrong."""

import asyncio
import json
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from copy import deepcopy
from pathlib import Path

import pytest

from bot.clock import SystemClock
from tests.fakes import until
from tests.platforms.discord.fake_gateway import FakeDiscord
from tests.platforms.discord.fake_state import TOKEN
from tests.platforms.telegram.fake_bot_api import FakeBotApi, Fault
from tests.platforms.telegram.fake_chats import Json, group
from tests.platforms.telegram.world import BOT, PEOPLE
from tests.scripted_model import ScriptedModel, chat
from tests.test_process import Program

ANA, BEN = PEOPLE["Ana"], PEOPLE["Ben"]
GROUP, FORUM, OLD, NEW = -1001000000001, -1001000000002, -5000, -1001000000005
TOPIC = 7
SECONDS = 280
"""The whole day, on a busy machine."""

LONG_WAIT = 4
"""Seconds that Telegram asks to wait: long enough for others to be answered meanwhile."""

PHOTO = {"file_id": "p", "file_unique_id": "p", "width": 1, "height": 1}


class Day:
    """A program between both services and a model, and what people do there."""

    def __init__(
        self, program: Program, api: FakeBotApi, fake: FakeDiscord, model: ScriptedModel
    ) -> None:
        self.program, self.api, self.fake, self.model = program, api, fake, model
        self.bot = api.add_bot(BOT, "ida_bot", "Ida")
        self.private = api.chats.private(ANA)
        self.dm = fake.dm_of("Ana")
        self.said: list[str] = []
        self.processes: list[Process] = []

    async def start(self) -> Process:
        process = await self.program.start(
            environment={
                "TELEGRAM_TOKEN": self.bot.token,
                "TELEGRAM_API_URL": self.api.url,
                "DISCORD_TOKEN": TOKEN,
                "DISCORD_API_URL": self.fake.api_url,
                "DISCORD_GATEWAY_URL": self.fake.gateway_url,
                "BURST_SECONDS": "0.05",
            }
        )
        self.processes.append(process)
        await self.until(lambda: self.fake.connected == 1 and self.bot.polling == 1)
        return process

    async def close(self) -> None:
        """No process outlives a test that failed."""
        for process in self.processes:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def until(self, condition: object) -> None:
        assert callable(condition)
        await until(condition, seconds=SECONDS)

    async def end(self, process: Process, by: signal.Signals) -> None:
        process.send_signal(by)
        _, err = await asyncio.wait_for(process.communicate(), SECONDS)
        self.said.append(err.decode())

    # -- Telegram --------------------------------------------------------------------------
    def write(self, text: str, at: Json, who: Json = ANA, **content: object) -> Json:
        return self.api.chats.message(at, who, text=text or None, **content)

    async def tell(self, *messages: Json, kind: str = "message") -> None:
        await self.api.deliver(self.bot, kind, *deepcopy(messages))

    async def ask(self, text: str, at: Json, who: Json = ANA, **content: object) -> Json:
        """Somebody says something; returns the answer."""
        await self.tell(self.write(text, at, who, **content))
        return await self.answer_to(text, at)

    async def answer_to(self, text: str, at: Json) -> Json:
        await self.until(lambda: self.answers(text, at))
        return self.answers(text, at)[0]

    def answers(self, text: str, at: Json) -> list[Json]:
        words = text.removeprefix("@ida_bot ")
        return [
            m
            for m in self.api.chats.messages[at["id"]].values()
            if m.get("from", {}).get("id") == BOT and words in m.get("text", "")
        ]

    def was_asked(self, *words: str) -> bool:
        """Whether one request to the model held all of these."""
        bodies = [json.dumps(request.body) for request in self.model.requests]
        return any(all(word in body for word in words) for body in bodies)

    # -- Discord ---------------------------------------------------------------------------
    async def ask_there(self, text: str) -> None:
        await self.fake.say(self.dm, "Ana", text)
        await self.until(lambda: any(text in answer for answer in self.fake.texts(self.dm)))


@pytest.fixture
async def day(tmp_path: Path) -> AsyncIterator[Day]:
    async with (
        FakeBotApi(SystemClock()).running() as api,
        FakeDiscord() as fake,
        ScriptedModel(chat) as model,
    ):
        fake.add_guild("Home", "Ana")
        made = Day(Program(tmp_path, model.url), api, fake, model)
        try:
            yield made
        finally:
            await made.close()
        assert fake.rest.wrong == []


async def talk(day: Day) -> None:
    """In private on both services, in a group, in a topic; an album; an edit."""
    await day.ask("My dog is called Rex", day.private)
    await day.ask_there("My cat is called Miso")
    room = day.api.chats.add(group(GROUP, "kitchen"))
    await day.tell(day.write("nobody is asked here", room))
    await day.ask("@ida_bot is the kettle on?", room)
    forum = day.api.chats.add(group(FORUM, "island", is_forum=True))
    topic: Json = {"message_thread_id": TOPIC, "is_topic_message": True}
    answer = await day.ask("@ida_bot when is the tide?", forum, **topic)
    assert answer["message_thread_id"] == TOPIC
    album = [
        day.write("", day.private, media_group_id="77", photo=[PHOTO], caption=caption)
        for caption in ("the lamp", "the stairs")
    ]
    before = len(day.api.chats.texts(ANA["id"], sender=BOT))
    await day.tell(*album)
    await day.until(lambda: len(day.api.chats.texts(ANA["id"], sender=BOT)) == before + 1)
    assert day.was_asked("the lamp", "the stairs")
    edited = day.write("tea?", room)
    await day.tell(edited)
    edited |= {"text": "Ida, a cup of tea?", "edit_date": day.api.chats.now()}
    await day.tell(edited, kind="edited_message")
    await day.answer_to("a cup of tea?", room)
    assert day.answers("nobody is asked", room) == []


async def suffer(day: Day) -> None:
    """A bad gateway, an answer that is no JSON, a long wait, a second receiver."""
    faults = day.api.faults
    faults.append(Fault(method="sendMessage", code=502))
    await day.ask("Is the gateway well?", day.private)
    faults.append(Fault(method="sendMessage", code=200, body=b"<html>"))
    await day.ask("Is it JSON?", day.private)
    faults.append(Fault(method="getUpdates", code=200, body=b"{"))
    flood = {"retry_after": LONG_WAIT}
    faults.append(Fault(method="sendMessage", code=429, description="", parameters=flood))
    begun = asyncio.get_running_loop().time()
    bens = day.api.chats.private(BEN)
    await day.tell(day.write("How long must I wait?", bens, BEN))
    await day.until(lambda: flood not in [fault.parameters for fault in faults])
    await day.ask("I do not wait", day.private)
    await day.answer_to("How long must I wait?", bens)
    assert asyncio.get_running_loop().time() - begun >= LONG_WAIT
    taken = "Conflict: terminated by other getUpdates request"
    faults.append(Fault(method="getUpdates", code=409, description=taken))
    await day.ask_there("Is Discord well meanwhile?")
    await day.ask("Am I heard after the conflict?", day.private)


async def move(day: Day) -> None:
    """A group becomes a supergroup, and keeps its memory."""
    old = day.api.chats.add(group(OLD, "garden"))
    new = day.api.chats.add(group(NEW, "garden"))
    await day.ask("@ida_bot the key is under the mat", old)
    day.api.chats.moved[OLD] = NEW
    await day.tell(day.write("", old, migrate_to_chat_id=NEW))
    await day.ask("@ida_bot where is it?", new)
    assert day.was_asked("where is it?", "under the mat")


async def be_killed(day: Day, process: Process) -> Process:
    """While it answers on both services; then started again."""
    day.model.latency = 60
    asked = len(day.model.requests)
    await day.tell(day.write("Are you there?", day.private))
    await day.fake.say(day.dm, "Ana", "Or are you here?")
    await day.until(lambda: len(day.model.requests) >= asked + 2)
    await day.end(process, signal.SIGKILL)
    day.model.latency = 0
    process = await day.start()
    await day.answer_to("Are you there?", day.private)
    await day.until(lambda: any("Or are you here?" in t for t in day.fake.texts(day.dm)))
    return process


@pytest.mark.timeout(3 * SECONDS)
async def test_a_day_on_both_services(day: Day) -> None:
    process = await day.start()
    await talk(day)
    await suffer(day)
    await move(day)
    process = await be_killed(day, process)
    await day.ask("One last thing", day.private)
    await day.end(process, signal.SIGTERM)
    assert process.returncode == 0
    for chat_id, messages in day.api.chats.messages.items():
        texts = [m.get("text") for m in messages.values() if m.get("from", {}).get("id") == BOT]
        assert len(texts) == len(set(texts)), f"answered twice in {chat_id}"
    there = day.fake.texts(day.dm)
    assert len(there) == len(set(there)) == 3
    said = "\n".join(day.said)
    assert "stop the other program" in said
    assert "Traceback" not in said
    for secret in (day.bot.token, TOKEN, "Rex", "Miso"):
        assert secret not in said
