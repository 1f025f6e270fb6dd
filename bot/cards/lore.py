"""Entries of a card's book as the lore of a persona, and back."""

from bot.cards.decorators import Decorated, read_decorators
from bot.cards.mending import Notes
from bot.cards.model import Book, BookEntry, JsonObject
from bot.lore import key_pattern
from bot.persona import LoreEntry, LoreLogic, LorePosition, LoreRules
from bot.text import clean

MOST_ENTRIES = 2_000
MOST_KEYS = 100
MOST_KEY_LENGTH = 300
MOST_DEPTH = 200
MOST_CHARACTERS = 20_000
DEFAULT_DEPTH = 4
AT_DEPTH = 4
"""The position "between the lines" among SillyTavern's numbers."""

_LOGIC = (LoreLogic.ANY, LoreLogic.NOT_ALL, LoreLogic.NOT_ANY, LoreLogic.ALL)
"""In the order of SillyTavern's numbers."""


def read_lore(book: Book, notes: Notes) -> tuple[tuple[LoreEntry, ...], LoreRules]:
    """The entries that can ever be called, and how they are looked up."""
    default = LoreRules()
    rules = LoreRules(
        scan_depth=_depth(book.scan_depth, default.scan_depth),
        budget=_bounded(book.token_budget, default.budget, 100_000),
        recursive=book.recursive_scanning,
    )
    if len(book.entries) > MOST_ENTRIES:
        notes.add(f"The book has {len(book.entries)} entries; the first {MOST_ENTRIES} are used.")
    entries = (_entry(entry, notes) for entry in book.entries[:MOST_ENTRIES])
    return tuple(entry for entry in entries if entry is not None), rules


def _entry(entry: BookEntry, notes: Notes) -> LoreEntry | None:
    head = read_decorators(clean(entry.content[:MOST_CHARACTERS]))
    extra = entry.extensions
    text = head.text
    constant = (entry.constant or head.activate) and not head.dont_activate
    regex = entry.use_regex and not _is_from_sillytavern(extra)
    keys = _keys(entry.keys, regex, notes)
    if not entry.enabled or head.dont_activate or not text or not (keys or constant):
        return None
    secondary = _keys(entry.secondary_keys if entry.selective else [], regex, notes)
    logic = _LOGIC[_choice(extra.get("selectiveLogic"), len(_LOGIC))]
    if head.additional_keys and not secondary:
        secondary, logic = _keys(list(head.additional_keys), regex, notes), LoreLogic.ANY
    position = _choice(extra.get("position"), 10) if "position" in extra else None
    return LoreEntry(
        keys=keys,
        text=text,
        secondary_keys=secondary,
        logic=logic,
        exclude_keys=_keys(list(head.exclude_keys), regex, notes),
        constant=constant,
        regex=regex,
        case_sensitive=entry.case_sensitive or extra.get("case_sensitive") is True,
        whole_words=extra.get("match_whole_words") is True,
        position=_position(entry, head, position),
        depth=_entry_depth(head, extra, position),
        order=_finite(entry.insertion_order),
        priority=None if entry.priority is None else _finite(entry.priority),
        scan_depth=_scan_depth(head, extra),
        chance=_chance(extra),
        calls_lore=extra.get("prevent_recursion") is not True,
        called_by_lore=extra.get("exclude_recursion") is not True,
    )


def _is_from_sillytavern(extensions: JsonObject) -> bool:
    """It marks every entry as a regular expression, though only keys in slashes are."""
    return "display_index" in extensions or "selectiveLogic" in extensions


def _keys(keys: list[str], regex: bool, notes: Notes) -> tuple[str, ...]:
    kept = []
    for key in (clean(key) for key in keys):
        if not key:
            continue
        if len(key) > MOST_KEY_LENGTH:
            notes.add(f"A key of the book is longer than {MOST_KEY_LENGTH} characters; left out.")
        elif not key_pattern(key, regex_key=regex, case_sensitive=False, whole_words=False):
            notes.add(f"The key {key[:60]!r} is no regular expression; it never matches.")
        else:
            kept.append(key)
    return tuple(kept[:MOST_KEYS])


