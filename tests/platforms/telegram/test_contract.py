"""Telegram keeps the contract of platforms."""

from tests.platforms.contract import PlatformContract


class TestTelegram(PlatformContract):
    """The fixture `world` is the folder's own."""
