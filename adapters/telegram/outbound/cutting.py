"""A styled text in messages of at most 4096 UTF-16 units, none of its spans cut that fit."""

from collections.abc import Iterator

from adapters.splitting import Unit, length, split
from adapters.telegram.outbound.spans import Span, Styled, clipped

LIMIT = 4096
"""UTF-16 units of one message, after its spans are taken out of the text."""

MOST_SPANS = 100
"""Telegram ignores further spans of one message."""

_GLUE = "\u00b7"  # stands for what must not be a place to cut


def cut(whole: Styled, *, limit: int = LIMIT) -> list[Styled]:
    """The text in parts that Telegram takes, in order; a span that is longer than a part
    goes on in the next one. Blank text has no parts."""
    parts = []
    for start, end in _cuts(whole, limit):
        spans = clipped(whole.spans, start, end, whole.text)
        parts.append(Styled(text=whole.text[start:end], spans=spans[:MOST_SPANS]))
    return parts


def _cuts(whole: Styled, limit: int) -> Iterator[tuple[int, int]]:
    """Where the parts begin and end. They are found in a text of the same length in which
    spans that fit into a part have no blanks, and nothing looks like the fence of code."""
    text = whole.text.replace("`", "'")
    for span in whole.spans:
        inner = text[span.start : span.end]
        if _is_whole(span, inner, limit):
            glued = "".join(_GLUE if c.isspace() else c for c in inner)
            text = text[: span.start] + glued + text[span.end :]
    position = 0
    for part in split(text, limit=limit, unit=Unit.UTF16):
        position = text.index(part, position)
        yield position, position + len(part)
        position += len(part)


def _is_whole(span: Span, inner: str, limit: int) -> bool:
    """Quotes may be cut between lines: half of a page is better than a page of its own."""
    return span.style != "blockquote" and length(inner, Unit.UTF16) <= limit
