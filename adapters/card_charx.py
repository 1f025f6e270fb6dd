"""CHARX files: a ZIP with `card.json` and the card's pictures, through the standard library.

Nothing is ever unpacked to the disk under a name from the file.
"""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.cards.mending import Notes
from bot.cards.reading import MOST_BYTES
from bot.errors import PersonaError

MOST_MEMBERS = 5_000
MOST_UNPACKED = 200_000_000
"""Bytes of all members together, as the file declares them; none can unpack to more."""

CARD = "card.json"
_FORMS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CharxParts:
    """The card, and a ZIP of everything else, if there is anything."""

    card: bytes
    assets: bytes | None


def read_charx(data: bytes, source: str, notes: Notes) -> CharxParts:
    """Raises PersonaError where the ZIP is broken, encrypted, a bomb, or holds no card."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = _members(archive, source, notes)
            card = _card(members, source)
            text = archive.read(card)
            kept = [member for member in members if member is not card]
            return CharxParts(card=text, assets=_repacked(archive, kept) if kept else None)
    except _BROKEN as error:
        raise PersonaError(f"{source}: a broken ZIP file; download it again.") from error


def _members(archive: zipfile.ZipFile, source: str, notes: Notes) -> list[zipfile.ZipInfo]:
    """The files worth keeping, each name once."""
    every = archive.infolist()
    if len(every) > MOST_MEMBERS:
        raise PersonaError(f"{source}: more than {MOST_MEMBERS} files in one card; not read.")
    if sum(member.file_size for member in every) > MOST_UNPACKED:
        raise PersonaError(
            f"{source}: unpacks to more than {MOST_UNPACKED // 1_000_000} MB; not read."
        )
    kept: dict[str, zipfile.ZipInfo] = {}
    for member in every:
        if member.is_dir():
            continue
        if member.flag_bits & 0x1:
            raise PersonaError(f"{source}: encrypted; save it without a password.")
        if member.compress_type not in _FORMS:
            raise PersonaError(f"{source}: packed in a way that is not read; use plain ZIP.")
        if not _is_safe(member):
            notes.add(f"The file {member.filename[:80]!r} has a forbidden name; left out.")
        else:
            kept[member.filename] = member
    return list(kept.values())


def _is_safe(member: zipfile.ZipInfo) -> bool:
    name = member.orig_filename
    if stat.S_ISLNK(member.external_attr >> 16):
        return False
    parts = name.replace("\\", "/").split("/")
    return not (
        "\\" in name
        or "\0" in name
        or ":" in parts[0]
        or any(part in {"", ".", ".."} for part in parts)
    )


def _card(members: Sequence[zipfile.ZipInfo], source: str) -> zipfile.ZipInfo:
    named = [m for m in members if m.filename.rsplit("/", 1)[-1].lower() == CARD]
    named.sort(key=lambda member: (member.filename.count("/"), member.filename != CARD))
    if not named:
        raise PersonaError(f"{source}: a ZIP file without {CARD}; it is no character card.")
    if named[0].file_size > MOST_BYTES:
        raise PersonaError(f"{source}: its {CARD} is larger than {MOST_BYTES // 1_000_000} MB.")
    return named[0]


def _repacked(archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo]) -> bytes:
    return _zip((member.filename, archive.read(member)) for member in members)


def write_charx(card: bytes, assets: bytes | None, more: Sequence[tuple[str, bytes]] = ()) -> bytes:
    """A CHARX file of a card, the assets kept with it and further files."""
    files = [(CARD, card), *more]
    if assets is not None:
        with zipfile.ZipFile(io.BytesIO(assets)) as archive:
            taken = {name for name, _ in files}
            files += [(n, archive.read(n)) for n in archive.namelist() if n not in taken]
    return _zip(files)


def _zip(files: Iterable[tuple[str, bytes]]) -> bytes:
    """The same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def read_asset(assets: bytes, name: str) -> bytes | None:
    """One of the kept files, None if it is not there."""
    try:
        with zipfile.ZipFile(io.BytesIO(assets)) as archive:
            return archive.read(name)
    except (KeyError, *_BROKEN):
        return None
