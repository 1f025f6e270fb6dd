"""Makers of card files, sound and odd, as the programs out there write them."""

import base64
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable

SIGNATURE = b"\x89PNG\r\n\x1a\n"

Data = dict[str, object]


def data(**fields: object) -> Data:
    """The character of a card that lacks nothing V2 demands."""
    return {
        "name": "Mirela",
        "description": "{{char}} mends umbrellas in a tram depot.",
        "personality": "curious",
        "scenario": "It has rained since Tuesday.",
        "first_mes": "Is it broken, or only sulking, {{user}}?",
        "mes_example": "<START>\n{{user}}: Hello\n{{char}}: Shake it first.",
        "creator_notes": "Best in the evening.",
        "system_prompt": "Write as {{char}}.",
        "post_history_instructions": "Stay brief.",
        "alternate_greetings": ["You are dripping.", "Sit."],
        "tags": ["calm", "Rain"],
        "creator": "ines",
        "character_version": "1.2",
        "extensions": {"depth_prompt": {"prompt": "It is wet.", "depth": 3, "role": "system"}},
        **fields,
    }


def entry(**fields: object) -> Data:
    return {
        "keys": ["depot"],
        "content": "The depot has one dry corner.",
        "extensions": {},
        "enabled": True,
        "insertion_order": 10,
        **fields,
    }


def book(*entries: Data, **fields: object) -> Data:
    return {"extensions": {}, "entries": list(entries), **fields}


def v2(**fields: object) -> Data:
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data(**fields)}


def v3(**fields: object) -> Data:
    whole = data(group_only_greetings=[], **fields)
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": whole}


def text(card: object) -> bytes:
    return json.dumps(card, ensure_ascii=False).encode()


def chunk(kind: bytes, body: bytes, *, crc: int | None = None) -> bytes:
    check = zlib.crc32(kind + body) if crc is None else crc
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)


def t_ext(keyword: bytes, card: object) -> bytes:
    return chunk(b"tEXt", keyword + b"\0" + base64.b64encode(text(card)))


def z_txt(keyword: bytes, card: object) -> bytes:
    return chunk(b"zTXt", keyword + b"\0\0" + zlib.compress(base64.b64encode(text(card))))


def i_txt(keyword: bytes, card: object, *, packed: bool = False) -> bytes:
    body = base64.b64encode(text(card))
    body = zlib.compress(body) if packed else body
    return chunk(b"iTXt", keyword + b"\0" + bytes([packed, 0]) + b"\0\0" + body)


HEAD = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0))
PIXELS = chunk(b"IDAT", zlib.compress(b"\0\x10\x20\x30\x40\x50\x60"))
END = chunk(b"IEND", b"")


def png(*before: bytes, after: Iterable[bytes] = ()) -> bytes:
    """A picture of two pixels with chunks before and after them."""
    return b"".join([SIGNATURE, HEAD, *before, PIXELS, *after, END])


def charx(card: object, **files: bytes) -> bytes:
    """`files` by their names, with __ for a slash and _dot_ for a full stop."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", text(card))
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return out.getvalue()
