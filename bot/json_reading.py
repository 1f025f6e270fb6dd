"""Reads the JSON that a language model meant to write.

Strict JSON is taken as it is. Otherwise the first thing that looks like a JSON object or
list is mended by json_repair, within bounds of our own: what that library does to a text
without JSON, to a cut one or to several values is not what a memory should be built on.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import json_repair

from bot.thoughts import without_thoughts

MAX_CHARACTERS = 32_000
"""What is read of a longer text; the rest counts as cut off."""

MAX_DEPTH = 40
"""Lists and objects within each other; no schema of ours goes beyond a fifth of it."""

Want = Literal["object", "array"]

_OPENER = re.compile(
    r"""
      \{ (?= \s* (?: ["'“”}/\#] | [A-Za-z_]\w*\s*: | $ ) )
    | \[ (?= \s* (?: ["'“”{\[\]/\#\-\d] | (?:true|false|null|True|False|None|NaN)\b | $ ) )
    """,
    re.VERBOSE,
)
"""A bracket that looks like JSON, unlike the one of `{name}` or `[see above]`."""

_MARK = re.compile(r"""\\.|["'{}\[\],:]""", re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def read_json(text: str, *, want: Want | None = None) -> object:
    """The first object or list in a model's answer, or the first that is `want`.

    Mends fences, prose around it, thoughts, single quotes, trailing commas, comments and
    Python's literals. Of a cut text what is complete is kept: an unfinished item is dropped,
    never guessed. NaN and infinities become None, lone surrogates a question mark.
    Raises ValueError, and nothing else, where there is no such value or it is nested deeper
    than MAX_DEPTH.
    """
    text = text[:MAX_CHARACTERS]
    try:
        value = _strict(text, want)
        if value is None:
            answer = without_thoughts(text)
            value = _first(_strict(span.text, want) for span in _spans(answer, want))
            if value is None:
                value = _first(_mended(span, want) for span in _spans(answer, want))
        if value is None:
            raise ValueError(f"the model's answer holds no JSON {want or 'object or array'}")
        return _clean(value, 1)
    except RecursionError as error:
        raise ValueError("the model's JSON is nested too deep") from error


Container = dict[str, object] | list[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """One value in a text, from its opening bracket on. If it is cut, `text` reaches to the
    end of the text, and `complete` is the part that can be kept, with brackets closed."""

    text: str
    complete: str = ""
    cut: bool = False


def _strict(text: str, want: Want | None) -> Container | None:
    try:
        value: object = json.loads(text, strict=False, parse_constant=lambda _name: None)
    except ValueError:
        return None
    return _fitting(value, want)


def _mended(span: _Span, want: Want | None) -> Container | None:
    """The mended value; of a cut one what is complete.

    A stray quote within a string makes a whole value look cut; its last bracket tells.
    """
    closer = _CLOSER[span.text[0]]
    whole = span.text[: span.text.rfind(closer) + 1]
    if not span.cut:
        return _repair(span.text, want)
    if span.text.rstrip("` \n\r\t").endswith(closer):
        return _repair(whole, want) or _repair(span.complete, want)
    return _repair(span.complete, want) or (_repair(whole, want) if whole else None)


def _repair(text: str, want: Want | None) -> Container | None:
    """What json_repair makes of one value; of several, which it lists, the first."""
    try:
        value: object = json_repair.loads(text, skip_json_loads=True)
    except ValueError:
        return None
    if isinstance(value, list) and text.startswith("{"):
        value = next((item for item in value if isinstance(item, dict)), None)
    return _fitting(value, want)


def _fitting(value: object, want: Want | None) -> Container | None:
    if isinstance(value, dict) and want != "array":
        return value
    if isinstance(value, list) and want != "object":
        return value
    return None


def _first(values: Iterator[Container | None]) -> Container | None:
    """The first that is not empty, otherwise an empty one."""
    empty: Container | None = None
    for value in values:
        if value:
            return value
        empty = value if empty is None else empty
    return empty


def _spans(text: str, want: Want | None) -> Iterator[_Span]:
    """The values in a text, one after the other, never one within another; a cut one is last.

    With `want`, values of the other kind are not opened, so that a list around the wanted
    object, or an object around the wanted list, is unwrapped.
    """
    only = {"object": "{", "array": "["}.get(want or "", "{[")
    at = 0
    while opener := _OPENER.search(text, at):
        if opener[0] not in only:
            at = opener.end()
            continue
        span = _span(text, opener.start())
        yield span
        at = opener.start() + len(span.text)


def _span(text: str, start: int) -> _Span:
    """The value that opens at `start`. Raises ValueError if it is nested too deep."""
    closers: list[str] = []
    quote, last, last_end = "", "", start
    complete, missing = start, ""
    for mark in _MARK.finditer(text, start):
        sign = mark[0]
        if quote:
            quote = "" if sign == quote else quote
        elif sign == '"' or (sign == "'" and _may_begin(text[last_end : mark.start()], last)):
            quote = sign
        elif sign in _CLOSER:
            closers.append(_CLOSER[sign])
            if len(closers) > MAX_DEPTH:
                raise ValueError("the model's JSON is nested too deep")
            complete, missing = mark.end(), "".join(reversed(closers))
        elif sign == ",":
            complete, missing = mark.start(), "".join(reversed(closers))
        elif sign in closers:
            while closers.pop() != sign:
                pass
            if not closers:
                return _Span(text=text[start : mark.end()])
            complete, missing = mark.end(), "".join(reversed(closers))
        last, last_end = sign, mark.end()
    return _Span(text=text[start:], complete=text[start:complete] + missing, cut=True)


def _may_begin(between: str, last: str) -> bool:
    """Whether a single quote begins a string here, and is no apostrophe."""
    return last in tuple("{[,:") and not between.strip()


def _clean(value: object, depth: int) -> object:
    if depth > MAX_DEPTH:
        raise ValueError("the model's JSON is nested too deep")
    if isinstance(value, dict):
        return {_text(str(key)): _clean(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item, depth + 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return _text(value) if isinstance(value, str) else value


def _text(text: str) -> str:
    return _SURROGATE.sub("?", text)
