"""Reads the public emotion sets and puts their labels on the eight dimensions.

Every reader takes the folder that holds one sub-folder per set (see docs/emotion-model-card.md
for where the originals are to be had) and returns lines in the order of the file.
"""

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.emotion import DIMENSIONS

LANGUAGES: Final = ("en", "es", "fr", "it", "de", "ru", "br", "cn", "zh")
"""XED's file names; `br` is Brazilian Portuguese, `cn` simplified and `zh` traditional Chinese."""

XED: Final = (
    "anger",
    "anticipation",
    "disgust",
    "fear",
    "joy",
    "sadness",
    "surprise",
    "acceptance",  # XED calls it trust
)

GOEMOTIONS: Final[dict[str, tuple[str, ...]]] = {
    "admiration": ("acceptance",),
    "amusement": ("joy",),
    "anger": ("anger",),
    "annoyance": ("anger",),
    "approval": ("acceptance",),
    "caring": ("acceptance",),
    "desire": ("anticipation",),
    "disappointment": ("sadness",),
    "disapproval": ("anger",),
    "disgust": ("disgust",),
    "embarrassment": ("sadness",),
    "excitement": ("joy", "anticipation"),
    "fear": ("fear",),
    "gratitude": ("joy",),
    "grief": ("sadness",),
    "joy": ("joy",),
    "love": ("joy", "acceptance"),
    "nervousness": ("fear",),
    "optimism": ("anticipation",),
    "pride": ("joy",),
    "relief": ("joy",),
    "remorse": ("sadness",),
    "sadness": ("sadness",),
    "surprise": ("surprise",),
}
"""After Plutchik's wheel: admiration is strong trust, annoyance weak anger, love joy with trust,
optimism and desire look ahead, remorse and disappointment hold sadness. What is absent here
(confusion, curiosity, realization) is a state of knowing and has no place on the wheel."""

