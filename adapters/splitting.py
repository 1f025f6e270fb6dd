"""Long texts in parts that a platform takes: code fences, words, mentions and links stay whole."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import regex

FENCE = "```"
LEAST_LIMIT = 40
"""Below this there is no room for a fence around a few characters."""

_LANGUAGE = r"[A-Za-z0-9_+#.-]{0,20}"  # of a code fence, on the line of its opening
_OPENING = regex.compile(rf"```(?:{_LANGUAGE}\n)?")
_EMPTY_FENCE = regex.compile(rf"\s*```(?:{_LANGUAGE}\n)?\s*```\s*")
_WHOLE = regex.compile(rf"https?://[^\s<>`]+|<[@#:/a-z][^<>\s]{{0,120}}>|```(?:{_LANGUAGE}\n)?")
_GRAPHEME = regex.compile(r"\X")
_BREAKS = (
    regex.compile(r"\n\s*\n"),  # between paragraphs
    regex.compile(r"\n"),
    regex.compile(r"(?<=[.!?…]['\")\]]?)\s|(?<=[\u3002\uff01\uff1f])"),
    regex.compile(r"\s"),
)
_ENOUGH = (0.5, 0.5, 0.5, 0.0)
"""A kind of break is taken if it leaves a part at least this full."""


class Unit(StrEnum):
    """What a platform counts."""

    CHARACTERS = "characters"
    UTF16 = "utf-16"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    text: str
    end: int  # where the next one begins
    fence: str  # what it must begin with: an opened fence, or nothing


def length(text: str, unit: Unit = Unit.CHARACTERS) -> int:
    """How long the platform says a text is."""
    return len(text) + (sum(c > "\uffff" for c in text) if unit is Unit.UTF16 else 0)


def split(text: str, *, limit: int, unit: Unit = Unit.CHARACTERS) -> list[str]:
    """The text in parts of at most `limit` (40 or more) units, none of them blank.

    Breaks between paragraphs, else lines, sentences, words; never inside a mention, a link
    or a grapheme cluster unless that alone is too long. A code fence that is cut is closed
    and opened again with its language. Blank text has no parts.
    """
    if limit < LEAST_LIMIT:
        raise ValueError(f"A part needs room for {LEAST_LIMIT} units at least.")
    text = text.rstrip()
    parts: list[str] = []
    position, fence = 0, ""
    while position < len(text):
        piece = _next_piece(text, position, fence, limit, unit)
        if _says_something(piece.text):
            parts.append(piece.text)
        position, fence = piece.end, piece.fence
    return parts


def _says_something(part: str) -> bool:
    """A part of nothing but an opened and closed fence is left out."""
    return bool(part.strip()) and not _EMPTY_FENCE.fullmatch(part)


def _next_piece(text: str, start: int, fence: str, limit: int, unit: Unit) -> _Piece:
    rest = limit - length(fence, unit)
    end = _reach(text, start, rest, unit)
    if end == len(text):
        return _Piece(text=_trimmed(fence + text[start:], fence), end=end, fence="")
    if fence or FENCE in text[start:end]:
        end = _reach(text, start, rest - len(FENCE) - 1, unit)  # room to close it
    cut = _cut(text, start, end)
    open_fence = _fence_after(text, start, cut, fence)
    if not open_fence:
        body = fence + text[start:cut].rstrip()
        return _Piece(text=_trimmed(body, fence), end=_skip_blank(text, cut), fence="")
    body = fence + text[start:cut]
    first_line = "\n" not in body[body.rindex(FENCE) :]  # a break would make it a language
    body += FENCE if first_line or body.endswith("\n") else f"\n{FENCE}"
    cut += text[cut : cut + 1] == "\n"
    if closing := regex.compile(r"\s*```").match(text, cut):
        return _Piece(text=body, end=_skip_blank(text, closing.end()), fence="")
    return _Piece(text=_trimmed(body, fence), end=cut, fence=open_fence)


def _trimmed(body: str, fence: str) -> str:
    return body.rstrip() if fence else body.strip()


def _skip_blank(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _reach(text: str, start: int, room: int, unit: Unit) -> int:
    """The index up to which the text fits into so many units."""
    if unit is Unit.CHARACTERS:
        return min(len(text), start + room)
    end = start
    while end < len(text) and (room := room - length(text[end], unit)) >= 0:
        end += 1
    return end


def _cut(text: str, start: int, end: int) -> int:
    """Where to cut at or before `end`, always after `start`."""
    whole = [m.span() for m in _WHOLE.finditer(text, start) if m.start() < end]
    inside: Callable[[int], bool] = lambda at: any(a < at < b for a, b in whole)  # noqa: E731
    for pattern, enough in zip(_BREAKS, _ENOUGH, strict=True):
        least = start + max(int((end - start) * enough), 1)
        places = [m.start() for m in pattern.finditer(text, start, end + 1)]
        good = [at for at in places if least <= at <= end and not inside(at)]
        if good:
            return good[-1]
    for first, last in whole:
        if first < end < last and first > start:
            return first
    clusters = [m.start() for m in _GRAPHEME.finditer(text, start, end + 1)]
    return next((at for at in reversed(clusters) if start < at <= end), end)


def _fence_after(text: str, start: int, cut: int, fence: str) -> str:
    """The opening that is in force at the cut; empty outside of code."""
    for mark in _OPENING.finditer(text, start, cut):
        if fence:
            fence = ""
        else:
            opening = mark.group()
            fence = opening if opening.endswith("\n") else f"{FENCE}\n"
    return fence
