"""Reads the public emotion sets and puts their labels on the eight dimensions.

Every reader takes the folder that holds one sub-folder per set (see docs/emotion-model-card.md
for where the originals are to be had) and returns lines in the order of the file.
"""

import csv
import hashlib
from collections.abc import Iterable, Sequence
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


def xed(data: Path, language: str) -> list[Labelled]:
    """One language of XED without repeated lines; rows that are not `text TAB labels` are skipped.

    A line that occurs twice with other labels keeps the union of them.
    """
    found: dict[str, Labelled] = {}
    with (data / "xed" / f"{language}.tsv").open(encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
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


def goemotions(data: Path, part: str) -> list[Labelled]:
    """`train` or `dev` of GoEmotions on the eight, without repeated lines.

    Lines whose every label lies off the wheel are left out, but for plain questions.
    """
    names = goemotions_labels(data)
    found: dict[str, Labelled] = {}
    with (data / "goemotions" / f"{part}.tsv").open(encoding="utf-8") as lines:
        for line in lines:
            text, numbers, _ = line.rstrip("\n").split("\t")
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


def semeval(data: Path, part: str) -> list[Labelled]:
    """`train` or `dev` of SemEval-2018 E-c on the eight. Research use: for measuring alone."""
    with (data / "semeval2018_ec" / f"{part}.txt").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Labelled(
            text=row["Tweet"],
            named=frozenset(
                "acceptance" if column == "trust" else column
                for column in SEMEVAL
                if row[column] == "1"
            ),
        )
        for row in rows
    ]


def emobank(data: Path) -> list[Rated]:
    """EmoBank's train and dev: 1..5 becomes -1..1. Share-alike (CC BY-SA 4.0)."""
    path = data / "emobank" / "emobank_train_dev.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [
        Rated(
            text=row["text"],
            valence=(float(row["V"]) - 3) / 2,
            arousal=(float(row["A"]) - 3) / 2,
        )
        for row in rows
        if row["text"].strip()
    ]


def valence_tweets(data: Path) -> list[Rated]:
    """SemEval-2018 V-reg, train and dev: 0..1 becomes -1..1. Research use: for measuring alone."""
    found: list[Rated] = []
    for part in ("train", "dev"):
        path = data / "semeval2018_vreg" / f"Valence-reg-En-{part}.txt"
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                score = float(row["Intensity Score"])
                found.append(Rated(text=row["Tweet"], valence=2 * score - 1, arousal=None))
    return found


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
