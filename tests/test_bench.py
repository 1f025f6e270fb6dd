"""Benchmarks: figures that can be checked by hand, and the same again with the same seed."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.bm25 import Bm25, z
from benchmarks.locomo import metrics, read_questions
from benchmarks.record import Options, Record, bootstrap, mean_row
from benchmarks.suite import BENCHES, load


def test_every_benchmark_of_the_table_can_be_run() -> None:
    for name in BENCHES:
        assert callable(load(name))
    with pytest.raises(KeyError):
        load("nonsense")


def test_recall_counts_the_evidence_among_the_first_k() -> None:
    found = metrics(["D1:1", "D2:5", "D3:1", "D2:6"], frozenset({"D2:5", "D9:9"}))
    assert found["R@1"] == 0.0
    assert found["R@5"] == 0.5
    assert found["MRR"] == 0.5
    assert found["session R@5"] == 0.5
    assert found["session MRR"] == 0.5


def test_malformed_evidence_ids_are_taken_apart_and_unknown_ones_left_out() -> None:
    sample = {
        "qa": [
            {"question": "a?", "category": 1, "evidence": ["D8:6; D9:17", "D1:1"]},
            {"question": "b?", "category": 2, "evidence": ["D"]},
            {"question": "c?", "category": 5},
        ]
    }
    questions = read_questions(sample, {"D8:6", "D9:17", "D1:1"})
    assert [(q.text, sorted(q.evidence)) for q in questions] == [("a?", ["D1:1", "D8:6", "D9:17"])]


def test_the_interval_holds_the_mean_and_repeats_with_its_seed() -> None:
    values = np.random.default_rng(1).normal(size=200).tolist()
    low, high = bootstrap(values, 3)
    assert low < np.mean(values) < high
    assert bootstrap(values, 3) == (low, high)


def test_a_record_is_plain_json() -> None:
    row = mean_row("bower", "all", {"R@1": [0.0, 1.0]}, seed=0)
    record = Record(bench="x", n=2, seed=0, settings={"limit": None}, rows=[row])
    content = json.loads(json.dumps(record.as_json()))
    assert content["rows"][0]["metrics"] == {"R@1": 0.5}
    assert set(content) == {"bench", "n", "seed", "versions", "settings", "rows"}


def test_bm25_ranks_rare_words_above_common_ones() -> None:
    scores = Bm25(["the cat sat", "the dog sat", "the heron flew"]).scores("the heron")
    assert scores.argmax() == 2
    assert scores[0] > 0
    assert z(np.zeros(3)).tolist() == [0, 0, 0]


async def test_where_there_is_no_data_the_bench_says_so(tmp_path: Path) -> None:
    said: list[str] = []

    options = Options(
        data=tmp_path, cache=tmp_path, say=said.append, progress=lambda _what, _done, _all: None
    )
    assert await load("locomo")(options) is None
    assert "no locomo*.json" in said[0]
