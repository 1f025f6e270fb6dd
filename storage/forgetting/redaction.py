"""Takes names and repeated passages out of texts that stay."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from storage.search.words import CJK

RUN_WORDS: Final = 5
"""So many words in a row, the same as in a removed text, repeat it."""

RUN_CHARACTERS: Final = 8
"""The same for scripts without spaces between words."""

SHORTEST_NAME: Final = 2
"""A name of one character is in every other line."""

SOMEONE: Final = "[someone]"
SOMETHING: Final = "[…]"

Redact = Callable[[str | None], str | None]
"""The text without what must go; None if nothing had to."""

_WORD: Final = re.compile(f"[{CJK}]|[^\\W{CJK}]+")
_IDEOGRAPH: Final = re.compile(f"[{CJK}]")


def without_names(names: Iterable[str]) -> Redact | None:
    """Redacts these names as whole words in any case; None if there is none to redact."""
    wanted = {" ".join(name.split()) for name in names}
    patterns = [
        _name_pattern(name)
        for name in sorted(wanted, key=len, reverse=True)
        if len(name) >= SHORTEST_NAME
    ]
    if not patterns:
        return None
    found = re.compile("|".join(patterns), re.IGNORECASE)

    def redact(text: str | None) -> str | None:
        changed = found.sub(SOMEONE, text or "")
        return None if changed == (text or "") else changed

    return redact


def _name_pattern(name: str) -> str:
    """A boundary stands only where the name ends in a letter of a script with spaces."""
    body = r"\s+".join(re.escape(part) for part in name.split())
    letter = f"[^\\W{CJK}]"
    before = f"(?<!{letter})" if re.match(letter, name) else ""
    after = f"(?!{letter})" if re.match(letter, name[-1]) else ""
    return f"{before}{body}{after}"


def without_passages(removed: Iterable[str]) -> Redact | None:
    """Redacts what repeats a run of a removed text; None if all of them are too short."""
    runs = {run for text in removed for run, _, _ in _runs(text)}
    if not runs:
        return None

    def redact(text: str | None) -> str | None:
        spans = [(start, end) for run, start, end in _runs(text or "") if run in runs]
        return _cut(text or "", spans) if spans else None

    return redact


def _runs(text: str) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Each run of the least length with its span; no run mixes the two kinds of script."""
    tokens = [(match[0].casefold(), *match.span()) for match in _WORD.finditer(text)]
    for number in range(len(tokens)):
        ideographs = _IDEOGRAPH.match(tokens[number][0]) is not None
        length = RUN_CHARACTERS if ideographs else RUN_WORDS
        run = tokens[number : number + length]
        alike = all((_IDEOGRAPH.match(word) is not None) == ideographs for word, _, _ in run)
        if len(run) == length and alike:
            yield tuple(word for word, _, _ in run), run[0][1], run[-1][2]


def _cut(text: str, spans: list[tuple[int, int]]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in spans:  # in order of their start
        if start >= position:
            if start > position or not parts:
                parts.append(text[position:start])
            parts.append(SOMETHING)
        position = max(position, end)
    return "".join([*parts, text[position:]])
