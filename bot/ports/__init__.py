"""The borders of the character: what it asks of models, of the memory and of platforms."""

from typing import Protocol

from bot.ports.house import Books, Links, Servers
from bot.ports.models import ChatModel, Embedder, EmotionScorer, Line, PaidScorer, Piece, Progress
from bot.ports.names import Names, Reflections
from bot.ports.people import House, People, Rights
from bot.ports.pictures import Pictures
from bot.ports.platform import Handler, Platform, Send
from bot.ports.remembering import Remembering, Reports
from bot.ports.steps import Steps
from bot.ports.stream import Bonds, Claims, Scenes, Streams

__all__ = [
    "ChatModel",
    "Embedder",
    "EmotionScorer",
    "Handler",
    "Line",
    "PaidScorer",
    "Pictures",
    "Piece",
    "Platform",
    "Progress",
    "Send",
    "Storage",
]


class Storage(
    Steps,
    Reports,
    Remembering,
    People,
    Rights,
    House,
    Servers,
    Books,
    Links,
    Streams,
    Bonds,
    Claims,
    Scenes,
    Names,
    Reflections,
    Protocol,
):
    """The memory stream. Every method is one transaction; it happened whole or not at all."""
