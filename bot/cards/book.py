"""The `character_book`, mended into the form both specifications give it."""

from bot.cards.mending import Kind, Notes, mend
from bot.cards.model import JsonObject

_BOOK = {
    "name": Kind.TEXT,
    "description": Kind.TEXT,
    "scan_depth": Kind.NUMBER,
    "token_budget": Kind.NUMBER,
    "recursive_scanning": Kind.FLAG,
    "extensions": Kind.OBJECT,
}

_ENTRY = {
    "keys": Kind.WORDS,
    "secondary_keys": Kind.WORDS,
    "content": Kind.TEXT,
    "extensions": Kind.OBJECT,
    "enabled": Kind.FLAG,
    "insertion_order": Kind.NUMBER,
    "case_sensitive": Kind.FLAG,
    "use_regex": Kind.FLAG,
    "constant": Kind.FLAG,
    "priority": Kind.NUMBER,
    "selective": Kind.FLAG,
    "name": Kind.TEXT,
    "comment": Kind.TEXT,
}

_RENAMED = {
    "key": "keys",
    "keysecondary": "secondary_keys",
    "order": "insertion_order",
    "caseSensitive": "case_sensitive",
}
"""An entry's fields in the world files of SillyTavern."""

_INTO_EXTENSIONS = {
    "selectiveLogic": "selectiveLogic",
    "matchWholeWords": "match_whole_words",
    "scanDepth": "scan_depth",
    "probability": "probability",
    "useProbability": "useProbability",
    "depth": "depth",
    "excludeRecursion": "exclude_recursion",
    "preventRecursion": "prevent_recursion",
}

_POSITIONS = ("before_char", "after_char")


def mend_book(book: object, notes: Notes) -> JsonObject | None:
    """The book, or None where there is none."""
    if book is None:
        notes.add("character_book is null: the card has no book.")
        return None
    if isinstance(book, list):
        notes.add("character_book is a list and was read as the list of its entries.")
        book = {"entries": book}
    if not isinstance(book, dict):
        notes.add("character_book is no book and was left out.")
        return None
    mended = mend(book, _BOOK, "character_book: ", notes)
    entries = mended.get("entries", [])
    if isinstance(entries, dict):
        notes.add("The entries of the book are an object and were read as the list of its values.")
        entries = list(entries.values())
    if not isinstance(entries, list):
        if entries is not None:
            notes.add("The entries of the book are no list and were left out.")
        entries = []
    mended["entries"] = [_mend_entry(entry, notes) for entry in entries if isinstance(entry, dict)]
    return mended


def _mend_entry(entry: JsonObject, notes: Notes) -> JsonObject:
    entry = dict(entry)
    if "key" in entry and "keys" not in entry:
        _from_world(entry)
    mended = mend(entry, _ENTRY, "entry: ", notes)
    position = mended.get("position")
    if isinstance(position, int | float) and not isinstance(position, bool):
        extensions = mended.get("extensions")
        kept = extensions if isinstance(extensions, dict) else {}
        mended["extensions"] = {"position": position, **kept}
        mended["position"] = _POSITIONS[0] if position == 0 else _POSITIONS[1]
    elif position not in _POSITIONS and "position" in mended:
        del mended["position"]
        if position:
            notes.add(f"entry: position {str(position)[:40]!r} is unknown and was left out.")
    return mended


def _from_world(entry: JsonObject) -> None:
    """Turns an entry of a world file into one of a book, in place."""
    for old, new in _RENAMED.items():
        if old in entry and new not in entry:
            entry[new] = entry.pop(old)
    if "disable" in entry and "enabled" not in entry:
        entry["enabled"] = not entry.pop("disable")
    extensions = entry.get("extensions")
    kept: JsonObject = dict(extensions) if isinstance(extensions, dict) else {}
    for old, new in _INTO_EXTENSIONS.items():
        if old in entry and new not in kept:
            kept[new] = entry.pop(old)
    entry["extensions"] = kept
