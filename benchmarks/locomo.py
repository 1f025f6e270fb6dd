"""LoCoMo: is the evidence of a question among the memories that come to mind?

Every conversation is imported through the program's own import into a store of its own;
each question is a query of somebody who may hear it. Baselines rank the same turns: BM25,
the plain vectors, and the sum of their z-scores. R@k is the fraction of the evidence turns
(or sessions) among the first k; questions without a valid evidence id are left out.
"""

import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adapters.embedder import load_embedder
from benchmarks.bm25 import Bm25, z
from benchmarks.cached import CachedEmbedder
from benchmarks.record import Options, Record, Row, mean_row
from bot.imports import import_file, read_conversations
from bot.memory import Recalled
from bot.parts import NoFeeling
from bot.passages import passage
from bot.persona import Persona
from bot.ports import Storage
from bot.recall import STRATEGIES, Query, bring_to_mind
from bot.world import Hearing
from storage import open_storage

KS = (1, 5, 10, 20)
PAPERS_K = 10
"""The paper's k; its sequential strategies give twice as many and no more."""
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
WITNESS = Persona(
    key="witness", name="Witness", description="x", greetings=("x",), apologies=("x",)
)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    text: str
    category: int
    evidence: frozenset[str]  # dialogue ids such as D8:6


@dataclass(slots=True)
class Samples:
    """One value per question, by row, subset and metric."""

    values: dict[tuple[str, str], dict[str, list[float]]] = field(default_factory=dict)

    def add(self, row: str, question: Question, metrics: Mapping[str, float]) -> None:
        name = CATEGORIES[question.category]
        subsets = ["all", name] if question.category == 5 else ["all", "no adversarial", name]
        for subset in subsets:
            kept = self.values.setdefault((row, subset), {})
            for metric, value in metrics.items():
                kept.setdefault(metric, []).append(value)

    def rows(self, seed: int) -> list[Row]:
        return [
            mean_row(row, subset, metrics, seed=seed)
            for (row, subset), metrics in self.values.items()
        ]


async def run(options: Options) -> Record | None:
    """All conversations of every `locomo*.json` in the folder (or in `locomo` below it)."""
    files = sorted(options.data.rglob("locomo*.json")) if options.data else []
    if not files:
        options.say("locomo: no locomo*.json under --data; skipped.")
        return None
    samples = [sample for file in files for sample in json.loads(file.read_text("utf-8"))]
    results, asked = Samples(), 0
    async with load_embedder("bundled") as real:
        embedder = CachedEmbedder(real, options.cache, options.progress)
        for number, sample in enumerate(samples):
            options.progress("conversations", number, len(samples))
            left = None if options.limit is None else max(options.limit // len(samples), 1)
            asked += await _conversation(sample, embedder, results, left)
        embedder.save()
    return Record(
        bench="locomo",
        n=asked,
        seed=options.seed,
        settings={"encoder": embedder.name, "limit": options.limit, "conversations": len(samples)},
        rows=results.rows(options.seed),
    )


async def _conversation(
    sample: Mapping[str, object], embedder: CachedEmbedder, results: Samples, most: int | None
) -> int:
    data = json.dumps([sample]).encode()
    reading = read_conversations(data, "locomo.json", default_time=LONG_AGO)
    lines = reading.conversations[0].lines
    ids = [line.source.split(":", 2)[2] for line in lines]
    questions = read_questions(sample, set(ids))[:most]
    texts = [passage(line.speaker, line.text) for line in lines]
    vectors = await embedder.embed(texts, kind="passage")
    baselines = _Baselines(texts, vectors)
    async with AsyncExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        storage = await opened.enter_async_context(open_storage(Path(folder) / "locomo.db"))
        await import_file(
            "locomo.json",
            data,
            persona=WITNESS,
            storage=storage,
            embedder=embedder,
            scorer=NoFeeling(),
            people={},
            default_time=LONG_AGO,
            progress=lambda _done, _total: None,
        )
        hearing = await _hearing(storage, [line.speaker for line in lines])
        asked_at = max(line.at for line in lines) + timedelta(days=1)
        places = {(line.at, line.text): at for at, line in enumerate(lines)}
        for question in questions:
            query = (await embedder.embed([question.text], kind="query"))[0]
            for row, order in baselines.orders(question.text, query).items():
                results.add(row, question, metrics([ids[n] for n in order], question.evidence))
            for strategy in STRATEGIES:
                mind = await bring_to_mind(
                    Query(text=question.text, now=asked_at, limit=PAPERS_K),
                    hearing,
                    storage=storage,
                    embedder=embedder,
                    limit=len(lines),
                    strategy=strategy,
                )
                found = [ids[n] for n in _places(mind.recalled, places)]
                results.add(f"bower {strategy}", question, metrics(found, question.evidence))
    return len(questions)


def _places(recalled: Sequence[Recalled], places: Mapping[tuple[datetime, str], int]) -> list[int]:
    return [places[r.event.at, r.event.text] for r in recalled]


async def _hearing(storage: Storage, speakers: Sequence[str]) -> Hearing:
    """A DM of the witness with one of the speakers: who may hear the conversation again."""
    persona = await storage.persona(WITNESS.key, WITNESS.name)
    named = await storage.people_named(speakers[0])
    return Hearing(persona=persona.id, people=(named[0][0].id,))


class _Baselines:
    """The same turns ranked by words, by vectors, and by both."""

    def __init__(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._bm25 = Bm25(texts)
        self._vectors = vectors

    def orders(self, text: str, query: NDArray[np.float32]) -> dict[str, NDArray[np.intp]]:
        by_words = self._bm25.scores(text)
        by_vectors = (self._vectors @ query).astype(np.float64)
        scores = {"BM25": by_words, "vectors": by_vectors, "z-sum": z(by_words) + z(by_vectors)}
        return {name: np.argsort(-values, kind="stable") for name, values in scores.items()}


def read_questions(sample: Mapping[str, object], known: set[str]) -> list[Question]:
    """Questions with at least one evidence id that names a turn; malformed ids are taken
    apart ("D8:6; D9:17")."""
    found = []
    for item in sample["qa"]:  # type: ignore[attr-defined]
        ids = {i.strip() for e in item.get("evidence", []) for i in e.replace(",", ";").split(";")}
        if evidence := frozenset(ids & known):
            text, category = str(item["question"]), int(item["category"])
            found.append(Question(text=text, category=category, evidence=evidence))
    return found


def metrics(ranked: Sequence[str], evidence: frozenset[str]) -> dict[str, float]:
    """Of turns and of their sessions (a session ranks with its best turn)."""
    sessions = list(dict.fromkeys(turn.split(":")[0] for turn in ranked))
    wanted = frozenset(turn.split(":")[0] for turn in evidence)
    values: dict[str, float] = {}
    for prefix, order, gold in (("", ranked, evidence), ("session ", sessions, wanted)):
        for k in KS:
            values[f"{prefix}R@{k}"] = len(gold & set(order[:k])) / len(gold)
        first = next((n for n, one in enumerate(order, start=1) if one in gold), 0)
        values[f"{prefix}MRR"] = 1 / first if first else 0.0
    return values
