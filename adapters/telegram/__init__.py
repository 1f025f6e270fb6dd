"""Telegram: the only home of python-telegram-bot."""

from adapters.telegram.account import Login, Options
from adapters.telegram.examine import BotReport, examine
from adapters.telegram.platform import TelegramPlatform
from adapters.telegram.webhook import Webhook

__all__ = ["BotReport", "Login", "Options", "TelegramPlatform", "Webhook", "examine"]
