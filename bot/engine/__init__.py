"""The application: everything that happens between an inbound value and a reply."""

from bot.engine.engine import Engine
from bot.engine.limits import Limits

__all__ = ["Engine", "Limits"]
