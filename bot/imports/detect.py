"""Which format a file is in, told by what it holds, and the reading of it."""

from datetime import datetime

from bot.errors import ImportFileError
from bot.imports.conversation import Reading
from bot.imports.locomo import is_locomo, read_locomo
from bot.imports.loose import parse_json
from bot.imports.texts import decode


def read_conversations(data: bytes, name: str, *, default_time: datetime) -> Reading:
    """Everything a file holds, in whichever format it is.

    `default_time` (aware) dates lines that have no date; its zone counts for times
    without one. Pure, and slow for large files. Raises ImportFileError.
    """
    text, _ = decode(data, name)
    document = parse_json(text, name)
    if is_locomo(document):
        return read_locomo(document, name, default_time=default_time)
    raise ImportFileError(f"{name}: is in none of the formats that Bower reads.")
