"""Conversations from elsewhere: what an exported file says, and how it is remembered."""

from bot.imports.conversation import Conversation, Format, Line, Reading
from bot.imports.detect import read_conversations
from bot.imports.flow import ImportReport, import_file
from bot.imports.people import read_map

__all__ = [
    "Conversation",
    "Format",
    "ImportReport",
    "Line",
    "Reading",
    "import_file",
    "read_conversations",
    "read_map",
]
