"""Values of the wrong type, read as what they were meant to be, with a word about it."""

import math
from collections.abc import Callable, Mapping
from enum import Enum, auto

from bot.cards.model import JsonObject

MOST_WARNINGS = 30
"""More about one card are only counted."""


class Notes:
    """What is worth telling whoever brought a card. Each sentence once."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}

    def add(self, sentence: str) -> None:
        self._sentences.setdefault(sentence)

    def sentences(self) -> list[str]:
        every = list(self._sentences)
        if len(every) <= MOST_WARNINGS:
            return every
        return [*every[:MOST_WARNINGS], f"{len(every) - MOST_WARNINGS} more things were mended."]


class Kind(Enum):
    """What a field of a card should be."""

    TEXT = auto()
    TEXTS = auto()
    WORDS = auto()  # texts, written with commas where somebody made them one
    NUMBER = auto()
    FLAG = auto()
    OBJECT = auto()


def mend(value: JsonObject, kinds: Mapping[str, Kind], where: str, notes: Notes) -> JsonObject:
    """The object with every known field of its kind; what cannot be read is left out.

    Unknown fields stay as they are.
    """
    mended: JsonObject = {}
    for name, part in value.items():
        kind = kinds.get(name)
        if kind is None:
            mended[name] = part
        elif (read := _READ[kind](part, f"{where}{name}", notes)) is not None:
            mended[name] = read
    return mended


def _text(value: object, where: str, notes: Notes) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        notes.add(f"{where} is a list and was read as one text.")
        return "\n".join(value)
    _say(value, where, "text", notes)
    return None


def _texts(value: object, where: str, notes: Notes) -> list[str] | None:
    if isinstance(value, str):
        notes.add(f"{where} is one text instead of a list.")
        return [value] if any(map(str.isalpha, value)) else []
    if isinstance(value, dict):
        notes.add(f"{where} is an object and was read as the list of its values.")
        value = list(value.values())
    if not isinstance(value, list):
        _say(value, where, "list of texts", notes)
        return None
    texts = [str(part) for part in value if isinstance(part, str | int | float)]
    if len(texts) < sum(part is not None for part in value):
        notes.add(f"{where} holds something that is no text; it was left out.")
    return texts


def _words(value: object, where: str, notes: Notes) -> list[str] | None:
    if isinstance(value, str):
        notes.add(f"{where} is one text and was read as a list with commas.")
        return [word.strip() for word in value.split(",") if word.strip()]
    return _texts(value, where, notes)


def _number(value: object, where: str, notes: Notes) -> int | float | None:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, str) and value.strip():
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if value == "":
        return None
    _say(value, where, "number", notes)
    return None


def _flag(value: object, where: str, notes: Notes) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value != 0
    if isinstance(value, str) and value.strip().lower() in _FLAGS:
        return _FLAGS[value.strip().lower()]
    _say(value, where, "yes or no", notes)
    return None


def _object(value: object, where: str, notes: Notes) -> JsonObject | None:
    if isinstance(value, dict):
        return value
    if value == []:
        return {}
    _say(value, where, "object", notes)
    return None


def _say(value: object, where: str, kind: str, notes: Notes) -> None:
    """A null goes without saying, another value of no use does not."""
    if value is not None:
        notes.add(f"{where} is no {kind} and was left out.")


_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}

_READ: dict[Kind, Callable[[object, str, Notes], object]] = {
    Kind.TEXT: _text,
    Kind.TEXTS: _texts,
    Kind.WORDS: _words,
    Kind.NUMBER: _number,
    Kind.FLAG: _flag,
    Kind.OBJECT: _object,
}
