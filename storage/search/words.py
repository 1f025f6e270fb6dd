"""Cuts text into words for the full-text index, and builds queries that cannot go wrong.

`unicode61` takes a run of Chinese for one word, so runs of Chinese, Japanese and Korean
characters are cut into overlapping pairs: what is searched as 猫咪 is found inside 我的猫咪.
The last character of a run stands alone beside them, so that each character begins some
term and a single one can be searched as a prefix.
"""

import re
from collections.abc import Iterable
from typing import Final

MOST_TERMS: Final = 48
"""A query of more different terms is cut: the rest adds time and little else."""

CJK: Final = (
    "\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003134f"
)
"""Scripts written without spaces between words, or (Hangul) with long endings."""

_RUN = re.compile(f"[{CJK}]+")
_TERM = re.compile(f"[{CJK}]+|[^\\W_{CJK}]+")


def words(text: str | None) -> str:
    """The text with runs of CJK cut into pairs; everything else as it was."""
    return _RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} {run[0][-1]} ", text or "")


def any_of(parts: Iterable[str]) -> str:
    """An FTS5 query for lines that hold any of the terms; empty without terms."""
    return " OR ".join(parts)


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def terms(text: str) -> list[str]:
    """The words of a text as FTS5 terms, quoted, so that nothing in them is syntax."""
    found: dict[str, None] = {}
    for part in _TERM.findall(text):
        if not _RUN.fullmatch(part):
            found[f'"{part.casefold()}"'] = None
        elif len(part) == 1:
            found[f'"{part}" *'] = None
        else:
            found.update(dict.fromkeys(f'"{pair}"' for pair in _pairs(part)))
        if len(found) >= MOST_TERMS:
            break
    return list(found)[:MOST_TERMS]
