"""Text from people and models, made safe to show and to quote; how long it is in tokens."""

import math
import re
import unicodedata

NAME_LENGTH = 40
"""Longer display names are cut in prompts and lists."""

ITEM_LENGTH, STATE_LENGTH = 60, 160
"""A thing in a scene and its state may be this long."""

CHARACTERS_PER_TOKEN = 3.6
"""ASCII characters per token, a little below what common tokenizers reach in English."""

_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
_STRUCTURE = frozenset(':\uff1a"<>[]{}|`#*')
_WORD = re.compile(r"\w+")


def clean(text: str) -> str:
    """The text without control characters, direction overrides and lone surrogates.

    Newlines and tabs stay; runs of more than two empty lines become two.
    """
    text = text.encode("utf-8", "ignore").decode("utf-8").replace("\r\n", "\n")
    return re.sub(r"\n{4,}", "\n\n\n", _INVISIBLE.sub("", text)).strip()


def clean_name(name: str, fallback: str = "someone", most: int = NAME_LENGTH) -> str:
    """A display name fit for a label: one line, no colon, stacked accents thinned, of at most
    `most` characters.

    Names that would read as a role of the prompt get a sign that they are a nickname.
    """
    flat = " ".join(clean(unicodedata.normalize("NFC", name)).split())
    flat = "".join(c for c in flat if not unicodedata.combining(c) and c not in _STRUCTURE)
    flat = flat[:most].strip()
    if flat.casefold() in {"system", "assistant", "user", "developer", "tool"}:
        return f"~{flat}"
    return flat or fallback


def tokens(text: str) -> int:
    """About how many tokens a text fills: never far too few, whatever the script."""
    plain = len(text.encode("ascii", "ignore"))
    return math.ceil(plain / CHARACTERS_PER_TOKEN + 1.1 * (len(text) - plain))


def counted(number: int, one: str, many: str = "") -> str:
    """ "1 message", "2 messages"."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def shorten(text: str, most: int) -> str:
    """The text if it fills at most `most` tokens, else its beginning and end around a gap."""
    if len(text) <= most or tokens(text) <= most:
        return text
    characters = max(int(most * len(text) / max(tokens(text[:4000]) * len(text) / 4000, 1)), 8)
    if len(text) <= 4000:
        characters = max(int(len(text) * most / tokens(text)), 8)
    head = characters * 2 // 3
    return f"{text[:head].rstrip()} […] {text[len(text) - (characters - head) :].lstrip()}"


def same_text(text: str) -> str:
    """A key under which texts that read alike are equal: words only, case folded."""
    return " ".join(_WORD.findall(text.casefold()))


def mentions_name(text: str, name: str) -> bool:
    """Whether a name stands in a text as a word of its own, whatever its case.

    Names in scripts without spaces count wherever they stand.
    """
    return place_of_name(text, name) >= 0


def place_of_name(text: str, name: str) -> int:
    """Where a name first stands in a text, in characters; -1 if it does not."""
    folded, wanted = text.casefold(), name.casefold().strip()
    if not wanted or wanted not in folded:
        return -1
    if any(_is_unspaced(c) for c in wanted):
        return folded.find(wanted)
    found = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", folded)
    return found.start() if found else -1


def _is_unspaced(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af"
