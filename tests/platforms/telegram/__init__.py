"""Telegram's adapter against a Bot API on loopback."""
