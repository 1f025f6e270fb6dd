"""The emotion bench: what it reads, how it counts, and that folds do not leak."""

from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from adapters.embedder import load_embedder
from adapters.emotion.local import ENGLISH, MULTILINGUAL, VERSION, corrections, load_scorer
from benchmarks import emotion_data as sets
from benchmarks.emotion_data import Labelled, folds
from benchmarks.emotion_drills import drills
from benchmarks.emotion_folds import by_folds
from benchmarks.emotion_measures import (
    calibration_error,
    correlation,
    jaccard,
    macro_f1,
    micro_f1,
    resampled,
)
from benchmarks.emotion_plain import plain
from benchmarks.emotion_rows import labels_row, one_label_row
from benchmarks.emotion_shipped import seen_by, shipped, vectors_of
from benchmarks.emotion_vectors import KeptVectors, hash_of
from benchmarks.record import Options, Record
from benchmarks.suite import load
from bot.emotion import DIMENSIONS
from bot.feeling import vector
from tests.feeling.sentences import ENGLISH as SENTENCES
from tests.feeling.sentences import OTHERS

ALL = np.ones((1, 4))
SAID = np.array([[1, 0], [1, 0], [0, 1], [0, 0]], dtype=bool)
TRUE = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], dtype=bool)


def options(data: Path, cache: Path, said: list[str], limit: int | None = None) -> Options:
    return Options(
        data=data, cache=cache, limit=limit, say=said.append, progress=lambda _w, _d, _t: None
    )


def test_measures_by_hand() -> None:
    """First column: 1 hit, 1 wrong, 1 missed: F1 1/2. Second: 1 hit, 1 missed: F1 2/3."""
    assert macro_f1(SAID, TRUE)(ALL)[0] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert micro_f1(SAID, TRUE)(ALL)[0] == pytest.approx(4 / 7)
    assert jaccard(SAID, TRUE)(ALL)[0] == pytest.approx(2 / 4)
    nothing = np.zeros((4, 2), dtype=bool)
    assert jaccard(nothing, nothing)(ALL)[0] == 1
    line = np.array([1.0, 2.0, 3.0, 4.0])
    assert correlation(line, 2 * line + 1)(ALL)[0] == pytest.approx(1)
    assert correlation(line, -line)(ALL)[0] == pytest.approx(-1)


def test_calibration_is_how_far_shares_are_from_what_happens() -> None:
    shares = np.array([[0.25], [0.25], [0.25], [0.25], [0.95], [0.95]])
    true = np.array([[1], [0], [0], [0], [1], [0]], dtype=bool)
    assert calibration_error(shares, true) == pytest.approx(2 / 6 * (0.95 - 0.5))


def test_resampled_counts_draw_as_many_lines_as_there_are() -> None:
    draws = resampled(50, 3)
    assert (draws.sum(axis=1) == 50).all()
    assert (draws == resampled(50, 3)).all()


def test_lines_that_differ_in_marks_alone_share_a_fold() -> None:
    texts = ["Go home!", "go home", "GO  HOME…", "come in", "Come in?"]
    numbers = folds(texts, 5, seed=0)
    assert numbers[0] == numbers[1] == numbers[2]
    assert numbers[3] == numbers[4]


