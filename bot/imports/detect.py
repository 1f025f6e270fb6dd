"""Which format a file is in, told by what it holds, and the reading of it."""

import re
from dataclasses import replace
from datetime import datetime

from bot.errors import ImportFileError
from bot.imports.conversation import Reading
from bot.imports.discord_export import is_discord, read_discord
from bot.imports.locomo import is_locomo, read_locomo
from bot.imports.loose import parse_json
from bot.imports.sillytavern import is_sillytavern, read_sillytavern
from bot.imports.telegram_export import is_telegram, read_telegram
from bot.imports.texts import decode
from bot.imports.transcript import read_transcript

_JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{\]])')
"""How JSON begins; "[2024-03-01 18:00] Ana: hi" is a transcript."""

_READERS = (
    (is_discord, read_discord),
    (is_telegram, read_telegram),
    (is_locomo, read_locomo),
)


def read_conversations(data: bytes, name: str, *, default_time: datetime) -> Reading:
    """Everything a file holds, in whichever format it is.

    `default_time` (aware) dates lines that have no date; its zone counts for times
    without one. Pure, and slow for large files. Raises ImportFileError.
    """
    text, warnings = decode(data, name)
    reading = _read(text.lstrip("\ufeff"), name, default_time)
    return replace(reading, warnings=(*warnings, *reading.warnings))


def _read(text: str, name: str, default_time: datetime) -> Reading:
    if not _JSON.match(text):
        return read_transcript(text, name, default_time=default_time)
    if is_sillytavern(text):
        return read_sillytavern(text, name, default_time=default_time)
    document = parse_json(text, name)
    for is_it, read in _READERS:
        if is_it(document):
            return read(document, name, default_time=default_time)
    raise ImportFileError(
        f"{name}: line 1: is JSON, but neither a character card (which has a name and"
        " first_mes) nor an export that Bower reads (Telegram, Discord, SillyTavern, LoCoMo);"
        " export the card again, or save the conversation as 'Name: text' lines."
    )
