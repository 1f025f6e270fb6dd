"""Which of a persona's lore belongs into the prompt now: what was said calls it up.

Pure, but for the clock of the time limit on regular expressions: those of a card come from
strangers, and one that never ends must cost a moment at most.
"""

import logging
import random
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache

import regex

from bot.persona import LoreEntry, LoreLogic, LoreRules
from bot.text import tokens

log = logging.getLogger(__name__)

SECONDS_PER_KEY = 0.05
"""One regular expression may search this long; if it takes longer, it was not said."""

SECONDS = 0.3
"""All regular expressions of one look-up together; those that are left were not said."""

MOST_SEARCHED = 20_000
"""Characters of the newest lines that are searched."""

MOST_PASSES = 5
"""How often the texts of entries may call further entries."""


def active_lore(
    entries: Sequence[LoreEntry],
    recent_lines: Sequence[str],
    *,
    rules: LoreRules,
    budget: int,
    rng: random.Random,
) -> list[LoreEntry]:
    """The entries that what was said calls up, as they stand in the prompt, highest first.

    `recent_lines` are oldest first. Together the texts fill at most `budget` tokens and at
    most the budget of the rules: entries of low priority are left out first. `rng` decides
    entries that come by chance.
    """
    search = _Search(recent_lines, rules)
    active: list[LoreEntry] = []
    waiting = [entry for entry in entries if entry.chance >= 1.0 or rng.random() < entry.chance]
    called: str | None = None
    for _ in range(1 + MOST_PASSES * rules.recursive):
        fresh: list[LoreEntry] = []
        left: list[LoreEntry] = []
        for entry in waiting:
            (fresh if search.calls(entry, called) else left).append(entry)
        if not fresh:
            break
        active += fresh
        waiting = left
        called = "\n".join(entry.text for entry in fresh if entry.calls_lore)
    return _fitting(active, min(budget, rules.budget))


def _fitting(entries: Iterable[LoreEntry], budget: int) -> list[LoreEntry]:
    kept: list[LoreEntry] = []
    for entry in sorted(entries, key=_worth, reverse=True):
        cost = tokens(entry.text) + 1
        if cost <= budget and entry.text:
            budget -= cost
            kept.append(entry)
    return sorted(kept, key=lambda entry: entry.order)


def _worth(entry: LoreEntry) -> tuple[bool, float]:
    return entry.constant, entry.order if entry.priority is None else entry.priority


class _Search:
    """The newest lines, and how much time regular expressions have left."""

    def __init__(self, lines: Sequence[str], rules: LoreRules) -> None:
        self._lines = lines
        self._depth = rules.scan_depth
        self._texts: dict[int, str] = {}
        self._until = time.monotonic() + SECONDS

    def calls(self, entry: LoreEntry, called: str | None) -> bool:
        """Whether the lines call this entry, together with the texts of `called` entries."""
        if entry.constant:
            return True
        if called is not None and not entry.called_by_lore:
            return False
        depth = self._depth if entry.scan_depth is None else entry.scan_depth
        text = self._newest(depth)
        if called is not None:
            text = f"{text}\n{called}"[-MOST_SEARCHED:]
        if not any(self._said(key, entry, text) for key in entry.keys):
            return False
        if any(self._said(key, entry, text) for key in entry.exclude_keys):
            return False
        return _fits(entry.logic, [self._said(key, entry, text) for key in entry.secondary_keys])

    def _newest(self, depth: int) -> str:
        if depth not in self._texts:
            lines = self._lines[len(self._lines) - min(depth, len(self._lines)) :]
            self._texts[depth] = "\n".join(lines)[-MOST_SEARCHED:]
        return self._texts[depth]

    def _said(self, key: str, entry: LoreEntry, text: str) -> bool:
        pattern = key_pattern(
            key,
            regex_key=entry.regex,
            case_sensitive=entry.case_sensitive,
            whole_words=entry.whole_words,
        )
        if pattern is None:
            return False
        if not (entry.regex or _slashed(key)[2]):
            return pattern.search(text) is not None
        left = min(self._until - time.monotonic(), SECONDS_PER_KEY)
        if left <= 0:
            return False
        try:
            return pattern.search(text, timeout=left) is not None
        except (TimeoutError, MemoryError):
            log.warning("A regular expression among the lore keys takes too long: %.80s", key)
            return False


def _fits(logic: LoreLogic, said: Sequence[bool]) -> bool:
    """What the secondary keys decide; without any they decide nothing."""
    if not said:
        return True
    return {
        LoreLogic.ANY: any(said),
        LoreLogic.ALL: all(said),
        LoreLogic.NOT_ANY: not any(said),
        LoreLogic.NOT_ALL: not all(said),
    }[logic]


@lru_cache(maxsize=4096)
def key_pattern(
    key: str, *, regex_key: bool, case_sensitive: bool, whole_words: bool
) -> "regex.Pattern[str] | None":
    """What a key searches for. None if it is empty, or no regular expression though it says so.

    A key between slashes is one, with JavaScript's flags (g, u and y mean nothing here);
    otherwise a key is plain text. Whole words have no letters or digits around; in scripts
    without spaces a key counts wherever it stands.
    """
    body, flags, slashed = _slashed(key)
    if not slashed and not regex_key:
        body = _plain(key.strip(), whole_words=whole_words)
    if not body:
        return None
    options = regex.VERSION0
    if "i" in flags or not (case_sensitive or slashed):
        options |= regex.IGNORECASE | regex.FULLCASE
    if "m" in flags:
        options |= regex.MULTILINE
    if "s" in flags:
        options |= regex.DOTALL
    try:
        return regex.compile(body, options)
    except (regex.error, RecursionError, OverflowError, ValueError):
        return None


def _slashed(key: str) -> tuple[str, str, bool]:
    match = regex.fullmatch(r"\s*/(.+)/([dgimsuvy]*)\s*", key, regex.DOTALL)
    return (match[1], match[2], True) if match else (key, "", False)


def _plain(key: str, *, whole_words: bool) -> str:
    if not key:
        return ""
    escaped = r"\s+".join(regex.escape(part) for part in key.split())
    if not whole_words:
        return escaped
    before = r"(?<!\w)" if _is_spaced(key[0]) else ""
    after = r"(?!\w)" if _is_spaced(key[-1]) else ""
    return f"{before}{escaped}{after}"


def _is_spaced(character: str) -> bool:
    return not any(first <= character <= last for first, last in _UNSPACED)


_UNSPACED = (
    ("\u0e00", "\u0eff"),  # Thai, Lao
    ("\u1000", "\u109f"),  # Burmese
    ("\u1780", "\u17ff"),  # Khmer
    ("\u2e80", "\u9fff"),  # Chinese, Japanese
    ("\uac00", "\ud7af"),  # Korean, whose particles follow without a space
    ("\U00020000", "\U0003ffff"),  # rarer Chinese characters
)
