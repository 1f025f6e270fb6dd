"""The world that Telegram's tests share."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.telegram import Webhook
from tests.fakes import until
from tests.platforms.telegram.world import QuickClock, TelegramWorld


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[TelegramWorld]:
    made = TelegramWorld(tmp_path)
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def port() -> int:
    """A free one on loopback."""
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    number: int = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return number


@pytest.fixture
async def called(tmp_path: Path, port: int) -> AsyncIterator[TelegramWorld]:
    """The same, where Telegram calls the program instead of being asked."""
    hook = Webhook(url="https://bower.example/telegram/", port=port)
    made = TelegramWorld(tmp_path, webhook=hook)
    made.api.webhooks.proxy = f"http://127.0.0.1:{port}"
    await made.open()
    await until(lambda: bool(made.bot.webhook["url"]))
    yield made
    await made.close()


@pytest.fixture
async def quick(tmp_path: Path) -> AsyncIterator[TelegramWorld]:
    """The same, in time that really passes, only faster."""
    made = TelegramWorld(tmp_path, clock=QuickClock())
    await made.open()
    yield made
    await made.close()
