"""Trains the emotion heads that ship: `python -m benchmarks.train_emotion --data DIR`.

Writes adapters/emotion/weights and prints how good each part is on lines it has not seen. `DIR`
holds `xed`, `goemotions` and `emobank`; docs/emotion-model-card.md says where to get them. Seeds
are fixed and one thread is used, so the same data give the same figures to the third decimal.
`--cache DIR` keeps sentence vectors between runs, `--only NAME` trains one encoder's heads,
`--keep-corrections` takes the encoder's corrections from the shipped file.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from adapters.emotion.heads import load, save, shares
from adapters.emotion.local import (
    ENGLISH,
    HEADS,
    MULTILINGUAL,
    WEIGHTS,
    axes_file,
    corrections,
)
from adapters.emotion.tuned import Corrections
from benchmarks import emotion_data as sets
from benchmarks.emotion_data import Labelled, Rated, targets
from benchmarks.emotion_drills import drills
from benchmarks.emotion_fit import Softmax
from benchmarks.emotion_folds import axes_by_folds, speech_by_folds
from benchmarks.emotion_measures import correlation, macro_f1, one_hot
from benchmarks.emotion_plain import plain
from benchmarks.emotion_recipe import (
    fit_axes,
    fit_kinds,
    lesson,
    sample,
    usual_kinds,
    wanted,
    without_wording,
)
from benchmarks.emotion_tuning import Tuned, tune
from benchmarks.emotion_vectors import Vectors, encoder_vectors, tuned_vectors

SEED: Final = 0
TUNED_ON: Final = 24_000
"""Posts that the corrections are learnt from; an epoch over them takes about five minutes."""

POSTS: Final = {ENGLISH: TUNED_ON, MULTILINGUAL: 3_000}
DRILLS: Final = {ENGLISH: 2_000, MULTILINGUAL: 500}
GATE_POSTS: Final = 6_000  # for telling speech from posts
RATED: Final = {ENGLISH: 100_000, MULTILINGUAL: 1_000}
SPEECH: Final = {"en": 1_000, "es": 3_000, "fr": 1_500, "de": 1_500, "cn": 1_500, "zh": 1_500}
"""At most so many lines of each language the multilingual heads learn from: the encoder takes
20 to 40 ms a line on one core. XED's other languages are new to them."""


Floats = NDArray[np.float64]


def main() -> None:
    """Reads the arguments and trains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--only", choices=HEADS)
    parser.add_argument("--keep-corrections", action="store_true")
    asked = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # sums in another order differ in the last digits
    for name in (asked.only,) if asked.only else HEADS:
        train(name, asked.data, asked.cache, keep=asked.keep_corrections)


def train(name: str, data: Path, cache: Path | None, *, keep: bool) -> None:
    """Fits, writes and reports the heads of one encoder. Takes minutes to an hour."""
    files = sets.required(data / "goemotions", "tsv")
    everything = sets.goemotions(data, files.train)
    posts = sample(everything, POSTS[name], SEED)
    vectors: tuple[Vectors, ...] = (encoder_vectors(name, cache),)
    arrays: dict[str, NDArray[np.generic]] = {}
    head = None
    if name == ENGLISH:
        found = _shipped() if keep else _tuned(posts, sets.goemotions_labels(data))
        vectors += (tuned_vectors(found.corrections, cache),)
        arrays = arrays_of(found)
        head = Softmax(
            dense_w=found.head.astype(np.float64),
            words_w=np.zeros((0, found.head.shape[1])),
            bias=found.bias - levelled(posts, everything),
        )
    some = sample(posts, GATE_POSTS, SEED) if name == ENGLISH else posts
    sampled = lesson(some, dense(vectors, [line.text for line in some]))
    speech = {language: speech_lines(data, name, language) for language in _languages(name)}
    inputs = {lang: dense(vectors, [x.text for x in lines]) for lang, lines in speech.items()}
    spoken = [line for lines in speech.values() for line in lines]
    taught = [*drills(DRILLS[name], SEED), *(plain() if name == MULTILINGUAL else ())]
    kinds = fit_kinds(
        lesson(spoken, np.concatenate(list(inputs.values()))),
        lesson(everything) if head else without_wording(everything),
        sampled,
        lesson(taught, dense(vectors, [line.text for line in taught])),
        head,
    )
    rated = rated_lines(data, name)
    of_rated = dense(vectors, [line.text for line in rated])
    axes_file(name).parent.mkdir(parents=True, exist_ok=True)
    arrays["seen"] = fingerprints([xed_lines(data, lang) for lang in speech] + [everything])
    save(WEIGHTS / f"{name}.npz", {"kinds": kinds}, **arrays)
    save(axes_file(name), {"axes": fit_axes(rated, of_rated)}, seen=fingerprints([all_rated(data)]))
    for language, lines in speech.items():
        report_speech(language, lines, speech_by_folds(lines, inputs[language], seed=SEED))
    report_axes(rated, axes_by_folds(rated, of_rated, seed=SEED))
    if name == ENGLISH:
        dev = sets.goemotions(data, files.test)
        texts = [line.text for line in dev]
        shipped = load(WEIGHTS / f"{name}.npz", "kinds")
        outputs = shipped.outputs(dense(vectors, texts).astype(np.float32), texts)
        report_posts(dev, shares(outputs))


def levelled(posts: Sequence[Labelled], everything: Sequence[Labelled]) -> Floats:
    """By how much a head that learnt from `posts` overrates each kind, in logits."""
    return np.log(usual_kinds(posts)) - np.log(usual_kinds(everything))


def arrays_of(found: Tuned) -> dict[str, NDArray[np.generic]]:
    """What is kept of the tuning: the corrections as they are used, and its head."""
    arrays: dict[str, NDArray[np.generic]] = {"head": found.head, "bias": found.bias}
    for layer, (out, into) in found.corrections.items():
        arrays[f"out/{layer}"], arrays[f"into/{layer}"] = _half(out), _half(into)
    return arrays


def _shipped() -> Tuned:
    with np.load(WEIGHTS / f"{ENGLISH}.npz", allow_pickle=False) as file:
        return Tuned(corrections=corrections(), head=file["head"], bias=file["bias"])


def dense(vectors: Sequence[Vectors], texts: Sequence[str]) -> Floats:
    """The vectors of all encoders side by side, shape (n, d)."""
    return np.concatenate([found(texts) for found in vectors], axis=1).astype(np.float64)


def halved(found: Corrections) -> Corrections:
    """The corrections as they ship: in half precision, so that the heads fit what is loaded."""
    return {
        name: (_half(out).astype(np.float32), _half(into).astype(np.float32))
        for name, (out, into) in found.items()
    }


def _half(array: NDArray[np.float32]) -> NDArray[np.float16]:
    return array.astype(np.float16)


def _tuned(posts: Sequence[Labelled], names: Sequence[str]) -> Tuned:
    """What the last epoch found, told both the nine kinds and GoEmotions' own labels."""
    torch.set_num_threads(1)
    fine = np.zeros((len(posts), len(names)), dtype=np.float32)
    for row, line in zip(fine, posts, strict=True):
        row[[names.index(name) for name in line.fine]] = 1 / len(line.fine)
    goals = [wanted(posts, 9).astype(np.float32), fine]
    *_, last = tune([line.text for line in posts], goals, seed=SEED)
    return replace(last, corrections=halved(last.corrections))


