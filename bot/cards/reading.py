"""From the text of a card file to a card, whatever program wrote it.

Nothing in here fails on odd content: it is mended with a warning, or refused with one
sentence. Nothing is fetched.
"""

import json
import math
import re
from collections.abc import Iterator

from bot.cards.book import mend_book
from bot.cards.mending import Kind, Notes, mend
from bot.cards.model import V2, V3, Card, JsonObject
from bot.errors import PersonaError

MOST_BYTES = 16_000_000
"""A card's text; its pictures are not part of it."""

MOST_VALUES = 500_000
"""Values in a card, counted by their commas and brackets."""

MOST_DEPTH = 60
"""Objects and lists within each other."""

_KINDS = {
    **dict.fromkeys(
        (
            "name", "description", "personality", "scenario", "first_mes", "mes_example",
            "creator_notes", "system_prompt", "post_history_instructions", "creator",
            "character_version", "nickname",
        ),
        Kind.TEXT,
    ),
    "alternate_greetings": Kind.TEXTS,
    "group_only_greetings": Kind.TEXTS,
    "source": Kind.TEXTS,
    "tags": Kind.WORDS,
    "extensions": Kind.OBJECT,
    "creator_notes_multilingual": Kind.OBJECT,
    "creation_date": Kind.NUMBER,
    "modification_date": Kind.NUMBER,
}  # fmt: skip

_WHAT_IT_IS = "one has at least a name and a description; export it again from where it was made"

_ASSET = dict.fromkeys(("type", "uri", "name", "ext"), Kind.TEXT)

_ALIASES = {
    "char_name": "name",
    "char_persona": "description",
    "char_greeting": "first_mes",
    "example_dialogue": "mes_example",
    "world_scenario": "scenario",
    "context": "description",
    "greeting": "first_mes",
}
"""Names of fields in the files of programs older than the specifications."""

_OF_V3 = {"nickname", "assets", "group_only_greetings", "creator_notes_multilingual", "source"}


def read_card(text: str | bytes, *, source: str = "card") -> tuple[Card, list[str]]:
    """The card, and a sentence for everything that had to be mended.

    Raises PersonaError that names `source` and the reason.
    """
    notes = Notes()
    root = _root(_parse(text, source, notes), source)
    book_like = root.get("spec") == "lorebook_v3" or ("entries" in root and "data" not in root)
    if book_like and not root.get("name"):
        raise PersonaError(f"{source}: a lorebook without a character; import it with its card.")
    data, rest = _split(root, source, notes)
    spec, version = _version(rest, data, notes)
    mended = mend(data, _KINDS, "", notes)
    _mend_assets(mended, notes)
    _mend_book_of(mended, notes)
    card = Card.model_validate({**rest, "spec": spec, "spec_version": version, "data": mended})
    return card, notes.sentences()


def _parse(text: str | bytes, source: str, notes: Notes) -> object:
    if len(text) > MOST_BYTES:
        raise PersonaError(f"{source}: more than {MOST_BYTES // 1_000_000} MB of text; no card.")
    if isinstance(text, bytes):
        text = _decoded(text, notes)
    text = text.removeprefix("\ufeff")
    if text.count(",") + text.count("[") + text.count("{") > MOST_VALUES:
        raise PersonaError(f"{source}: more than {MOST_VALUES} values; no card holds so many.")
    numbers = _Numbers(notes)
    try:
        value: object = json.loads(
            text, parse_constant=numbers.special, parse_float=numbers.fraction, strict=False
        )
    except json.JSONDecodeError as error:
        raise PersonaError(
            f"{source}: not valid JSON, line {error.lineno}, column {error.colno}: {error.msg}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise PersonaError(
            f"{source}: its JSON is nested too deeply for a card, or holds a number that is none; "
            "export the card again."
        ) from error
    if _depth(value) > MOST_DEPTH:
        raise PersonaError(f"{source}: nested deeper than {MOST_DEPTH} levels; no card is.")
    if re.search(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]", text):
        whole = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass")
        value = json.loads(whole.decode("utf-16", "replace"))
    return value


