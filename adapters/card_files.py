"""Card files in and out: which format a file is, and where its parts are kept.

Nothing is fetched, and nothing is overwritten unasked.
"""

import binascii
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from adapters.card_charx import read_asset, read_charx, write_charx
from adapters.card_png import SIGNATURE, as_png, read_png, write_png
from adapters.card_shelf import ASSETS, PICTURE, keep, kept, write_file
from bot.cards.convert import card_from_persona, checked_key, persona_from_card
from bot.cards.mending import Notes
from bot.cards.model import Card, as_read, card_text, to_v2, to_v3
from bot.cards.reading import read_card
from bot.cards.stored import ENDING, key_for
from bot.errors import PersonaError
from bot.persona import Persona
from bot.persona_folder import TakenIn

MOST_FILE_BYTES = 64_000_000
"""A card file with its pictures."""

_PICTURES = {
    b"\xff\xd8\xff": "a JPEG picture",
    b"RIFF": "a WebP picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF",
}


class CardKind(StrEnum):
    """The formats of card files, as their endings say."""

    JSON = "json"
    PNG = "png"
    CHARX = "charx"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFile:
    """What a file holds: cards as JSON, best first, a picture (PNG), other files (ZIP)."""

    texts: tuple[bytes, ...]
    picture: bytes | None = None
    assets: bytes | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedCard:
    """A card that is now a persona, and what its author should know about the reading."""

    key: str
    name: str
    path: Path
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedCard:
    """A card file that was written, and what it could not hold."""

    path: Path
    warnings: tuple[str, ...]


def import_card_file(
    path: Path, folder: Path, *, key: str | None = None, overwrite: bool = False
) -> ImportedCard:
    """Makes a persona of a card file. Its size is looked at before it is read.

    Raises PersonaError: too large, no card, broken, or the name is taken.
    """
    try:
        size = path.stat().st_size
        if size > MOST_FILE_BYTES:
            raise PersonaError(_too_large(path.name, size))
        data = path.read_bytes()
    except OSError as error:
        raise PersonaError(f"{path}: cannot be read: {error.strerror}.") from error
    return import_card(data, path.name, folder, key=key, overwrite=overwrite)


def import_card(
    data: bytes, name: str, folder: Path, *, key: str | None = None, overwrite: bool = False
) -> ImportedCard:
    """Makes a persona of the content of a card file that is called `name`.

    Without a `key` it is made from the character's name. Raises PersonaError, having
    written nothing.
    """
    file = read_card_file(name, data)
    card, warnings = _best_card(file, name)
    stem = Path(name.replace("\\", "/")).name.split(".")[0]
    if not card.data.name.strip():
        card = card.model_copy(update={"data": card.data.model_copy(update={"name": stem})})
        warnings.append(f"The card has no name; it is called {stem!r} after its file.")
    key = checked_key(key) if key else key_for(card.data.nickname, card.data.name, stem)
    persona, more = persona_from_card(card, key)
    warnings += more
    if remote := sum(asset.uri.lower().startswith("http") for asset in card.data.assets):
        warnings.append(f"{remote} pictures on other servers were not fetched.")
    parts = {
        PICTURE: file.picture or _icon(card, file.assets),
        ASSETS: file.assets,
        ENDING: card_text(as_read(card)).encode(),
    }
    keep(folder, key, parts, overwrite=overwrite)
    return ImportedCard(
        key=key,
        name=persona.name,
        path=folder / f"{key}{ENDING}",
        warnings=tuple(dict.fromkeys([*file.warnings, *warnings])),
    )


def take_in_card(name: str, data: bytes, folder: Path) -> TakenIn:
    """A card from a chat becomes a persona; nothing is overwritten. Raises PersonaError."""
    made = import_card(data, name, folder)
    return TakenIn(key=made.key, name=made.name, warnings=made.warnings)


def read_card_file(name: str, data: bytes) -> CardFile:
    """Takes a card file apart, whatever its ending. Raises PersonaError."""
    if len(data) > MOST_FILE_BYTES:
        raise PersonaError(_too_large(name, len(data)))
    notes = Notes()
    if data.startswith(SIGNATURE):
        png = read_png(data, name, notes)
        if not png.cards:
            raise PersonaError(
                f"{name}: a picture without a card; some sites strip it, so get the original file."
            )
        return CardFile(texts=png.cards, picture=png.picture, warnings=tuple(notes.sentences()))
    if data.startswith(b"PK\x03\x04") or _has_zip_at_its_end(data):
        charx = read_charx(data, name, notes)
        return CardFile(texts=(charx.card,), assets=charx.assets, warnings=tuple(notes.sentences()))
    for start, what in _PICTURES.items():
        if data.startswith(start):
            raise PersonaError(f"{name}: {what}; save the card as PNG, JSON or CHARX.")
    if not data.strip():
        raise PersonaError(f"{name}: the file is empty.")
    return CardFile(texts=(data,))


