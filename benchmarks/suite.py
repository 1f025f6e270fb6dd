"""The benchmarks by name. Each is one async function from options to a record."""

import importlib
from collections.abc import Awaitable, Callable
from typing import cast

from benchmarks.record import Options, Record

Bench = Callable[[Options], Awaitable[Record | None]]
"""None where the data it needs is not in the given folder (it has said so)."""

BENCHES: dict[str, str] = {
    "talk": "speed of a turn, recall, import and start-up (needs no data)",
    "discord": "a crowd on Discord: replies, order, limits, loop lag, memory (needs no data)",
    "telegram": "a crowd in Telegram chats: replies, order, flood limits, loop lag (needs no data)",
    "locomo": "evidence recall on very long conversations (locomo*.json)",
    "names": "who is meant by a name that several people bear (friends/*.json)",
    "madial": "memories that a dialogue calls for (en- and zh-dialogue*.jsonl, -memory*.jsonl)",
    "affect": "scenarios in which feeling may help (realistic_recall*.json)",
    "congruence": "distance in feeling of what a role remembers (chatharuhi/*.jsonl)",
    "speed": "recall with all signals against a NumPy scan and a peer (needs no data)",
    "emotion": "feelings, valence and arousal of texts (xed, goemotions, semeval2018_*, emobank)",
    "rumours": "stances and veracity of rumours (rumoureval2017/*.jsonl)",
}
"""Every benchmark and what it measures; its code is `benchmarks/<name>.py: run`."""


def load(name: str) -> Bench:
    """The benchmark of this name. Raises KeyError if there is none."""
    if name not in BENCHES:
        raise KeyError(name)
    return cast(Bench, importlib.import_module(f"benchmarks.{name}").run)