def _languages(name: str) -> Sequence[str]:
    return ("en",) if name == ENGLISH else tuple(SPEECH)


def speech_lines(data: Path, name: str, language: str) -> list[Labelled]:
    """The lines of a language to learn from: all for the fast encoder, else the most it bears."""
    lines = xed_lines(data, language)
    most = len(lines) if name == ENGLISH else SPEECH[language]
    chosen = np.random.default_rng(SEED).permutation(len(lines))[:most]
    return [lines[at] for at in np.sort(chosen)]


def xed_lines(data: Path, language: str) -> list[Labelled]:
    """All lines of a language to learn from. Raises FileNotFoundError if there are none."""
    files = sets.xed_files(data, language)
    if files is None:
        raise FileNotFoundError(f"{data / 'xed'} has no file for {language!r}")
    return sets.xed(files.train or files.test)


def all_rated(data: Path) -> list[Rated]:
    """EmoBank's lines to learn from. Raises FileNotFoundError if there are none."""
    files = sets.required(data / "emobank", "csv")
    return sets.emobank(files.train or files.test)


def rated_lines(data: Path, name: str) -> list[Rated]:
    """Those of them that an encoder's head learns from."""
    return all_rated(data)[: RATED[name]]


def fingerprints(lists: Sequence[Sequence[Labelled] | Sequence[Rated]]) -> NDArray[np.uint64]:
    """What tells the bench which lists of lines a head has seen."""
    found = [sets.fingerprint(line.text for line in lines) for lines in lists]
    return np.asarray(found, dtype=np.uint64)


def report_speech(language: str, lines: Sequence[Labelled], logits: Floats) -> None:
    """Macro-F1 over the one-label lines, each answered by a head that had not seen it."""
    one = np.array([len(line.named) == 1 for line in lines])
    true = one_hot(np.array([named[0] for named in targets(lines)])[one], 8)
    score = macro_f1(one_hot(logits[one].argmax(axis=1), 8), true)(np.ones((1, int(one.sum()))))
    print(f"XED {language}: macro-F1 {score[0]:.3f} of {one.sum()} lines, 5 folds")


def report_posts(lines: Sequence[Labelled], found: NDArray[np.float32]) -> None:
    """Macro-F1 over the eight on posts that were not trained on, at several thresholds."""
    true = np.zeros((len(lines), 8), dtype=bool)
    for row, named in zip(true, targets(lines), strict=True):
        row[list(named)] = True
    for threshold in (0.15, 0.2, 0.25, 0.3, 0.35):
        score = macro_f1(found >= threshold, true)(np.ones((1, len(lines))))
        print(f"GoEmotions dev: macro-F1 {score[0]:.3f} at {threshold}, {len(lines)} lines")


def report_axes(lines: Sequence[Rated], found: Floats) -> None:
    """Pearson's r with people's ratings, each answered by a head that had not seen it."""
    count = np.ones((1, len(lines)))
    valence = correlation(found[:, 0], np.array([x.valence for x in lines]))(count)[0]
    arousal = correlation(found[:, 1], np.array([x.arousal or 0.0 for x in lines]))(count)[0]
    print(f"EmoBank: valence r {valence:.3f}, arousal r {arousal:.3f}, {len(lines)} lines, 5 folds")


if __name__ == "__main__":
    main()