SEMEVAL: Final = ("anger", "anticipation", "disgust", "fear", "joy", "sadness", "surprise", "trust")
"""The columns of E-c that are on the wheel; love, optimism and pessimism are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A line and the dimensions people named; none of them and `neutral` where they said so."""

    text: str
    named: frozenset[str]
    neutral: bool = False
    fine: frozenset[str] = frozenset()  # GoEmotions' own labels

    @property
    def asks(self) -> bool:
        """GoEmotions' curiosity and nothing else: a plain question, without feeling."""
        return self.fine == {"curiosity"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """A sentence with what its readers felt. Both axes -1 .. +1; None where not rated."""

    text: str
    valence: float
    arousal: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The files of one set: those to learn from, and those to be asked about.

    Where every file is one to learn from, they are asked about too.
    """

    train: tuple[Path, ...]
    test: tuple[Path, ...]

    @property
    def is_split(self) -> bool:
        """Whether the files asked about are others than those to learn from."""
        return bool(self.train) and self.train != self.test


def parts(folder: Path, ending: str) -> Parts | None:
    """The files of a folder with this ending: `train` in the name tells what they are for.
    None where there is none."""
    files = tuple(sorted(folder.glob(f"*.{ending}")))
    train = tuple(file for file in files if "train" in file.stem.casefold())
    test = tuple(file for file in files if file not in train) or train
    return Parts(train=train, test=test) if files else None


def required(folder: Path, ending: str) -> Parts:
    """As `parts`. Raises FileNotFoundError where there is none."""
    found = parts(folder, ending)
    if found is None:
        raise FileNotFoundError(f"{folder} has no *.{ending}")
    return found


def xed_files(data: Path, language: str) -> Parts | None:
    """The files of `xed` whose name has the language among its words (`en.tsv`, `en-test.tsv`)."""
    found = parts(data / "xed", "tsv")
    if found is None:
        return None

    def ours(files: tuple[Path, ...]) -> tuple[Path, ...]:
        return tuple(f for f in files if language in re.split(r"[^a-z]+", f.stem.casefold()))

    train, test = ours(found.train), ours(found.test)
    return Parts(train=train, test=test or train) if train or test else None


def xed(files: Iterable[Path]) -> list[Labelled]:
    """Lines of XED without repeated ones; rows that are not `text TAB labels` are skipped.

    A line that occurs twice with other labels keeps the union of them.
    """
    found: dict[str, Labelled] = {}
    for line in _lines(files):
        cells = line.split("\t")
        if len(cells) != 2 or not cells[0].strip():
            continue
        named = frozenset(XED[int(number) - 1] for number in cells[1].split(","))
        key = cells[0].strip().casefold()
        if key in found:
            named |= found[key].named
        found[key] = Labelled(text=cells[0].strip(), named=named)
    return list(found.values())


def goemotions_labels(data: Path) -> list[str]:
    """GoEmotions' 28 labels by their number."""
    return (data / "goemotions" / "labels.txt").read_text(encoding="utf-8").split()


def goemotions(data: Path, files: Iterable[Path]) -> list[Labelled]:
    """Lines of GoEmotions on the eight, without repeated ones.

    Lines whose every label lies off the wheel are left out, but for plain questions.
    """
    names = goemotions_labels(data)
    found: dict[str, Labelled] = {}
    for line in _lines(files):
        text, numbers, _ = line.split("\t")
        labels = {names[int(number)] for number in numbers.split(",")}
        named = frozenset(d for label in labels for d in GOEMOTIONS.get(label, ()))
        entry = Labelled(
            text=text,
            named=named,
            neutral=not named and "neutral" in labels,
            fine=frozenset(labels),
        )
        if named or entry.neutral or entry.asks:
            found.setdefault(text.casefold(), entry)
    return list(found.values())


def semeval(files: Iterable[Path]) -> list[Labelled]:
    """SemEval-2018 E-c on the eight. Research use: for measuring alone."""
    return [
        Labelled(
            text=row["Tweet"],
            named=frozenset(
                "acceptance" if column == "trust" else column
                for column in SEMEVAL
                if row[column] == "1"
            ),
        )
        for row in _table(files, tabs=True)
    ]


def emobank(files: Iterable[Path]) -> list[Rated]:
    """EmoBank: 1..5 becomes -1..1. Share-alike (CC BY-SA 4.0)."""
    return [
        Rated(
            text=row["text"],
            valence=(float(row["V"]) - 3) / 2,
            arousal=(float(row["A"]) - 3) / 2,
        )
        for row in _table(files)
        if row["text"].strip()
    ]


def valence_tweets(files: Iterable[Path]) -> list[Rated]:
    """SemEval-2018 V-reg: 0..1 becomes -1..1. Research use: for measuring alone."""
    return [
        Rated(text=row["Tweet"], valence=2 * float(row["Intensity Score"]) - 1, arousal=None)
        for row in _table(files, tabs=True)
    ]


def _lines(files: Iterable[Path]) -> Iterator[str]:
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                yield line.rstrip("\n")


def _table(files: Iterable[Path], *, tabs: bool = False) -> Iterator[dict[str, str]]:
    """The rows of CSV files; with `tabs` of tab-separated ones, where quotes are only quotes."""
    for file in files:
        with file.open(encoding="utf-8", newline="") as lines:
            yield from (
                csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
                if tabs
                else csv.DictReader(lines)
            )


def fingerprint(texts: Iterable[str]) -> int:
    """64 bits that tell one list of lines from another."""
    digest = hashlib.blake2b("\n".join(texts).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def folds(texts: Sequence[str], count: int, seed: int) -> list[int]:
    """The fold of each line, 0..count-1; lines that differ in case, space or marks alone share one.

    The number is drawn from the line itself, so other lines never move it.
    """

    def fold(text: str) -> int:
        letters = "".join(c for c in text.casefold() if c.isalnum())
        digest = hashlib.blake2b(f"{seed}:{letters}".encode(), digest_size=4).digest()
        return int.from_bytes(digest, "big") % count

    return [fold(text) for text in texts]


def targets(lines: Iterable[Labelled]) -> list[tuple[int, ...]]:
    """The numbers of the named dimensions, in order, for each line."""
    return [tuple(i for i, d in enumerate(DIMENSIONS) if d in line.named) for line in lines]
