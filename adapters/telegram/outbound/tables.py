"""Tables in columns of equal width, for text of fixed width."""

import unicodedata
from collections.abc import Sequence
from itertools import zip_longest


def as_columns(rows: Sequence[Sequence[str]]) -> str:
    """The rows under each other, the first one underlined. Rows may differ in length."""
    if not rows:
        return ""
    columns = list(zip_longest(*rows, fillvalue=""))
    widths = [max(_width(cell) for cell in column) for column in columns]
    lines = [_line(row, widths) for row in rows]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        cell + " " * (width - _width(cell))
        for cell, width in zip_longest(row, widths, fillvalue="")
        if isinstance(width, int)
    ]
    return " | ".join(cells).rstrip()


def _width(text: str) -> int:
    """How many columns a text takes; characters of East Asian scripts and emoji take two."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
