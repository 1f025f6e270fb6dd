"""Who is called in one breath: "Ida and Otto, what do you think?" speaks to both."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.persona import Persona
from bot.text import place_of_name

COMMAS = frozenset(",\uff0c")
JOINING = frozenset(
    ("and", "&", "+", "y", "e", "und", "et", "\u548c", "\u4e0e", "\u8ddf", "\u53ca", "\u3001")
)
"""Words that join names: English, Spanish, German, French, Chinese."""

ENDINGS = frozenset(",?!.:;\uff0c\uff1f\uff01\u3002\uff1a\uff1b")
"""What may follow names that only commas join, if all of them are called."""


def called_together(text: str, present: Sequence[Persona]) -> list[Persona]:
    """The personas whose names stand side by side where a text first names one of them, in
    that order; empty if it names one alone.

    A comma by itself joins only names that end a call: "Ida, Otto: hello" speaks to both,
    "Ida, Otto is late" to one.
    """
    folded = text.casefold()
    found = [_standing(persona, folded) for persona in present]
    named = sorted((one for one in found if one is not None), key=lambda one: one.begin)
    if len(named) < 2:
        return []
    links = [folded[one.end : other.begin].strip() for one, other in pairwise(named)]
    joins = [link in COMMAS or link.lstrip(",\uff0c ") in JOINING for link in links]
    length = 1 + (joins.index(False) if False in joins else len(joins))
    rest = folded[named[length - 1].end :].lstrip()
    is_joined = any(link not in COMMAS for link in links[: length - 1])
    if length < 2 or not (is_joined or not rest or rest[0] in ENDINGS):
        return []
    return [one.persona for one in named[:length]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """Where a persona is first named in a text, in characters."""

    begin: int
    end: int
    persona: Persona


def _standing(persona: Persona, folded: str) -> _Standing | None:
    places = [
        (place_of_name(folded, name), -len(name.casefold().strip())) for name in persona.names
    ]
    standing = [one for one in places if one[0] >= 0]
    if not standing:
        return None
    begin, length = min(standing)  # of names that begin together the longest
    return _Standing(begin=begin, end=begin - length, persona=persona)