def test_nobody_is_asked_about_a_line_it_was_trained_on() -> None:
    texts = [f"line {n % 7}" for n in range(40)]
    asked: list[int] = []

    def answer(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        assert not {texts[at] for at in train} & {texts[at] for at in test}
        asked.extend(test.tolist())
        return np.ones((len(test), 1))

    found = by_folds(texts, answer, width=1, seed=1)
    assert sorted(asked) == list(range(40))
    assert (found == 1).all()


def test_files_are_found_by_their_names(tmp_path: Path) -> None:
    for name in ("train.tsv", "dev.tsv", "test.tsv", "labels.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")
    found = sets.parts(tmp_path, "tsv")
    assert found is not None
    assert [file.name for file in found.test] == ["dev.tsv", "test.tsv"]
    assert found.is_split
    (tmp_path / "xed").mkdir()
    (tmp_path / "xed" / "en.tsv").write_text("So glad!\t5\nso glad!\t6\nbroken\n", encoding="utf-8")
    english = sets.xed_files(tmp_path, "en")
    assert english is not None
    assert not english.is_split
    (line,) = sets.xed(english.test)
    assert line.named == {"joy", "sadness"}
    assert sets.xed_files(tmp_path, "fr") is None


def test_rows_count_one_label_lines_and_nothing_said_is_wrong() -> None:
    lines = [
        Labelled(text="a", named=frozenset({"joy"})),
        Labelled(text="b", named=frozenset({"fear"})),
        Labelled(text="c", named=frozenset({"joy", "fear"})),
    ]
    shares = np.zeros((3, len(DIMENSIONS)))
    shares[0, DIMENSIONS.index("joy")] = 0.4
    row = one_label_row("x", "s", lines, shares, seed=0)
    assert row.metrics["n"] == 2
    assert row.metrics["micro-F1"] == pytest.approx(2 / 3)  # one said and right of two
    many = labels_row("x", "s", lines, shares, named=0.3, seed=0)
    assert many.metrics["Jaccard"] == pytest.approx((1 + 0 + 0) / 3)


def test_vectors_are_kept_between_runs(tmp_path: Path) -> None:
    kept = KeptVectors(_nobody, "e", tmp_path, lambda _w, _d, _t: None)
    kept.keep([hash_of("a"), hash_of("b")], np.eye(2, dtype=np.float32))
    again = KeptVectors(_nobody, "e", tmp_path, lambda _w, _d, _t: None)
    assert again(["b", "a", "b"]).tolist() == [[0, 1], [1, 0], [0, 1]]
    with pytest.raises(AssertionError, match="encoder"):
        again(["c"])


def _nobody() -> NoReturn:
    raise AssertionError("the encoder is not needed")


async def test_the_bench_asks_what_the_program_would_say(tmp_path: Path) -> None:
    texts = [sentence.text for sentence in SENTENCES][:12]
    bench = shipped(ENGLISH, vectors_of(ENGLISH, tmp_path, lambda _w, _d, _t: None))
    async with load_embedder() as embedder, load_scorer(embedder) as local:
        expected = await local.score(texts)
    for one, other in zip(await bench.score(texts), expected, strict=True):
        assert np.allclose(vector(one), vector(other), atol=0.01)


def small_data(folder: Path) -> Path:
    """A few made-up lines of each set."""
    glad = ["What a lovely day", "I am so happy", "We won", "Best news ever", "This is great fun"]
    cross = ["I hate you", "Get out of my house", "How dare you", "You liar", "Leave me alone"]
    (folder / "xed").mkdir(parents=True)
    lines = [f"{text}, {n}.\t{label}" for n in range(3) for label, group in ((5, glad), (1, cross))
             for text in group]  # fmt: skip
    (folder / "xed" / "en.tsv").write_text("\n".join(lines), encoding="utf-8")
    (folder / "emobank").mkdir()
    rows = [f"{n},x,{4 if n % 2 else 2},3.{n},3,{(glad if n % 2 else cross)[n % 5]} {n}"
            for n in range(10)]  # fmt: skip
    table = "\n".join(["id,split,V,A,D,text", *rows])
    (folder / "emobank" / "emobank.csv").write_text(table, encoding="utf-8")
    return folder


async def test_a_run_measures_what_is_there_and_says_what_is_not(tmp_path: Path) -> None:
    said: list[str] = []
    data = small_data(tmp_path / "data")
    run = load("emotion")
    record = await run(options(data, tmp_path / "cache", said, limit=20))
    assert isinstance(record, Record)
    found = {(row.name, row.subset): row for row in record.rows}
    local = found[f"local-{VERSION}:{ENGLISH}", "xed-en"]
    assert local.metrics["n"] == 20
    assert local.metrics["macro-F1"] > found["majority", "xed-en"].metrics["macro-F1"]
    assert local.metrics["ms per text"] > 0
    assert found[f"local-{VERSION}:{ENGLISH}", "emobank"].metrics["valence r"] > 0.5
    assert any("no goemotions" in line for line in said)
    again = await run(options(data, tmp_path / "cache", said, limit=20))
    assert isinstance(again, Record)
    for one, other in zip(record.rows, again.rows, strict=True):
        same = {k: v for k, v in one.metrics.items() if k != "ms per text"}
        assert same == {k: v for k, v in other.metrics.items() if k != "ms per text"}


async def test_without_data_it_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    assert await load("emotion")(options(tmp_path, tmp_path, said)) is None
    assert "skipped" in said[-1]


def test_drills_teach_no_sentence_of_the_test_table() -> None:
    """Nor one that differs from it in case and marks alone."""
    lines = drills(10**6, 0)
    assert len(lines) == len({line.text for line in lines}) > 3000
    taught = {letters(line.text) for line in (*lines, *plain())}
    assert not {letters(s.text) for s in (*SENTENCES, *OTHERS)} & taught
    assert drills(50, 1) == drills(50, 1) != drills(50, 2)


def letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def test_shipped_heads_tell_what_they_were_fitted_to() -> None:
    assert len(seen_by(ENGLISH)) == 3  # XED, GoEmotions, EmoBank
    assert len(seen_by(MULTILINGUAL)) == 8  # XED in six files
    assert corrections()