def _has_zip_at_its_end(data: bytes) -> bool:
    """Some programs put a picture before the ZIP of a CHARX."""
    return data.startswith(b"\xff\xd8\xff") and b"PK\x05\x06" in data[-66_000:]


def _too_large(name: str, size: int) -> str:
    return (
        f"{name}: {size // 1_000_000} MB is too large for a card; "
        f"the most is {MOST_FILE_BYTES // 1_000_000} MB."
    )


def _best_card(file: CardFile, name: str) -> tuple[Card, list[str]]:
    """The first that can be read. Raises PersonaError with what is wrong with the first."""
    first: PersonaError | None = None
    for text in file.texts:
        try:
            card, warnings = read_card(text, source=name)
        except PersonaError as error:
            first = first or error
        else:
            if first is not None:
                warnings.append("The file's better card is broken; the other one was read.")
            return card, warnings
    assert first is not None
    raise first


def _icon(card: Card, assets: bytes | None) -> bytes | None:
    """The main picture of a card that came without one of its own."""
    icons = [asset for asset in card.data.assets if asset.type == "icon"]
    icons.sort(key=lambda asset: asset.name != "main")
    for asset in icons[:1]:
        head, _, rest = asset.uri.partition("://")
        if head in {"embeded", "embedded"} and assets is not None:
            picture = read_asset(assets, rest)
            return as_png(picture) if picture else None
        if asset.uri.startswith("data:") and ";base64," in asset.uri[:100]:
            try:
                return as_png(binascii.a2b_base64(asset.uri.partition(",")[2].encode()))
            except binascii.Error:
                return None
    return None


def export_card(
    source: Persona | Card,
    *,
    version: int,
    kind: CardKind,
    picture: bytes | None = None,
    assets: bytes | None = None,
) -> bytes:
    """A card file of version 2 or 3. A PNG of version 3 holds the V2 card as well, for
    programs that know no other. Raises PersonaError."""
    if version not in {2, 3}:
        raise PersonaError(f"There is no version {version} of character cards; write 2 or 3.")
    card = card_from_persona(source) if isinstance(source, Persona) else source
    old, new = (card_text(form(card)).encode() for form in (to_v2, to_v3))
    if kind is CardKind.JSON:
        return new if version == 3 else old
    if kind is CardKind.PNG:
        cards = [("chara", old)] if version == 2 else [("ccv3", new), ("chara", old)]
        return write_png(cards, picture, card.data.name)
    if version == 2:
        raise PersonaError("CHARX holds V3 cards only; export V2 as PNG or JSON.")
    return _charx(card, picture, assets)


def _charx(card: Card, picture: bytes | None, assets: bytes | None) -> bytes:
    if picture is None or any(asset.type == "icon" for asset in card.data.assets):
        return write_charx(card_text(to_v3(card)).encode(), assets)
    place = "assets/icon/images/main.png"
    whole = to_v3(card)
    data = whole["data"]
    assert isinstance(data, dict)
    icon = {"type": "icon", "uri": f"embeded://{place}", "name": "main", "ext": "png"}
    whole["data"] = {**data, "assets": [icon, *data.get("assets", [])]}
    return write_charx(card_text(whole).encode(), assets, [(place, picture)])


def export_persona(
    folder: Path, key: str, target: Path, *, version: int = 3, overwrite: bool = False
) -> ExportedCard:
    """Writes a persona of the folder, card or TOML, as a card file; the ending of `target`
    says the format. Raises PersonaError."""
    kind = next((kind for kind in CardKind if target.name.lower().endswith(f".{kind}")), None)
    if kind is None:
        raise PersonaError(f"{target}: end the name with .json, .png or .charx.")
    source, picture, assets = kept(folder, checked_key(key))
    content = export_card(source, version=version, kind=kind, picture=picture, assets=assets)
    warnings = []
    if assets is not None and kind is not CardKind.CHARX:
        warnings.append(f"The files that came with the card stay out of a {kind.upper()} file.")
    write_file(target, content, overwrite=overwrite)
    return ExportedCard(path=target, warnings=tuple(warnings))
