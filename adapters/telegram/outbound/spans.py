"""A text and how stretches of it look, within what Telegram can show."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Style = Literal["bold", "italic", "strikethrough", "code", "pre", "text_link", "blockquote"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A styled stretch of a text, from `start` up to `end`, in characters."""

    style: Style
    start: int
    end: int
    url: str = ""  # of a text_link
    language: str = ""  # of pre, if it is known


@dataclass(frozen=True, slots=True, kw_only=True)
class Styled:
    """A text and its spans. Spans are nested or apart, never half over each other, and
    nothing lies within code."""

    text: str
    spans: tuple[Span, ...] = ()


def trimmed(text: str, spans: Sequence[Span]) -> Styled:
    """Without blank ends, which Telegram would cut; without spans of nothing."""
    left = len(text) - len(text.lstrip())
    stripped = text.strip()
    return Styled(
        text=stripped, spans=clipped(_around_code(spans), left, left + len(stripped), text)
    )


def clipped(spans: Sequence[Span], start: int, end: int, text: str) -> tuple[Span, ...]:
    """The spans within text[start:end], relative to its beginning, outermost first."""
    found = set()
    for span in spans:
        first, last = max(span.start, start), min(span.end, end)
        if text[first:last].strip():
            found.add(replace(span, start=first - start, end=last - start))
    return tuple(sorted(found, key=lambda s: (s.start, -s.end, s.style)))


def _around_code(spans: Sequence[Span]) -> list[Span]:
    """Telegram allows no other span on code: those around it end before and go on after.
    A link is worth more than the look of code within it."""
    links = [(s.start, s.end) for s in spans if s.style == "text_link"]
    done = [
        s
        for s in spans
        if s.style in ("code", "pre") and not any(a <= s.start and s.end <= b for a, b in links)
    ]
    code = sorted((s.start, s.end) for s in done)
    for span in spans:
        if span.style in ("code", "pre"):
            continue
        start = span.start
        inside = [(a, b) for a, b in code if span.start <= a and b <= span.end]
        for first, last in inside if span.style != "blockquote" else []:
            done.append(replace(span, start=start, end=first))
            start = last
        done.append(replace(span, start=start))
    return done
