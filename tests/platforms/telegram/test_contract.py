"""Telegram keeps the contract of platforms, asked for updates and called with them."""

import pytest

from tests.platforms.contract import PlatformContract
from tests.platforms.telegram.world import TelegramWorld


class TestPolling(PlatformContract):
    """The fixture `world` is the folder's own."""


class TestWebhook(PlatformContract):
    @pytest.fixture
    def world(self, called: TelegramWorld) -> TelegramWorld:
        return called

    async def test_it_is_really_called(self, world: TelegramWorld) -> None:
        await world.say("hello")
        assert 200 in world.api.webhooks.statuses
        assert not world.api.called("getUpdates")
