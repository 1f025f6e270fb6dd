"""The whole program as a process, with its real encoder, between a Bot API and a scripted model."""

import asyncio
import json
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.clock import SystemClock
from tests.fakes import until
from tests.platforms.telegram.fake_bot_api import FakeBotApi
from tests.platforms.telegram.fake_chats import FakeBot
from tests.platforms.telegram.world import BOT, PEOPLE
from tests.scripted_model import ScriptedModel, chat
from tests.test_process import PERSONA, SECONDS, Program

ANA = PEOPLE["Ana"]


@pytest.fixture
async def api() -> AsyncIterator[FakeBotApi]:
    async with FakeBotApi(SystemClock()).running() as running:
        running.chats.private(ANA)
        yield running


async def start(program: Program, api: FakeBotApi, token: str) -> Process:
    return await program.start(
        environment={
            "TELEGRAM_TOKEN": token,
            "TELEGRAM_API_URL": api.url,
            "BURST_SECONDS": "0.05",
        }
    )


async def say(api: FakeBotApi, bot: FakeBot, text: str) -> None:
    message = api.chats.message(api.chats.private(ANA), ANA, text=text)
    await api.deliver(bot, "message", message)


async def stop(process: Process, by: signal.Signals) -> str:
    process.send_signal(by)
    _, err = await asyncio.wait_for(process.communicate(), SECONDS)
    return err.decode()


def heard(api: FakeBotApi, word: str) -> bool:
    return any(word in text for text in api.chats.texts(ANA["id"], sender=BOT))


async def test_the_program_talks_on_telegram_and_survives_being_killed(
    tmp_path: Path, api: FakeBotApi
) -> None:
    bot = api.add_bot(BOT, "ida_bot", "Ida", reads_all=False)
    async with asyncio.timeout(SECONDS), ScriptedModel(chat) as server:
        program = Program(tmp_path, server.url)
        process = await start(program, api, bot.token)
        await say(api, bot, "My dog is called Rex")
        await until(lambda: heard(api, "Rex"))
        server.latency = 60
        asked = len(server.requests)
        await say(api, bot, "Are you there?")
        await until(lambda: len(server.requests) > asked)
        first = await stop(process, signal.SIGKILL)
        server.latency = 0
        await say(api, bot, "Still waiting")
        process = await start(program, api, bot.token)
        await until(lambda: heard(api, "Still waiting") and not bot.updates)
        second = await stop(process, signal.SIGTERM)
    assert process.returncode == 0
    assert "Privacy mode is on" in first
    for said in (first, second):
        assert "Traceback" not in said
        assert bot.token not in said
        assert "Rex" not in said


async def test_two_bots_with_a_persona_each_are_called_by_webhook(
    tmp_path: Path, api: FakeBotApi, port: int
) -> None:
    bots = [api.add_bot(901, "ida_bot", "Ida"), api.add_bot(902, "otto_bot", "Otto")]
    api.webhooks.proxy = f"http://127.0.0.1:{port}"
    async with asyncio.timeout(SECONDS), ScriptedModel(chat) as server:
        program = Program(tmp_path, server.url)
        otto = PERSONA.replace("Ida", "Otto")
        (tmp_path / "personas" / "otto.toml").write_text(otto, encoding="utf-8")
        process = await program.start(
            environment={
                "TELEGRAM_TOKEN": f"ida={bots[0].token},otto={bots[1].token}",
                "TELEGRAM_API_URL": api.url,
                "TELEGRAM_WEBHOOK_URL": "https://bower.example/telegram",
                "TELEGRAM_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
                "BURST_SECONDS": "0.05",
            }
        )
        for bot in bots:
            await say(api, bot, f"Hello {bot.me['first_name']}")
        await until(lambda: len(api.called("sendMessage")) == 2)
        await until(lambda: not any(bot.updates for bot in bots))
        said = await stop(process, signal.SIGTERM)
    assert process.returncode == 0
    assert "Traceback" not in said
    assert not api.called("getUpdates")
    for bot, name in zip(bots, ("Ida", "Otto"), strict=True):
        [sent] = [call for call in api.called("sendMessage") if call.bot is bot]
        assert sent.params["text"].endswith(f"Hello {name}")
        assert bot.webhook["url"] == f"https://bower.example/telegram/{bot.id}"
        assert any(
            f"You are {name}" in json.dumps(r.body) and f"Hello {name}" in r.last
            for r in server.requests
        )


async def test_a_wrong_token_ends_the_program_with_one_sentence(
    tmp_path: Path, api: FakeBotApi
) -> None:
    program = Program(tmp_path, "http://127.0.0.1:9/v1")
    process = await start(program, api, "77:wrong")
    _, err = await asyncio.wait_for(process.communicate(), SECONDS)
    assert process.returncode != 0
    assert "TELEGRAM_TOKEN" in err.decode()
    assert "Traceback" not in err.decode()
    assert "77:wrong" not in err.decode()