def _decoded(data: bytes, notes: Notes) -> str:
    """UTF-8, -16 or -32; where more is broken than whole, Windows-1252."""
    text = data.decode(json.detect_encoding(data), "replace")
    broken = text.count("\ufffd")
    if not broken:
        return text
    if broken > sum(character > "\x7f" for character in text) - broken:
        notes.add("The card is not UTF-8; it was read as Windows-1252, so look at its accents.")
        return data.decode("cp1252", "replace")
    notes.add("Some characters of the card are broken and were replaced.")
    return text


class _Numbers:
    """Numbers that JSON does not have become null."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def special(self, name: str) -> None:
        self._notes.add(f"{name} is no number in JSON; it was left out.")

    def fraction(self, digits: str) -> float | None:
        number = float(digits)
        if math.isfinite(number):
            return number
        self._notes.add("A number too large was left out.")
        return None


def _depth(value: object) -> int:
    level, depth = [value], 0
    while level and depth <= MOST_DEPTH:
        depth += 1
        level = [inner for outer in level for inner in _inner(outer)]
    return depth


def _inner(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _root(value: object, source: str) -> JsonObject:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        raise PersonaError(f"{source}: JSON, but no character card: {_WHAT_IT_IS}.")
    return value


def _split(root: JsonObject, source: str, notes: Notes) -> tuple[JsonObject, JsonObject]:
    """The character and what stands beside it; fields at the wrong level are moved."""
    known = {*_KINDS, "character_book", "assets"}
    wrapped = root.get("data")
    if isinstance(wrapped, dict):
        data = dict(wrapped)
        rest = {name: value for name, value in root.items() if name != "data"}
        for name in sorted(known & set(rest)):
            if rest[name] and not data.get(name):
                notes.add(f"{name} stood beside the character and was moved into it.")
                data[name] = rest.pop(name)
        return data, rest
    renamed: JsonObject = {}
    for name, value in root.items():
        new = _ALIASES.get(name, name)
        renamed[name if new in root or new in renamed else new] = value
    if not {"name", "description", "first_mes", "personality"} & set(renamed):
        raise PersonaError(f"{source}: JSON, but no character card: {_WHAT_IT_IS}.")
    notes.add("The card is older than V2; it was read as one.")
    data = {name: value for name, value in renamed.items() if name in known}
    return data, {name: value for name, value in renamed.items() if name not in known}


def _version(rest: JsonObject, data: JsonObject, notes: Notes) -> tuple[str, str]:
    spec, version = rest.get("spec"), rest.get("spec_version")
    if not (isinstance(spec, str) and spec in {V2, V3}):
        guess = V3 if _OF_V3 & set(data) and "2" not in str(spec) else V2
        if spec is not None:
            notes.add(f"The version {str(spec)[:40]!r} is unknown; the card was read as {guess}.")
        spec = guess
    name = str(version) if isinstance(version, str | int | float) else ""
    match = re.fullmatch(r"\d{1,3}(\.\d{1,3})?", name)
    if spec == V3 and match and float(name) > 3.0:
        notes.add(f"The card is made for version {name}; what is new in it is kept but not used.")
    return str(spec), name if match else ("3.0" if spec == V3 else "2.0")


def _mend_assets(data: JsonObject, notes: Notes) -> None:
    if "assets" not in data:
        return
    assets = data.pop("assets")
    if not isinstance(assets, list):
        if assets is not None:
            notes.add("assets is no list and was left out.")
        return
    data["assets"] = [
        mend(asset, _ASSET, "assets: ", notes) for asset in assets if isinstance(asset, dict)
    ]


def _mend_book_of(data: JsonObject, notes: Notes) -> None:
    if "character_book" not in data:
        return
    book = mend_book(data.pop("character_book"), notes)
    if book is not None:
        data["character_book"] = book
