"""Relation words in what people say of themselves: "my sister Ana", "you are my friend".

A speaker tells who others are to *them*, nothing else: what somebody says about other
people's relations is hearsay. Questions, denials, wishes and former relations do not count.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.stream.relation_words import CHINESE_WORDS, OTHER_WORDS, RELATIONS
from bot.text import clean

MOST_NAMES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationSaid:
    """What somebody is to the speaker: an English word. `name` is empty for whoever is
    spoken to."""

    word: str
    name: str = ""


_WORDS = "|".join(map(re.escape, OTHER_WORDS))
_HAN = "|".join(CHINESE_WORDS)
_KIND = r"(?:(?:best|good|dear|old|older|elder|younger|little|big|twin|half|mejor|gran|querid[oa]"
_KIND += r"|beste[rn]?|gute[rn]?|liebe[rn]?|kleine[rn]?|große[rn]?)\s+){0,2}"
_MINE = r"(?:my|our|mi|nuestr[oa]|mein|meine|unser|unsere)"
_NAME = r"(?P<name>[^\W\d_a-zß-öø-ÿ][\w'’-]+)"
_AFTER = r"(?:\s+(?:mayor|menor))?,?\s+"

_OF_NAMED = (
    re.compile(rf"\b(?i:{_MINE})\s+(?i:{_KIND})(?P<word>(?i:{_WORDS})){_AFTER}{_NAME}"),
    re.compile(
        rf"{_NAME}(?i:,?\s+(?:is|es|ist)\s+{_MINE}\s+{_KIND})(?P<word>(?i:{_WORDS}))\b",
    ),
)
_OF_YOU = (
    re.compile(
        rf"\b(?:you(?:'re|’re|\s+are)|eres|du\s+bist|sie\s+sind)\s+(?:like\s+|como\s+|wie\s+)?"
        rf"(?:{_MINE}|an?|the|such\s+a|un|una|ein|eine)\s+{_KIND}(?P<word>{_WORDS})"
        rf"(?:\s+(?:to\s+me|para\s+mí|für\s+mich))?(?=\W*(?:$|[.!,;]|\b(?:now|and|ever|too|y|und)\b))",
        re.IGNORECASE,
    ),
    re.compile(rf"你(?:真的?)?是我(?:的)?(?:最?好(?:的)?)?(?P<word>{_HAN})"),
)
_NOT_SO = re.compile(
    r"[?？吗]|\b(?:not|n't|never|no|nunca|nicht|kein\w*|if|si|wenn|was|were|era|fue|war|ex|former"
    r"|wish|wants?|ojalá|used|like\s+to|would|could|hope)\b|n['’]t\b|[不没]|前任|以前|曾经|如果",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?。！？\n])")


def relations_said(text: str, names: Sequence[str] = ()) -> list[RelationSaid]:
    """What a message says about who others are to its speaker. `names` are names known
    here: Chinese ones are found by them alone."""
    found: dict[str, RelationSaid] = {}
    for sentence in _SENTENCE.split(clean(text)[:2000]):
        if _NOT_SO.search(sentence):
            continue
        for said in (*_named(sentence), *_chinese(sentence, names), *_addressed(sentence)):
            found.setdefault(said.name.casefold(), said)
    return list(found.values())


def _named(sentence: str) -> Iterator[RelationSaid]:
    for pattern in _OF_NAMED:
        for match in pattern.finditer(sentence):
            yield RelationSaid(word=RELATIONS[match["word"].casefold()], name=match["name"])


def _addressed(sentence: str) -> Iterator[RelationSaid]:
    for pattern in _OF_YOU:
        if match := pattern.search(sentence):
            yield RelationSaid(word=RELATIONS[match["word"].casefold()])


def _chinese(sentence: str, names: Sequence[str]) -> Iterator[RelationSaid]:
    known = [re.escape(n) for n in names[:MOST_NAMES] if len(n.strip()) > 1 and n in sentence]
    if not known:
        return
    name = f"(?P<name>{'|'.join(sorted(known, key=len, reverse=True))})"
    for pattern in (
        rf"我(?:的)?(?:最?好(?:的)?)?(?P<word>{_HAN})(?:叫|是)?\s*{name}",
        rf"{name}是我(?:的)?(?:最?好(?:的)?)?(?P<word>{_HAN})",
    ):
        for match in re.finditer(pattern, sentence):
            yield RelationSaid(word=RELATIONS[match["word"]], name=match["name"])
