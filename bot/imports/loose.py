"""JSON of unknown make: parsed with sentences for errors, and read without trust."""

import json
import math
import re
from collections.abc import Mapping, Sequence

from bot.errors import ImportFileError

_BAD_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([0-9A-Fa-f]{2})")
"""Telegram's exporter writes control characters in the way of C, which JSON does not know."""


def parse_json(text: str, name: str) -> object:
    """The value of a JSON file. Raises ImportFileError that names file, line and reason."""
    try:
        return _parsed(text)
    except json.JSONDecodeError as error:
        raise ImportFileError(
            f"{name}: line {error.lineno}, column {error.colno}: not valid JSON ({error.msg});"
            " the file is damaged or cut off, export it again."
        ) from error
    except RecursionError as error:
        raise ImportFileError(
            f"{name}: line 1: its JSON is nested too deeply for a chat or a card; export it again."
        ) from error
    except MemoryError as error:
        raise ImportFileError(
            f"{name}: does not fit into memory; export a shorter period or split it."
        ) from error
    except ValueError as error:  # a number with thousands of digits
        raise ImportFileError(
            f"{name}: holds a number that no chat has ({error}); export it again."
        ) from error


def _parsed(text: str) -> object:
    try:
        value: object = json.loads(text, object_hook=_as_it_is)
    except json.JSONDecodeError as error:
        if "escape" not in error.msg:
            raise
        value = json.loads(_BAD_ESCAPE.sub(r"\1\\u00\2", text), object_hook=_as_it_is)
    return value


def _as_it_is(parsed: dict[str, object]) -> dict[str, object]:
    """Called for each object: between Python's own parser, which is one long call into C, and
    other threads, it is the only moment at which the event loop gets its turn."""
    return parsed


def parse_line(text: str) -> Mapping[str, object] | None:
    """The JSON object on one line, or None if there is none."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError, MemoryError):
        return None
    return record(value) if isinstance(value, dict) else None


def record(value: object) -> Mapping[str, object]:
    """The value as an object; an empty one if it is none."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> Sequence[object]:
    """The value as a list; an empty one if it is none."""
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    """A text or a whole number as text; empty for everything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:  # thousands of digits
            return ""
    return ""


def number(value: object) -> float | None:
    """A finite number, or a text of digits, as a number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        result = float(value)
    except (ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None
