"""The world that Telegram's tests share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.platforms.telegram.world import TelegramWorld


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[TelegramWorld]:
    made = TelegramWorld(tmp_path)
    await made.open()
    yield made
    await made.close()
