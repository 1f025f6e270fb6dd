"""The rumours benchmark on threads of its own making: folds, votes, measures."""

import json
from pathlib import Path

from benchmarks.record import Options
from benchmarks.rumours import by_event, frequent, macro_f1, read_threads, run, vote

POSTS = [
    {"id": "2", "reply_to": "1", "text": "@a that is fake", "stance": "deny", "author": "b"},
    {"id": "1", "reply_to": None, "text": "The dam broke", "stance": "support", "author": "a"},
    {"id": "3", "reply_to": "2", "text": "really?", "stance": "query", "author": "c"},
]


def write(folder: Path) -> Path:
    data = folder / "rumoureval2017"
    data.mkdir()
    lines = [
        json.dumps({"source": "1", "veracity": veracity, "event": event, "posts": POSTS})
        for event, veracity in (("x", "true"), ("x", "false"), ("y", "true"), ("z", "unverified"))
    ]
    (data / "train.jsonl").write_text("\n".join(lines[:3]), encoding="utf-8")
    (data / "dev.jsonl").write_text(lines[3], encoding="utf-8")
    return data


def options(data: Path | None, tmp_path: Path, said: list[str]) -> Options:
    return Options(data=data, cache=tmp_path, say=said.append, progress=lambda *_: None)


def test_a_thread_begins_with_its_rumour(tmp_path: Path) -> None:
    thread = read_threads(write(tmp_path) / "train.jsonl")[0]
    assert [(post.author, post.depth) for post in thread.posts] == [("a", 0), ("b", 1), ("c", 2)]


def test_nothing_is_decided_by_what_its_own_event_teaches(tmp_path: Path) -> None:
    threads = read_threads(write(tmp_path) / "train.jsonl")
    folds: list[tuple[list[int], list[int]]] = []
    by_event(threads, lambda rest, held: folds.append((rest, held)))
    assert folds == [([2], [0, 1]), ([0, 1], [2])]
    assert frequent(threads)[0] == "true"


def test_votes_and_measures() -> None:
    assert vote(["support", "support", "deny"]) == "true"
    assert vote(["deny", "comment"]) == "false"
    assert vote([]) == "unverified"
    assert macro_f1(["a", "b"], ["a", "a"], ("a", "b")) == (2 / 3) / 2


async def test_it_runs_whole_and_says_where_data_is_missing(tmp_path: Path) -> None:
    said: list[str] = []
    assert await run(options(None, tmp_path, said)) is None
    assert "skipped" in said[0]
    write(tmp_path)
    record = await run(options(tmp_path, tmp_path, said))
    assert record is not None
    names = {row.name for row in record.rows}
    assert {"always comment", "rules", "vote, gold stances", "learnt, stances"} <= names
