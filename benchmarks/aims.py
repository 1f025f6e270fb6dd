"""What the project aims at with its benchmarks, and whether the kept records reach it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """A metric of one row that should be at least (`most`: at most) so much; with `over`, so
    much more than another row's."""

    bench: str
    row: str
    subset: str
    metric: str
    value: float
    words: str
    over: str = ""
    most: bool = False


AIMS: Sequence[Aim] = (
    Aim(bench="locomo", row="bower blend", subset="no adversarial", metric="R@10", value=0.68,
        words="LoCoMo: turns among the first ten"),
    Aim(bench="locomo", row="bower blend", subset="no adversarial", metric="session R@10",
        value=0.93, words="LoCoMo: sessions among the first ten"),
    Aim(bench="locomo", row="bower blend", subset="multi-hop", metric="R@10", value=0.36,
        words="LoCoMo, multi-hop: turns among the first ten"),
    Aim(bench="madial", row="bower default", subset="en", metric="R@5", value=0.72,
        words="MADial, English: R@5 (OpenAI's embeddings: .720)"),
    Aim(bench="madial", row="bower default", subset="en", metric="nDCG@5", value=0.66,
        words="MADial, English: nDCG@5 (OpenAI's embeddings: .658)"),
    Aim(bench="madial", row="bower default", subset="zh", metric="R@5", value=0.579,
        words="MADial, Chinese: R@5 (bge-m3: .579)"),
    Aim(bench="madial", row="bower default", subset="zh", metric="nDCG@5", value=0.523,
        words="MADial, Chinese: nDCG@5 (bge-m3: .523)"),
    Aim(bench="affect", row="bower default", over="semantic only", subset="all", metric="top-1",
        value=0.10, words="Affect sets: right memory first, more often than by meaning alone"),
    Aim(bench="emotion", row="local all-MiniLM-L6-v2, head by folds", subset="xed-en",
        metric="macro-F1", value=0.50, words="XED, English: the head of speech, by folds"),
    Aim(bench="emotion", row="local all-MiniLM-L6-v2, by folds", subset="xed-en",
        metric="macro-F1", value=0.45, words="XED, English: the whole scorer, by folds"),
    Aim(bench="emotion", row="local-2:all-MiniLM-L6-v2", over="tfidf+logistic",
        subset="goemotions", metric="macro-F1", value=0.05,
        words="GoEmotions as the eight: more than TF-IDF"),
    Aim(bench="emotion", row="local all-MiniLM-L6-v2, by folds", subset="emobank",
        metric="valence r", value=0.70, words="EmoBank: valence, by folds"),
    Aim(bench="emotion", row="local all-MiniLM-L6-v2, by folds", subset="emobank",
        metric="arousal r", value=0.45, words="EmoBank: arousal, by folds"),
    Aim(bench="rumours", row="learnt, stances", subset="veracity, train", metric="accuracy",
        value=0.393, words="Rumours, train: veracity by left-out event (plain vote: .393)"),
    Aim(bench="rumours", row="learnt, stances", subset="veracity, all", metric="accuracy",
        value=0.54, words="Rumours: veracity by left-out event (best published: .536)"),
    Aim(bench="names", row="program", subset="any episodes, told", metric="accuracy", value=0.910,
        words="Names, told who was meant: half the errors of the most recent bearer (.820)"),
    Aim(bench="names", row="program", subset="any episodes, alone", metric="accuracy", value=0.853,
        words="Names, alone: half the errors of the most recent bearer (.707)"),
    Aim(bench="discord", row="a crowd", subset="messages 1 to 1000", most=True,
        metric="loop lag p99 ms", value=50.0, words="Discord: lag of the event loop, p99, ms"),
    Aim(bench="discord", row="a crowd", subset="messages 5001 to 10000", metric=
        "covered by exactly one reply", value=5000.0, words="Discord: 5,000 covered once"),
    Aim(bench="telegram", row="a crowd", subset="messages 1 to 1000", most=True,
        metric="loop lag p99 ms", value=50.0, words="Telegram: lag of the event loop, p99, ms"),
    Aim(bench="telegram", row="a crowd", subset="messages 1 to 1000",
        metric="covered by exactly one reply", value=1000.0,
        words="Telegram: 1,000 covered by exactly one reply"),
    Aim(bench="speed", row="times as long as bower blend", subset="10000 memories",
        metric="emotional-memory 0.18.1", value=10.0,
        words="Speed at 10,000: times as fast as the peer"),
    Aim(bench="speed", row="time added per turn", subset="100000 lines, 1000 people", most=True,
        metric="ms", value=5.0, words="Time that knowing people adds to a turn, processor ms"),
)  # fmt: skip

PLAIN = "bower semantic"
DEFAULT: Mapping[str, tuple[str, str, int]] = {
    "locomo": ("bower blend", "R@10", 1),
    "madial": ("bower default", "R@5", 1),
    "affect": ("bower default", "top-1", 1),
    "congruence": ("bower match", "emotion distance", -1),
}
"""By benchmark: the row of the default, the metric that is compared with plain retrieval, and
whether more of it is better (1) or less (-1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a record says of an aim. A difference has no interval."""

    aim: Aim
    value: float
    interval: tuple[float, float] | None

    @property
    def verdict(self) -> str:
        """Reached, missed, or missed with the aim inside the interval."""
        good = self.value <= self.aim.value if self.aim.most else self.value >= self.aim.value
        if not good and self.interval and self.interval[0] <= self.aim.value <= self.interval[1]:
            return "missed, inside the interval"
        return "reached" if good else "missed"


def reached(records: Sequence[Record]) -> list[Found]:
    """For each aim with a record: the figure."""
    found = []
    for aim in AIMS:
        for record in records:
            if record["bench"] == aim.bench:
                ours = _row(record, aim.row, aim.subset, aim.metric)
                other = _row(record, aim.over, aim.subset, aim.metric) if aim.over else None
                if ours is None or (aim.over and other is None):
                    continue
                less = other["metrics"][aim.metric] if other else 0.0
                around = None if other else ours["interval"].get(aim.metric)
                value = ours["metrics"][aim.metric] - less
                found.append(Found(aim=aim, value=value, interval=around and tuple(around)))
    return found


def against_plain(records: Sequence[Record]) -> list[tuple[str, str, str, float, float, str]]:
    """Benchmark, subset, metric, plain retrieval, the default, and "worse" or "better" where
    that lies outside of the interval of plain retrieval."""
    found = []
    for record in records:
        row, metric, sign = DEFAULT.get(record["bench"], ("", "", 1))
        for one in record["rows"]:
            if one["name"] != PLAIN or metric not in one["interval"]:
                continue
            other = _row(record, row, one["subset"], metric)
            if other is not None:
                ours = other["metrics"][metric]
                low, high = one["interval"][metric]
                more = "better" if sign > 0 else "worse"
                less = "worse" if sign > 0 else "better"
                word = less if ours < low else more if ours > high else "alike"
                plain = one["metrics"][metric]
                found.append((record["bench"], one["subset"], metric, plain, ours, word))
    return found


def _row(record: Record, row: str, subset: str, metric: str) -> Mapping[str, Any] | None:
    for one in record["rows"]:
        if (one["name"], one["subset"]) == (row, subset) and metric in one["metrics"]:
            found: Mapping[str, Any] = one
            return found
    return None
