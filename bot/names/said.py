"""Which names a line says, and how: called out, told of, introduced, or "the other one"."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from bot.names.forms import skeleton
from bot.names.words import (
    ALSO_WORDS,
    GREETING,
    INTRODUCED,
    NO_PERSON,
    OF_A_PERSON,
    OTHER,
    OWN_RELATION,
)
from bot.stream.news import own_words
from bot.stream.relation_words import RELATIONS

MOST_LOOKED_UP: Final = 80
MOST_NAMES: Final = 6
LONGEST_NAME: Final = 3  # words
LONGEST_HAN: Final = 4  # characters
SHORTEST_UNCASED: Final = 3
LONGEST_WORD: Final = 40
MOST_SAID: Final = 200
"""Of one name said again and again so many are looked at."""

_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_ENDS: Final = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSaid:
    """A name in a line. `name` is as written, `form` what it is looked up by.

    `is_called`: somebody is spoken to by it. `is_introduced`: "a guy called Alex".
    `is_other`: "the other Alex". `relation`: "my sister Alex". `is_person`: the words around
    it say that it names somebody.
    """

    name: str
    form: str
    position: int
    is_called: bool = False
    is_introduced: bool = False
    is_other: bool = False
    relation: str = ""
    is_person: bool = False


@dataclass(frozen=True, slots=True)
class _Run:
    """One or more words of a line that may be a name."""

    text: str
    start: int
    end: int
    cased: bool


def to_look_up(text: str) -> list[str]:
    """The forms that a line may call somebody by, for the memory to say who bears them."""
    found = (skeleton(run.text) or run.text for run in _runs(own_words(text)))
    return [form for form in dict.fromkeys(found) if form][:MOST_LOOKED_UP]


def names_said(text: str, known: Collection[str]) -> list[NameSaid]:
    """The names that a line says, in order, each form once. `known` are forms that somebody
    bears here; other names count only where the words around them tell a person."""
    line = _Line.of(own_words(text))
    taken: list[tuple[int, int]] = []
    found: dict[str, NameSaid] = {}
    for run in sorted(_runs(line.words), key=lambda r: (r.start - r.end, r.start)):  # longest first
        form = skeleton(run.text) or run.text
        is_person = any(skeleton(name).startswith(form) for name in line.persons.get(run.start, ()))
        if not (form in known and _may_name(run, line.words)) and not (
            is_person and run.cased and _is_new_name(run.text)
        ):
            continue
        if any(start < run.end and run.start < end for start, end in taken):
            continue
        taken.append((run.start, run.end))
        if form not in found or found[form].position > run.start:
            found[form] = line.said(run, form, is_person=is_person)
        if len(taken) == MOST_SAID:
            break
    return sorted(found.values(), key=lambda one: one.position)[:MOST_NAMES]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line with what its words tell of names, by the position of the name: each pattern is
    looked for once, however many names there are."""

    words: str
    persons: Mapping[int, Sequence[str]]
    relations: Mapping[int, str]
    introduced: Collection[int]
    others: Collection[int]

    @classmethod
    def of(cls, words: str) -> Self:
        persons: dict[int, list[str]] = {}
        for pattern in OF_A_PERSON:
            for match in pattern.finditer(words):
                persons.setdefault(match.start("name"), []).append(_end(match["name"]))
        return cls(
            words=words,
            persons=persons,
            relations={m.start("name"): m["word"] for m in OWN_RELATION.finditer(words)},
            introduced={m.start("name") for m in INTRODUCED.finditer(words)},
            others={m.start("name") for m in OTHER.finditer(words)},
        )

    def said(self, run: _Run, form: str, *, is_person: bool) -> NameSaid:
        own = self.relations.get(run.start)
        return NameSaid(
            name=run.text,
            form=form,
            position=run.start,
            is_called=_is_called(run, self.words),
            is_introduced=run.start in self.introduced,
            is_other=run.start in self.others,
            relation=RELATIONS[own.casefold()] if own else "",
            is_person=is_person,
        )


def _runs(words: str) -> Iterator[_Run]:
    """Words, up to three in a row, runs of Chinese characters, and emoji."""
    tokens = list(_WORD.finditer(words))
    uncased = not any(c.isupper() for c in words)
    for number, first in enumerate(tokens):
        if _is_han(first[0][0]):
            yield from _han(first)
            continue
        end = first.end()
        for token in tokens[number : number + LONGEST_NAME]:
            if token is not first and words[end : token.start()].strip(" ._-"):
                break
            cut = token.start() + len(_end(token[0]))
            text = words[first.start() : cut]
            cased = first[0][0].isupper()
            if cased or uncased or not first[0].isascii() or any(c.isdigit() for c in text):
                yield _Run(text, first.start(), cut, cased)
            end = token.end()
            if cut != end:
                break
    for match in re.finditer(r"[^\w\s]+", words):
        symbols = "".join(c for c in match[0] if unicodedata.category(c) in {"So", "Sk"})
        if symbols:
            yield _Run(symbols, match.start(), match.end(), cased=True)


def _han(token: re.Match[str]) -> Iterator[_Run]:
    text, start = token[0], token.start()
    for at in range(len(text)):
        for length in range(1, LONGEST_HAN + 1):
            if at + length <= len(text):
                yield _Run(text[at : at + length], start + at, start + at + length, cased=True)


def _is_han(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af"


def _end(word: str) -> str:
    """Without the sign of the genitive."""
    return _ENDS.sub("", word)


def _may_name(run: _Run, words: str) -> bool:
    """Whether a word that is somebody's name is used as one here."""
    folded = run.text.casefold()
    if folded in NO_PERSON:
        return False
    if not run.cased and run.text.isascii() and not any(c.isdigit() for c in folded):
        return len(folded) >= SHORTEST_UNCASED and folded not in ALSO_WORDS
    begins = not words[: run.start].strip() or words[: run.start].rstrip()[-1:] in {".", "!", "?"}
    after = words[run.end :].lstrip()[:1]
    return not (folded in ALSO_WORDS and begins and after not in {",", "!", ""})


def _is_new_name(text: str) -> bool:
    return not any(word.casefold() in NO_PERSON for word in text.split())


def _is_called(run: _Run, words: str) -> bool:
    """Whether somebody is spoken to: the name stands alone between pauses."""
    before, after = words[: run.start].rstrip(), words[run.end :].lstrip()
    last = (re.findall(r"[^\W_]+", before[-LONGEST_WORD:]) or [""])[-1].casefold()
    opens = not before or before[-1] in ",.!?;:，。！？" or last in GREETING
    closes = not after or after[0] in ",.!?;:，。！？"
    alone = not before and not after
    return (opens and closes) and (
        alone or bool(before) or after[:1] in {",", "!", "，", "！", "."}
    )