def _position(entry: BookEntry, head: Decorated, position: int | None) -> LorePosition:
    if head.position:
        return LorePosition.BEFORE if head.position == "before_desc" else LorePosition.AFTER
    before = entry.position == "before_char" if entry.position else position == 0
    return LorePosition.BEFORE if before else LorePosition.AFTER


def _entry_depth(head: Decorated, extra: JsonObject, position: int | None) -> int | None:
    if head.position:
        return None
    if head.depth is not None:
        return min(head.depth, MOST_DEPTH)
    return _depth(extra.get("depth"), DEFAULT_DEPTH) if position == AT_DEPTH else None


def _scan_depth(head: Decorated, extra: JsonObject) -> int | None:
    if head.scan_depth is not None:
        return min(head.scan_depth, MOST_DEPTH)
    value = extra.get("scan_depth")
    return _depth(value, 0) if isinstance(value, int | float) else None


def _chance(extra: JsonObject) -> float:
    percent = extra.get("probability")
    if not isinstance(percent, int | float) or extra.get("useProbability") is False:
        return 1.0
    return float(max(0.0, min(percent, 100.0))) / 100


def _depth(value: object, default: int) -> int:
    return _bounded(value, default, MOST_DEPTH)


def _bounded(value: object, default: int, most: int) -> int:
    if not isinstance(value, int | float):
        return default
    return int(max(0, min(value, most)))


def _choice(value: object, count: int) -> int:
    return value if isinstance(value, int) and 0 <= value < count else 0


def _finite(value: int | float) -> float:
    return float(max(-1e9, min(value, 1e9)))


def write_lore(entries: tuple[LoreEntry, ...], rules: LoreRules) -> JsonObject:
    """The lore as a book that other programs read as well."""
    return {
        "scan_depth": rules.scan_depth,
        "token_budget": rules.budget,
        "recursive_scanning": rules.recursive,
        "extensions": {},
        "entries": [_written(entry, number) for number, entry in enumerate(entries)],
    }


def _written(entry: LoreEntry, number: int) -> JsonObject:
    before = entry.position is LorePosition.BEFORE
    excluded = f"@@exclude_keys {','.join(entry.exclude_keys)}\n" if entry.exclude_keys else ""
    order = int(entry.order) if entry.order.is_integer() else entry.order
    written: JsonObject = {
        "id": number,
        "keys": list(entry.keys),
        "content": f"{excluded}{entry.text}",
        "enabled": True,
        "insertion_order": order,
        "case_sensitive": entry.case_sensitive,
        "use_regex": entry.regex,
        "constant": entry.constant,
        "selective": bool(entry.secondary_keys),
        "secondary_keys": list(entry.secondary_keys),
        "position": "before_char" if before else "after_char",
    }
    if entry.priority is not None:
        written["priority"] = entry.priority
    written["extensions"] = _extensions(entry)
    return written


def _extensions(entry: LoreEntry) -> JsonObject:
    before = entry.position is LorePosition.BEFORE
    extra: JsonObject = {
        "match_whole_words": entry.whole_words,
        "exclude_recursion": not entry.called_by_lore,
        "prevent_recursion": not entry.calls_lore,
    }
    if entry.depth is not None:
        extra |= {"position": AT_DEPTH, "depth": entry.depth}
    else:
        extra["position"] = 0 if before else 1
    if entry.secondary_keys and not entry.regex:
        extra["selectiveLogic"] = _LOGIC.index(entry.logic)
    if entry.scan_depth is not None:
        extra["scan_depth"] = entry.scan_depth
    if entry.chance < 1.0:
        extra |= {"probability": entry.chance * 100, "useProbability": True}
    return extra
