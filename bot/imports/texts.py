"""Bytes of a file as text, whatever editor or phone wrote them."""

import codecs

from bot.errors import ImportFileError

MOST_BYTES = 500_000_000
"""A larger file does not fit into the memory of a small machine."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096  # bytes that are looked at to tell UTF-16 without a mark, and binary files
_MOST_CONTROLS = 0.02  # share of control characters above which it is no text


def decode(data: bytes, name: str) -> tuple[str, list[str]]:
    """The text of a file, and warnings about its encoding.

    UTF-8 with or without a mark, UTF-16 and UTF-32, else Windows-1252. Raises
    ImportFileError for a file that is empty, too large, packed or no text.
    """
    if len(data) > MOST_BYTES:
        raise ImportFileError(
            f"{name}: has {len(data) / 1e6:.0f} MB, more than the {MOST_BYTES / 1e6:.0f} MB that"
            " can be read at once; export a shorter period or split it."
        )
    if data.startswith(b"PK\x03\x04"):
        raise ImportFileError(f"{name}: is a ZIP archive; unpack it and import the file inside.")
    text, warnings = _decoded(data)
    if not text.strip("\ufeff\x00 \t\r\n"):
        raise ImportFileError(f"{name}: is empty; export the conversation or the card again.")
    if _is_binary(text[:_SAMPLE]):
        raise ImportFileError(
            f"{name}: is not a text file; import an exported .txt, .json or .jsonl file."
        )
    return text, warnings


def _decoded(data: bytes) -> tuple[str, list[str]]:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _with_gaps(data[len(mark) :], encoding)
    if guess := _unmarked_utf16(data[:_SAMPLE]):
        return _with_gaps(data, guess)
    text, warnings = _with_gaps(data, "utf-8")
    if warnings and _mostly_broken(text):
        return _western(data)
    return text, warnings


def _with_gaps(data: bytes, encoding: str) -> tuple[str, list[str]]:
    try:
        return data.decode(encoding), []
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        return text, [f"Some characters are broken {encoding.upper()} and were replaced by \ufffd."]


def _mostly_broken(text: str) -> bool:
    """A damaged UTF-8 file has a few gaps among good letters; another encoding has no
    good ones."""
    gaps = text.count("\ufffd")
    good = len(text) - gaps - sum(character < "\x80" for character in text)
    return gaps * 10 > good


def _western(data: bytes) -> tuple[str, list[str]]:
    warning = (
        "The file is not UTF-8 and was read as Windows-1252;"
        " if letters look wrong, save it as UTF-8 and import it again."
    )
    try:
        return data.decode("cp1252"), [warning]
    except UnicodeDecodeError:
        return data.decode("latin-1"), [warning]


def _unmarked_utf16(sample: bytes) -> str:
    """Latin text in UTF-16 has a zero in every other byte."""
    half = len(sample) // 2
    if half < 2:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > half * 0.4 and even < half * 0.1:
        return "utf-16-le"
    if even > half * 0.4 and odd < half * 0.1:
        return "utf-16-be"
    return ""


def _is_binary(sample: str) -> bool:
    controls = sum(character < " " and character not in "\t\n\r\x0b\x0c" for character in sample)
    return controls > len(sample) * _MOST_CONTROLS
