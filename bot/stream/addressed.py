"""Whom a line calls: "Senga, no, Alex never moved!" says nothing of Senga, and begins with "no"."""

import re
from collections.abc import Iterable

from bot.names.forms import forms, skeleton

_BEGINNING = re.compile(r"^\W*(?P<words>[^,，.!?]{1,40})[,，]\s*")
_ENDING = re.compile(r"[,，]\s*(?P<words>[^,，.!?]{1,40})(?P<end>[.!?]*)\s*$")
_LEAD_IN = re.compile(
    r"\b(?:hello|hi|hey|oh|ah|well|so|by\s+the\s+way|btw|you\s+know|listen|guess\s+what|dear"
    r"|hola|oye|oiga|bueno|pues|sabes|por\s+cierto|querid[oa])\b|你好|嗨|对了|喂|哎",
    re.IGNORECASE,
)


def called_forms(names: Iterable[str]) -> frozenset[str]:
    """What people of these names may be called by."""
    return frozenset(form for name in names for form in forms(name))


def unaddressed(sentence: str, called: frozenset[str]) -> str:
    """The sentence without whom it calls, and without the words that one begins with. `called`
    are the forms of names of those who are there."""
    sentence = " ".join(sentence.split())  # long gaps would cost the patterns a long time
    while (begun := _BEGINNING.match(sentence)) and _calls(begun["words"], called):
        sentence = sentence[begun.end() :]
    if (ended := _ENDING.search(sentence)) and _calls(ended["words"], called):
        sentence = sentence[: ended.start()] + ended["end"]
    return sentence


def _calls(words: str, called: frozenset[str]) -> bool:
    rest = skeleton(_LEAD_IN.sub(" ", words))
    return not rest or rest in called
