"""Decorators of V3: lines like `@@depth 4` at the head of an entry's text."""

import re
from dataclasses import dataclass

_LINE = re.compile(r"(@@@?)([A-Za-z_]+)(?:[ \t]+(.*))?")
_NUMBERS = {"depth", "scan_depth"}
_LISTS = {"additional_keys", "exclude_keys"}
_MARKS = {"activate", "dont_activate"}
_POSITIONS = {"before_desc", "after_desc", "personality", "scenario"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decorated:
    """A text without its decorators, and what they say. Ones that Bower does not follow
    (those that count messages, and roles) are taken off all the same."""

    text: str
    depth: int | None = None
    scan_depth: int | None = None
    additional_keys: tuple[str, ...] = ()
    exclude_keys: tuple[str, ...] = ()
    activate: bool = False
    dont_activate: bool = False
    position: str = ""


def read_decorators(text: str) -> Decorated:
    """A decorator's fallbacks (`@@@name`) count when the ones before it are not followed."""
    numbers: dict[str, int] = {}
    lists: dict[str, tuple[str, ...]] = {}
    marks: set[str] = set()
    position = ""
    lines = text.split("\n")
    followed = False
    taken = 0
    for line in lines:
        match = _LINE.fullmatch(line.strip())
        if match is None:
            if line.strip() or not taken:
                break
            taken += 1
            continue
        taken += 1
        name, value = match[2], (match[3] or "").strip()
        if match[1] == "@@@" and followed:
            continue
        followed = True
        if name in _NUMBERS and re.fullmatch(r"\d{1,6}", value):
            numbers.setdefault(name, int(value))
        elif name in _LISTS and value:
            keys = tuple(key.strip() for key in value.split(",") if key.strip())
            lists.setdefault(name, keys)
        elif name in _MARKS:
            marks.add(name)
        elif name == "position" and value in _POSITIONS:
            position = position or value
        else:
            followed = False
    return Decorated(
        text="\n".join(lines[taken:]).strip() if taken else text.strip(),
        depth=numbers.get("depth"),
        scan_depth=numbers.get("scan_depth"),
        additional_keys=lists.get("additional_keys", ()),
        exclude_keys=lists.get("exclude_keys", ()),
        activate="activate" in marks,
        dont_activate="dont_activate" in marks and "activate" not in marks,
        position=position,
    )
