"""The world that Telegram's tests share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.platforms.telegram.world import QuickClock, TelegramWorld


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[TelegramWorld]:
    made = TelegramWorld(tmp_path)
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def quick(tmp_path: Path) -> AsyncIterator[TelegramWorld]:
    """The same, in time that really passes, only faster."""
    made = TelegramWorld(tmp_path, clock=QuickClock())
    await made.open()
    yield made
    await made.close()
