"""LoCoMo: is the evidence of a question among the memories that come to mind?

Every conversation is imported through the program's own import into a store of its own;
each question is a query of somebody who may hear it. Baselines rank the same turns: BM25,
the plain vectors, and the sum of their z-scores. R@k is the fraction of the evidence turns
(or sessions) among the first k; questions without a valid evidence id are left out. Feelings
are our own detector's. Milliseconds are medians of the whole recall, the encoder's left out.
"""

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from benchmarks.cached import CachedEmbedder, CachedScorer, senses
from benchmarks.ranking import Samples, recall_at, reciprocal_rank, some
from benchmarks.record import Options, Record, Row
from benchmarks.shelf import Baselines
from bot.imports import import_file, read_conversations
from bot.imports.conversation import Line
from bot.passages import passage
from bot.persona import Persona
from bot.ports import Storage
from bot.recall import STRATEGIES, Query, bring_to_mind
from bot.world import Hearing
from storage import open_storage

FILE = "locomo.json"
KS = (1, 5, 10, 20)
PAPERS_K = 10
"""The paper's k; its sequential strategies give twice as many and no more."""
RANKED = 50
"""As many turns are ranked, out of the pools that a conversation gets too; a session that
has no turn among them does not count as found."""
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


async def run(options: Options) -> Record | None:
    """All conversations of every `locomo*.json` in the folder (or in `locomo` below it)."""
    files = sorted(options.data.rglob("locomo*.json")) if options.data else []
    if not files:
        options.say("locomo: no locomo*.json under --data; skipped.")
        return None
    samples = [sample for file in files for sample in json.loads(file.read_text("utf-8"))]
    tally = Tally()
    async with senses("bundled", options) as (embedder, scorer):
        for number, sample in enumerate(samples):
            left = None if options.limit is None else max(options.limit // len(samples), 1)
            asked = await Conversation.read(sample, embedder, scorer)
            await asked.ask(some(asked.questions, left, options.seed), tally, options)
            options.progress("conversations", number + 1, len(samples))
    return Record(
        bench="locomo",
        n=tally.asked,
        seed=options.seed,
        settings={
            "encoder": embedder.name,
            "scorer": scorer.name,
            "limit": options.limit,
            "conversations": len(samples),
        },
        rows=tally.rows(options.seed),
    )


@dataclass(slots=True)
class Tally:
    """What all conversations add to."""

    samples: Samples = field(default_factory=Samples)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    turns: int = 0
    file_bytes: int = 0
    asked: int = 0

    def add(self, row: str, question: Question, ranked: Sequence[str]) -> None:
        name = CATEGORIES[question.category]
        subsets = ["all", name] if question.category == 5 else ["all", "no adversarial", name]
        self.samples.add(row, subsets, metrics(ranked, question.evidence))

    def rows(self, seed: int) -> list[Row]:
        """Recall by subset, then milliseconds, then the size of what is stored."""
        return [*self.samples.rows(seed), *self.speed(), self.size()]

    def speed(self) -> list[Row]:
        return [
            Row(name=row, subset="speed", metrics={"ms": 1000 * float(np.median(seconds))})
            for row, seconds in self.seconds.items()
        ]

    def size(self) -> Row:
        """The whole database: texts, vectors, words, feelings."""
        shown = {"MB": self.file_bytes / 1e6, "KB per turn": self.file_bytes / 1e3 / self.turns}
        return Row(name="bower", subset="index size", metrics={"turns": self.turns, **shown})


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation: its lines in order with their dialogue ids, and what is asked."""

    data: bytes
    lines: Sequence[Line]
    ids: Sequence[str]
    questions: Sequence[Question]
    embedder: CachedEmbedder
    scorer: CachedScorer

    @classmethod
    async def read(
        cls, sample: Mapping[str, object], embedder: CachedEmbedder, scorer: CachedScorer
    ) -> "Conversation":
        data = json.dumps([sample]).encode()
        lines = read_conversations(data, FILE, default_time=LONG_AGO).conversations[0].lines
        ids = [line.source.split(":", 2)[2] for line in lines]
        questions = read_questions(sample, set(ids))
        for texts in (questions, lines):  # all at once, for large batches
            await scorer.score([one.text for one in texts])
        await embedder.embed([question.text for question in questions], kind="query")
        return cls(
            data=data, lines=lines, ids=ids, questions=questions, embedder=embedder, scorer=scorer
        )

    async def ask(self, questions: Sequence[Question], tally: Tally, options: Options) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "locomo.db"
            async with open_storage(file) as storage:
                await import_file(
                    FILE,
                    self.data,
                    persona=WITNESS,
                    storage=storage,
                    embedder=self.embedder,
                    scorer=self.scorer,
                    people={},
                    default_time=LONG_AGO,
                    progress=lambda _done, _total: None,
                )
                hearing = await _hearing(storage, [line.speaker for line in self.lines])
                await self._ask(questions, storage, hearing, tally, options)
            tally.file_bytes += file.stat().st_size
        tally.turns += len(self.lines)
        tally.asked += len(questions)

    async def _ask(
        self,
        questions: Sequence[Question],
        storage: Storage,
        hearing: Hearing,
        tally: Tally,
        options: Options,
    ) -> None:
        texts = [passage(line.speaker, line.text) for line in self.lines]
        baselines = Baselines(texts, await self.embedder.embed(texts, kind="passage"))
        asked_at = max(line.at for line in self.lines) + timedelta(days=1)
        places = {(line.at, line.text): at for at, line in enumerate(self.lines)}
        for number, question in enumerate(questions):
            options.progress("questions", number, len(questions))
            vector = (await self.embedder.embed([question.text], kind="query"))[0]
            for row, order in baselines.orders(question.text, vector).items():
                tally.add(row, question, [self.ids[n] for n in order])
            query = Query(text=question.text, now=asked_at, limit=PAPERS_K)
            for strategy in STRATEGIES:
                started = time.perf_counter()
                mind = await bring_to_mind(
                    query,
                    hearing,
                    storage=storage,
                    embedder=self.embedder,
                    scorer=self.scorer,
                    limit=RANKED,
                    strategy=strategy,
                )
                row = f"bower {strategy}"
                tally.seconds.setdefault(row, []).append(time.perf_counter() - started)
                found = [places[r.event.at, r.event.text] for r in mind.recalled]
                tally.add(row, question, [self.ids[n] for n in found])


async def _hearing(storage: Storage, speakers: Sequence[str]) -> Hearing:
    """A DM of the witness with one of the speakers: who may hear the conversation again."""
    persona = await storage.persona(WITNESS.key, WITNESS.name)
    named = await storage.people_named(speakers[0])
    return Hearing(persona=persona.id, people=(named[0][0].id,))


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
        values |= {f"{prefix}R@{k}": recall_at(k, order, gold) for k in KS}
        values[f"{prefix}MRR"] = reciprocal_rank(order, gold)
    return values
