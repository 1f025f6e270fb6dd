"""Cheap features of the wording: what a sentence vector blurs (negation, emoji, shouting).

Features are hashed, so no word list ships. Training and scoring share this file: a change here
makes every shipped head worthless until it is trained again.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

BUCKETS: Final = 1 << 15

_PIECE: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+|[^\w\s]+|_+")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_VARIANTS: Final = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")  # of emoji: style, skin
_NEGATIONS: Final = frozenset(
    re.findall(
        r"\w+",
        "no not never none nobody nothing neither nor without cannot "  # en
        "nunca jamás nadie nada ni sin tampoco ne pas jamais rien personne sans non mai niente "
        "nessuno senza nicht kein keine keinen nie niemand nichts ohne не нет ни никогда "
        "não nem ninguém sem",
    )
)
_REACH: Final = 4  # words that a negation colours
_CLAUSE_END: Final = frozenset(".,;:!?…。\uff0c\uff01\uff1f")  # with the full-width ones


def _shape(text: str, pieces: list[str]) -> Iterator[str]:
    """Marks of the whole line: length, shouting, drawn-out letters, how it ends."""
    words = [piece for piece in pieces if piece[0].isalpha()]
    yield f"#words:{min(len(words), 3) if len(words) < 4 else 4 + len(words) // 8}"
    if sum(len(word) > 2 and word.isupper() for word in words) * 2 > len(words) > 0:
        yield "#shout"
    if re.search(r"([^\W\d])\1\1", text):
        yield "#drawn"
    if text.count("!") > 1:
        yield "#!!"
    if "?!" in text or "!?" in text:
        yield "#?!"
    if pieces and not pieces[-1][0].isalnum():
        yield f"#end:{pieces[-1][-1]}"


def _signs(piece: str) -> Iterator[str]:
    """A run of marks as a whole, and each of its signs."""
    yield f"s:{piece[:8]}"
    if len(piece) > 1:
        yield from (f"s:{c}" for c in dict.fromkeys(piece))


def _word(word: str, negated: bool) -> Iterator[str]:
    """A word, its negated twin, and its letter runs; script without spaces by characters."""
    if _UNSPACED.search(word):
        yield from (f"c:{c}" for c in word)
        yield from (f"c:{a}{b}" for a, b in pairwise(word))
        return
    yield f"w:{word}"
    if negated:
        yield f"n:{word}"
    if len(word) > 3:
        bounded = f"<{word}>"
        for size in (3, 4, 5):
            yield from (f"l:{bounded[i : i + size]}" for i in range(len(bounded) - size + 1))


def marks(text: str) -> list[str]:
    """All features of a text by name, in order of appearance; one that recurs is repeated."""
    text = _VARIANTS.sub("", unicodedata.normalize("NFC", text))
    pieces = _PIECE.findall(text)
    found = list(_shape(text, pieces))
    reach, before = 0, "<"
    for raw in pieces:
        piece = raw.casefold().replace("\u2019", "'")
        if not piece[0].isalnum():
            found.extend(_signs(piece))
            if piece[0] in _CLAUSE_END:
                reach, before = 0, "<"
            continue
        found.extend(_word(piece, reach > 0))
        found.append(f"b:{before} {piece}")
        before = piece
        reach = _REACH if piece in _NEGATIONS or piece.endswith("n't") else reach - 1
    return found


def hashed(text: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Bucket numbers, ascending and unique, and 1 + ln(count) for each. Empty for no marks."""
    numbers = [zlib.crc32(mark.encode()) % BUCKETS for mark in marks(text)]
    buckets, counts = np.unique(np.asarray(numbers, dtype=np.int64), return_counts=True)
    return buckets, (1 + np.log(counts)).astype(np.float32)


def spelled(text: str) -> str:
    """The text with emoji and heart signs in words, for an encoder that cannot read them.

    >>> spelled("so good 😂😂")
    'so good laughing laughing'
    """
    found = []
    for sign in _VARIANTS.sub("", text):
        if unicodedata.category(sign) != "So":
            found.append(sign)
            continue
        words = _SIGNS.get(sign) or unicodedata.name(sign, "").lower().replace("face", "")
        found.append(f" {words} ")
    return " ".join("".join(found).split())


_SIGNS: Final = {
    "❤": "love",
    "♥": "love",
    "💕": "love",
    "💖": "love",
    "😍": "love",
    "🥰": "love",
    "😘": "kisses",
    "😂": "laughing",
    "🤣": "laughing",
    "😆": "laughing",
    "😄": "happy",
    "😊": "happy",
    "😀": "happy",
    "🙂": "smiling",
    "🎉": "celebrating, hooray",
    "🥳": "celebrating, hooray",
    "👍": "good, agreed",
    "🙏": "please, thank you",
    "😭": "crying",
    "😢": "crying, sad",
    "😞": "sad, disappointed",
    "😔": "sad",
    "💔": "heartbroken",
    "😡": "furious, angry",
    "😠": "angry",
    "🤬": "cursing, furious",
    "😱": "screaming in fear",
    "😨": "scared",
    "😰": "anxious",
    "🤢": "disgusting",
    "🤮": "disgusting, vomiting",
    "😮": "surprised",
    "😲": "astonished",
    "🤯": "shocked, mind blown",
}
"""What common emoji say; the others are called by their Unicode name."""


ACKNOWLEDGEMENTS: Final = frozenset(
    re.findall(
        r"\w+",
        "ok okay k kk yes yep yeah yup ya no nope nah hm hmm mhm uh um oh ah sure right fine "
        "sí si vale bueno claro oui non ouais bien ja nein doch gut va bene sim não да нет "
        "好 好的 嗯 哦 是 是的 对 行 不 不是 没有",
    )
)


def only_acknowledges(text: str) -> bool:
    """Whether a text is one word that says no more than yes, no or heard: it has no feeling."""
    return text.strip(" .\u3002").casefold() in ACKNOWLEDGEMENTS
