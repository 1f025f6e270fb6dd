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

_BEGINS = re.compile(r"\s*(?:```\w*\s*)?[{\[]")
"""An answer that begins with its value has no thoughts before it; tags in it are content."""

_MARK = re.compile(r"""\\.|["'{}\[\],:]""", re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def read_json(text: str, *, want: Want | None = None) -> object:
    """The first object or list in a model's answer, or the first that is `want`.

    Mends fences, prose around it, thoughts, single quotes, trailing commas, comments and
    Python's literals. Of a cut text what is complete is kept: an unfinished item is dropped,
    never guessed. NaN and infinities become None (or stay words where the text had to be
    mended), lone surrogates U+FFFD.
    Raises ValueError, and nothing else, where there is no such value or it is nested deeper
    than MAX_DEPTH.
    """
    text = text[:MAX_CHARACTERS]
    try:
        value = _strict(text, want)
        if value is None:
            answer = text if _BEGINS.match(text) else without_thoughts(text)
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
    end of the text, and `complete` is the part that can be kept, with brackets closed.
    `stray`: quotes stand within strings, so that it only seems to be cut."""

    text: str
    complete: str = ""
    cut: bool = False
    stray: bool = False


def _strict(text: str, want: Want | None) -> Container | None:
    try:
        value: object = json.loads(text, strict=False, parse_constant=lambda _name: None)
    except ValueError:
        return None
    return _fitting(value, want)


def _mended(span: _Span, want: Want | None) -> Container | None:
    """The mended value; of a cut one what is complete, if anything is."""
    if not span.cut:
        return _repair(span.text, want)
    if span.stray:
        up_to_closer = span.text[: span.text.rfind(_CLOSER[span.text[0]]) + 1]
        return _repair(up_to_closer, want) or _repair(span.complete, want)
    return _strict(span.complete, want) or _repair(span.complete, want) or None


def _repair(text: str, want: Want | None) -> Container | None:
    """What json_repair makes of one value; of several, which it lists, the first."""
    if not text:
        return None
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
    scan = _Scan(text, start)
    for mark in _MARK.finditer(text, start):
        if scan.read(mark[0], mark.start()):
            return _Span(text=text[start : mark.end()])
    complete = text[start : scan.complete] + scan.missing
    return _Span(text=text[start:], complete=complete, cut=True, stray=scan.stray)


class _Scan:
    """Follows brackets and quotes. `complete` is where the last finished item ends, `missing`
    the brackets that are still open there; `stray` tells of a quote within a string."""

    def __init__(self, text: str, start: int) -> None:
        self.complete, self.missing = start + 1, _CLOSER[text[start]]
        self.stray = False
        self._text = text
        self._open: list[str] = []
        self._quote = ""
        self._last, self._end = "", start
        self._before_quote = ""
        self._string_ended = False

    def read(self, sign: str, at: int) -> bool:
        """Takes the next mark; whether the value ends with it."""
        if self._string_ended and self._text[self._end : at].strip():
            self.stray = True
        self._string_ended = self._quote == sign
        if self._quote:
            self._in_string(sign, at)
        elif sign == '"' or (sign == "'" and self._begins_value(at)):
            self._quote, self._before_quote = sign, self._last
        elif sign in _CLOSER:
            self._open.append(_CLOSER[sign])
            if len(self._open) > MAX_DEPTH:
                raise ValueError("the model's JSON is nested too deep")
        elif sign == ",":
            self._item_ends(at)
        elif sign in self._open:
            while self._open.pop() != sign:
                pass
            self._item_ends(at + 1)
        self._last, self._end = sign, at + len(sign)
        return not self._open

    def _in_string(self, sign: str, at: int) -> None:
        if sign == self._quote:
            self._quote = ""
            if self._before_quote == ":" or self._open[-1] == "]":
                self._item_ends(at + 1)

    def _begins_value(self, at: int) -> bool:
        """Whether a single quote begins a string here, and is no apostrophe."""
        between = self._text[self._end : at]
        return self._last in ("{", "[", ",", ":") and not between.strip()

    def _item_ends(self, at: int) -> None:
        self.complete, self.missing = at, "".join(reversed(self._open))


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
    """A text that can be stored: pairs of surrogates joined, lone ones replaced."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
