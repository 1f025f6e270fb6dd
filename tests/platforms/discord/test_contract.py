"""Discord keeps the contract of platforms."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.platforms.contract import PlatformContract
from tests.platforms.discord.world import DiscordWorld


class TestDiscord(PlatformContract):
    @pytest.fixture
    async def world(self, tmp_path: Path) -> AsyncIterator[DiscordWorld]:
        made = DiscordWorld(tmp_path)
        await made.open()
        yield made
        await made.close()
        assert made.fake.rest.wrong == []
