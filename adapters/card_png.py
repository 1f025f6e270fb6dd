"""Cards in PNG pictures, through Pillow: chunks are read and written, pixels never touched.

The card is a text chunk named `ccv3` or `chara` (tEXt, zTXt or iTXt), wherever it stands.
All other chunks of the picture stay as they are, animations too.
"""

import base64
import binascii
import io
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PIL import Image, PngImagePlugin
from PIL.PngImagePlugin import PngStream, putchunk

from bot.cards.mending import Notes
from bot.cards.reading import MOST_BYTES
from bot.errors import PersonaError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_CHUNKS = 50_000
MOST_CARDS = 4
MOST_TEXT = MOST_BYTES * 4 // 3 + 4
"""A card in base64, unpacked."""

MOST_PIXELS = 40_000_000
PngImagePlugin.MAX_TEXT_CHUNK = MOST_TEXT
"""Pillow's own guard against bombs, raised from 1 MB to what a card may fill."""

SIDE = 1024
"""Pictures of other formats become PNG of at most this many pixels a side."""

_TEXTS = {b"tEXt", b"zTXt", b"iTXt"}
_KEYWORDS = (b"ccv3", b"chara")
_BROKEN = (OSError, ValueError, SyntaxError, LookupError, TypeError, struct.error, zlib.error)
"""What Pillow raises on files that are not what they say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PngParts:
    """The cards of a picture, best first, and the picture without them if it is whole."""

    cards: tuple[bytes, ...]
    picture: bytes | None


@dataclass(frozen=True, slots=True)
class _Chunk:
    kind: bytes
    body: bytes
    intact: bool

    @property
    def keyword(self) -> bytes:
        """`ccv3` or `chara` if this holds a card, else empty."""
        word = self.body[:20].split(b"\0", 1)[0].lower() if self.kind in _TEXTS else b""
        return word if word in _KEYWORDS else b""


def read_png(data: bytes, source: str, notes: Notes) -> PngParts:
    """Raises PersonaError where a card is packed too large, or cut off."""
    cards: list[tuple[int, bytes]] = []
    kept: list[_Chunk] = []
    unreadable: list[str] = []
    whole = False
    for chunk in _chunks(data):
        whole = chunk.kind == b"IEND"
        if not chunk.keyword:
            kept.append(chunk)
            continue
        if not chunk.intact:
            notes.add("The checksum of the card is wrong; it was read all the same.")
        if len(cards) < MOST_CARDS and (text := _text(chunk, source)):
            card = _decoded(text)
            if card is None:
                unreadable.append(chunk.keyword.decode())
            else:
                cards.append((_KEYWORDS.index(chunk.keyword), card))
    if unreadable and not cards:
        raise PersonaError(
            f"{source}: its card (chunk {unreadable[0]}) is not in base64, as cards are; "
            "get the original file or export it again."
        )
    for keyword in unreadable:
        notes.add(f"A card in the chunk {keyword} is not in base64 and was left out.")
    if not whole:
        notes.add("The picture is cut off or broken and was left out.")
        if not cards:
            raise PersonaError(
                f"{source}: the picture is cut off before its card; download it again."
            )
    is_picture = whole and kept[0].kind == b"IHDR" and any(c.kind == b"IDAT" for c in kept)
    return PngParts(
        cards=tuple(card for _, card in sorted(cards, key=lambda card: card[0])),
        picture=_written(kept) if is_picture else None,
    )


def _chunks(data: bytes) -> Iterator[_Chunk]:
    """The chunks up to IEND, or to where the file breaks off."""
    with PngStream(io.BytesIO(data)) as stream:
        assert stream.fp is not None
        stream.fp.seek(len(SIGNATURE))
        for _ in range(MOST_CHUNKS):
            try:
                kind, start, length = stream.read()
            except (SyntaxError, struct.error):
                return
            if start + length > len(data):
                return
            body = data[start : start + length]
            stream.fp.seek(start + length)
            try:
                stream.crc(kind, body)
                intact = True
            except SyntaxError:
                intact = False
            yield _Chunk(kind, body, intact)
            if kind == b"IEND":
                return


def _text(chunk: _Chunk, source: str) -> str:
    """The text of a chunk, empty if it cannot be read. Raises PersonaError on a bomb."""
    stream = PngStream(io.BytesIO(chunk.body))
    try:
        stream.call(chunk.kind, 0, len(chunk.body))
    except ValueError as error:
        raise PersonaError(
            f"{source}: its card unpacks to more than {MOST_TEXT // 1_000_000} MB; not read."
        ) from error
    except SyntaxError:
        return ""
    return next(iter(stream.im_text.values()), "")


def _decoded(text: str) -> bytes | None:
    """The JSON of a card: base64, sloppy or not, or (some write it so) as it is. None if it
    is neither."""
    if text.lstrip()[:1] in {"{", "["}:
        return text.encode("utf-8", "replace")
    plain = text.translate(_URL_SAFE).rstrip("= \r\n\0").encode("ascii", "ignore")
    try:
        card = binascii.a2b_base64(plain + b"==")
    except binascii.Error:
        return None
    odd = any(not (c.isascii() and (c.isalnum() or c in "+/-_= \r\n\t\0")) for c in text)
    return None if odd and b"{" not in card[:8] else card


_URL_SAFE = str.maketrans("-_", "+/")


def _written(chunks: Sequence[_Chunk]) -> bytes:
    out = io.BytesIO()
    out.write(SIGNATURE)
    for chunk in chunks:
        putchunk(out, chunk.kind, chunk.body)
    return out.getvalue()


def write_png(cards: Sequence[tuple[str, bytes]], picture: bytes | None, name: str) -> bytes:
    """A picture with cards in it, by keyword; without a picture of its own, a plain one.

    The cards stand at the front, so that a file cut off later still holds them. Raises
    PersonaError if `picture` is none.
    """
    if picture is None:
        picture = _plain_picture(name)
    elif not picture.startswith(SIGNATURE):
        picture = as_png(picture)
    chunks = [chunk for chunk in _chunks(picture or b"") if not chunk.keyword]
    if not chunks or chunks[0].kind != b"IHDR" or chunks[-1].kind != b"IEND":
        raise PersonaError(f"The picture of {name} is broken; put another in its place.")
    texts = [
        _Chunk(b"tEXt", keyword.encode() + b"\0" + base64.b64encode(card), intact=True)
        for keyword, card in cards
    ]
    return _written([chunks[0], *texts, *chunks[1:]])


def as_png(picture: bytes) -> bytes | None:
    """A picture of another common format as PNG, made smaller if it is large. None if it is
    none or too large to unpack."""
    try:
        with Image.open(io.BytesIO(picture), formats=("PNG", "JPEG", "WEBP")) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            small = image.convert("RGBA")
            small.thumbnail((SIDE, SIDE))
            out = io.BytesIO()
            small.save(out, "PNG")
    except (*_BROKEN, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
    return out.getvalue()


def _plain_picture(name: str) -> bytes:
    """A quiet colour that depends on the name alone."""
    hue = zlib.crc32(name.encode("utf-8", "replace")) % 360
    out = io.BytesIO()
    Image.new("RGB", (400, 600), f"hsl({hue}, 35%, 60%)").save(out, "PNG")
    return out.getvalue()
