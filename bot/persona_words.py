"""What is wrong with a persona file, in the words of whoever writes one."""

import difflib
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

RANGES: Mapping[str, tuple[float, float]] = {
    "temperament": (1, 10),
    "importance": (0, 1),
    "chance": (0, 1),
    "depth": (0, 200),
    "scan_depth": (0, 200),
    "budget": (0, 100_000),
}
"""From and to, by the key."""

SECTIONS = ("memories", "examples", "lore", "scene", "depth_notes")
"""What is written as [[…]] sections."""

_REASONS = {
    "missing": "is missing; every {whole} needs it",
    "string_type": 'must be a text in "quotes"',
    "date": 'put the date in quotes: when = "1998-06-12"',
    "too_short": "needs at least one",
    "string_too_short": "must not be empty",
    "string_too_long": "is longer than the {max_length} characters that it may have",
    "bool_type": "must be true or false, without quotes",
    "bool_parsing": "must be true or false, without quotes",
    "enum": "must be {expected}",
    "dict_type": "must be a table: write [{last}], and its keys below",
    "model_type": "must be a table with keys of its own",
    "model_attributes_type": "must be a table with keys of its own",
}
_NUMBERS = re.compile(r"^(?:float|int|greater_than|less_than|finite)")


def explain(error: ValidationError, source: str, model: type[BaseModel]) -> list[str]:
    """A sentence for each problem: file, key (lists are counted from 1) and reason."""
    return [
        f"{source}: {_where(problem['loc']) or 'file'}: {reason(problem, model)}."
        for problem in error.errors()
    ]


def reason(problem: ErrorDetails, model: type[BaseModel]) -> str:
    """Why one value cannot be used, and what to write instead; without a full stop."""
    kind, place = problem["type"], problem["loc"]
    names = [part for part in place if isinstance(part, str)]
    last = names[-1] if names else ""
    match kind:
        case "extra_forbidden":
            return _unknown(place, model)
        case "string_pattern_mismatch":
            return _malformed(last, problem["input"])
        case "tuple_type":
            return _list(last)
    if last == "when" and kind == "string_type":
        kind = "date"
    if kind in _REASONS:
        whole = "persona" if len(place) == 1 else f"entry of {place[0]}"
        facts: dict[str, Any] = {**problem.get("ctx", {}), "last": last, "whole": whole}
        return _REASONS[kind].format(**facts)
    if _NUMBERS.match(kind):
        return _number(names)
    return problem["msg"].removeprefix("Value error, ")


def _number(names: Sequence[str]) -> str:
    """The range of a number, by its key or the table that it stands in."""
    for name in reversed(names):
        if name in RANGES:
            low, high = RANGES[name]
            return f"must be a number from {low:g} to {high:g}"
    return "must be a number"


def _where(place: Iterable[str | int]) -> str:
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in place)


def _list(name: str) -> str:
    if name in SECTIONS:
        return f"must be written as sections: [[{name}]], and the keys of each below"
    return "must be a list of texts in [brackets]"


def _malformed(name: str, given: object) -> str:
    if name == "key":
        return (
            f"the file's name may have small letters, digits, - and _, at most 64, and cannot "
            f"be {given!r}: rename it"
        )
    return f"{given!r} is no code of a language; write en, es, zh or pt-BR"


def _unknown(place: tuple[str | int, ...], model: type[BaseModel]) -> str:
    """A misspelt key, or one that slipped into a section."""
    name, section = str(place[-1]), str(place[0])
    if len(place) > 1 and name in model.model_fields and name != "key":
        return f"belongs to the whole persona; move it above the first [[{section}]]"
    known = _keys_of(model, place[:-1])
    near = difflib.get_close_matches(name.casefold(), known, n=1, cutoff=0.6)
    return f"is not a key that Bower knows{f'; did you mean {near[0]}' if near else ''}"


def _keys_of(model: type[BaseModel], place: tuple[str | int, ...]) -> Collection[str]:
    """The keys that may stand at a place of a file."""
    for part in place:
        if isinstance(part, str) and part in model.model_fields:
            inner = next(_models_in(model.model_fields[part].annotation), None)
            if inner is None:
                return ()
            model = inner
    return [name for name in model.model_fields if name != "key"]


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from _models_in(inner)


_TOML = (
    (
        re.compile(r"Unterminated string|Illegal character '\\n'|Expected '\"'"),
        "a text is not closed; end it with the quotes that it begins with",
    ),
    (
        re.compile(r"Expected newline or end of document"),
        'something stands behind the value; within a text write \\" for a quote',
    ),
    (re.compile(r"Unescaped '\\\\'"), "within a text write \\\\ for a backslash"),
    (re.compile(r"Invalid value"), 'a value is missing, or a text stands without "quotes"'),
    (re.compile(r"Cannot (?:overwrite|mutate|declare)"), "a key or a [table] stands there twice"),
    (re.compile(r"Expected '=' after a key"), "a key needs = and a value"),
    (re.compile(r"Unclosed array"), "a list is not closed; end it with ]"),
)


def explain_toml(error: tomllib.TOMLDecodeError) -> str:
    """What is wrong with a file that is no TOML, and where; without a full stop."""
    text, _, where = str(error).rpartition(" (")
    told = next((said for pattern, said in _TOML if pattern.search(text)), text)
    return f"not valid TOML {where.rstrip(')')}: {told}"
