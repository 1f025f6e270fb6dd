"""What a card holds, in the words of its two specifications.

Every level keeps what it does not know. What is absent stays absent: a field that was not
in the file is not in its dump.
"""

import json

from pydantic import BaseModel, ConfigDict, Field

JsonObject = dict[str, object]
Number = int | float

V2 = "chara_card_v2"
V3 = "chara_card_v3"


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class BookEntry(_Open):
    """A fact of the book and when it is told."""

    keys: list[str] = Field(default_factory=list)
    content: str = ""
    extensions: JsonObject = Field(default_factory=dict)
    enabled: bool = True
    insertion_order: Number = 100
    case_sensitive: bool = False
    use_regex: bool = False
    constant: bool = False
    priority: Number | None = None
    selective: bool = False
    secondary_keys: list[str] = Field(default_factory=list)
    position: str = ""
    name: str = ""
    comment: str = ""


class Book(_Open):
    """The `character_book`."""

    name: str = ""
    description: str = ""
    scan_depth: Number | None = None
    token_budget: Number | None = None
    recursive_scanning: bool = False
    extensions: JsonObject = Field(default_factory=dict)
    entries: list[BookEntry] = Field(default_factory=list)


class Asset(_Open):
    """A picture or another file that belongs to a card. Remote ones are never fetched."""

    type: str = ""
    uri: str = ""
    name: str = ""
    ext: str = ""


class CardData(_Open):
    """The character."""

    name: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    first_mes: str = ""
    mes_example: str = ""
    creator_notes: str = ""
    system_prompt: str = ""
    post_history_instructions: str = ""
    alternate_greetings: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    creator: str = ""
    character_version: str = ""
    extensions: JsonObject = Field(default_factory=dict)
    character_book: Book | None = None
    # since V3
    nickname: str = ""
    assets: list[Asset] = Field(default_factory=list)
    creator_notes_multilingual: JsonObject = Field(default_factory=dict)
    source: list[str] = Field(default_factory=list)
    group_only_greetings: list[str] = Field(default_factory=list)
    creation_date: Number | None = None
    modification_date: Number | None = None


class Card(_Open):
    """A whole card file."""

    spec: str
    spec_version: str
    data: CardData

    @property
    def is_v3(self) -> bool:
        return self.spec == V3


REQUIRED = (
    "name", "description", "personality", "scenario", "first_mes", "mes_example",
    "creator_notes", "system_prompt", "post_history_instructions", "alternate_greetings",
    "tags", "creator", "character_version", "extensions",
)  # fmt: skip
"""What both versions demand of `data`."""

_REQUIRED_OF_ENTRIES = ("keys", "content", "extensions", "enabled", "insertion_order")


def as_read(card: Card) -> JsonObject:
    """The card in its own version: what was in the file, mended, and no more."""
    return card.model_dump(exclude_unset=True)


def to_v3(card: Card) -> JsonObject:
    """The card as V3, with what that version demands filled in."""
    data = _complete(card)
    data.setdefault("group_only_greetings", [])
    for entry in _entries(data):
        entry.setdefault("use_regex", False)
    version = card.spec_version if card.is_v3 else "3.0"
    return as_read(card) | {"spec": V3, "spec_version": version, "data": data}


def to_v2(card: Card) -> JsonObject:
    """The card as V2. What only V3 knows stays where it is, as V2 keeps what it does not
    know; what V3 demands and a V2 card had to invent goes again, as long as it is empty."""
    data = _complete(card)
    if card.is_v3:
        if not data.get("group_only_greetings", True):
            del data["group_only_greetings"]
        for entry in _entries(data):
            if not entry.get("use_regex", True):
                del entry["use_regex"]
    version = "2.0" if card.is_v3 else card.spec_version
    return as_read(card) | {"spec": V2, "spec_version": version, "data": data}


def card_text(card: JsonObject) -> str:
    """A card file's text, for people to edit."""
    return json.dumps(card, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _complete(card: Card) -> JsonObject:
    data = card.data.model_dump(exclude_unset=True)
    everything = card.data.model_dump(include=set(REQUIRED))
    data |= {name: everything[name] for name in REQUIRED if name not in data}
    if card.data.character_book is not None and isinstance(book := data["character_book"], dict):
        book.setdefault("extensions", {})
        book.setdefault("entries", [])
        for entry, kept in zip(_entries(data), card.data.character_book.entries, strict=True):
            for name in _REQUIRED_OF_ENTRIES:
                entry.setdefault(name, getattr(kept, name))
    return data


def _entries(data: JsonObject) -> list[JsonObject]:
    book = data.get("character_book")
    entries = book.get("entries") if isinstance(book, dict) else None
    return entries if isinstance(entries, list) else []
