"""The whole program as a process, with its real encoder, between a fake Discord and a scripted
model."""

import asyncio
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes import until
from tests.platforms.discord.fake_gateway import FakeDiscord
from tests.platforms.discord.fake_state import TOKEN
from tests.scripted_model import ScriptedModel, chat
from tests.test_process import SECONDS, Program


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord() as running:
        home = running.add_guild("Home", "Ana")
        running.add_channel(home, "hall")
        yield running
        assert running.rest.wrong == []


async def start(program: Program, fake: FakeDiscord, *, token: str = TOKEN) -> Process:
    return await program.start(
        environment={
            "DISCORD_TOKEN": token,
            "DISCORD_API_URL": fake.api_url,
            "DISCORD_GATEWAY_URL": fake.gateway_url,
            "BURST_SECONDS": "0.05",
        }
    )


async def stop(process: Process, by: signal.Signals) -> str:
    process.send_signal(by)
    _, err = await asyncio.wait_for(process.communicate(), SECONDS)
    return err.decode()


async def test_the_program_talks_on_discord_and_survives_being_killed(
    tmp_path: Path, fake: FakeDiscord
) -> None:
    async with asyncio.timeout(SECONDS), ScriptedModel(chat) as server:
        program = Program(tmp_path, server.url)
        dm = fake.dm_of("Ana")
        process = await start(program, fake)
        await until(lambda: fake.connected == 1)
        await fake.say(dm, "Ana", "My dog is called Rex")
        await until(lambda: len(fake.texts(dm)) == 1 and "Rex" in fake.texts(dm)[0])
        server.latency = 60
        asked = len(server.requests)
        await fake.say(dm, "Ana", "Are you there?")
        await until(lambda: len(server.requests) > asked)
        await stop(process, signal.SIGKILL)
        server.latency = 0
        process = await start(program, fake)
        await until(lambda: len(fake.texts(dm)) == 2 and "there" in fake.texts(dm)[1])
        said = await stop(process, signal.SIGTERM)
    assert process.returncode == 0
    assert "Traceback" not in said
    assert TOKEN not in said
    assert len([r for r in fake.rest.requests if r.method == "PUT"]) == 1


async def test_a_wrong_token_ends_the_program_with_one_sentence(
    tmp_path: Path, fake: FakeDiscord
) -> None:
    program = Program(tmp_path, "http://127.0.0.1:9/v1")
    process = await start(program, fake, token="wrong")
    _, err = await asyncio.wait_for(process.communicate(), SECONDS)
    assert process.returncode != 0
    assert "DISCORD_TOKEN" in err.decode()
    assert "Traceback" not in err.decode()
