"""Under which forms a name is known, so that people are found by what others call them."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

SHORTEST_FORM: Final = 2
"""A single letter is in every other line; a single Chinese character is a name."""

MOST_FORMS: Final = 4

# Letters of other scripts, and digits, that are read as a Latin letter.
_LOOKALIKES: Final = str.maketrans(
    "асеорхукнмтвіјѕԁɡαοινρτ01345$@", "aceopxykhmtbijsdgaoivptoleassa"
)
_WORDS: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DIGITS: Final = re.compile(r"(?<=\D)\d+$")


def skeleton(text: str) -> str:
    """A name without decoration: words in lower case, Latin letters without accents; empty
    where there is neither letter nor digit."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(_unaccented(word) for word in _WORDS.findall(plain))


def forms(name: str) -> list[str]:
    """What somebody of this display name may be called: the whole name, its first word, both
    without digits at the end. A name of emoji alone is called by these; an empty one by
    nothing."""
    whole = skeleton(name)
    if not whole:
        symbols = "".join(c for c in name if unicodedata.category(c) in {"So", "Sk"})
        return [symbols] if symbols else []
    first = whole.split()[0]
    found = [whole, first, _DIGITS.sub("", whole).strip(), _DIGITS.sub("", first)]
    return [form for form in dict.fromkeys(found) if _is_long_enough(form)][:MOST_FORMS]


@lru_cache(maxsize=4096)  # a prompt asks for the same few names again and again
def looks_like(name: str) -> str:
    """A key under which names are equal that readers take for each other: "Аlex" with a
    Cyrillic letter, "A1ex" and "Alex"."""
    whole = skeleton(name).replace(" ", "")
    if not any(c.isalpha() for c in whole):
        return whole
    return unicodedata.normalize("NFKC", whole).translate(_LOOKALIKES)


def _unaccented(word: str) -> str:
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word)
    if not any("a" <= c <= "z" for c in parts):
        return word
    return "".join(c for c in parts if not unicodedata.combining(c))


def _is_long_enough(form: str) -> bool:
    return len(form) >= SHORTEST_FORM or (len(form) == 1 and ord(form) > 0x2E80)
