"""Scenarios of `emotional-memory`: does feeling help to find what is asked for?

Only sets count that give no emotional state with memory or query: with it, ranking by emotion
alone finds nearly all. All feelings here are our own detector's, read from the text. Rows that
rank by emotion alone and by meaning alone stand beside every other.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.cached import CachedEmbedder, CachedScorer, senses
from benchmarks.ranking import Samples, hit_at, reciprocal_rank, some
from benchmarks.record import Options, Record
from benchmarks.shelf import STRATEGY_ROWS, Baselines, Shelf, by_feeling, shelf
from bot.memory import EventKind, Memory, Precision
from bot.recall import Query

LIMIT = 10
FIRST_DAY = datetime(2026, 1, 1, 9, tzinfo=UTC)
SESSION = timedelta(days=1)
LINE = timedelta(minutes=1)
"""The sets have no dates: sessions are a day apart, events of one a minute."""

STATE = frozenset({"valence", "arousal", "affect", "state", "mood", "emotion", "core_affect"})
"""Fields of an event or query that give a feeling away, also as parts of longer names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question of a scenario. `sessions` is how many of them were over by then."""

    text: str
    gold: frozenset[str]
    kinds: tuple[str, ...]
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    ids: tuple[str, ...]
    memories: tuple[Memory, ...]
    asked: tuple[Asked, ...]


async def run(options: Options) -> Record | None:
    """Every JSON file with scenarios in the folder `emotional_memory` (or anywhere below)."""
    sets = {file.stem: found for file in _files(options) if (found := _read(file, options))}
    if not sets:
        options.say("affect: no scenarios (realistic_recall*.json) under --data; skipped.")
        return None
    samples, asked = Samples(), 0
    async with senses("bundled", options) as (embedder, scorer):
        for name, scenarios in sets.items():
            run = _Run(name, embedder, scorer, samples)
            asked += await run.ask(_part(scenarios, len(sets), options), options)
    settings = {"encoder": embedder.name, "scorer": scorer.name, "limit": options.limit}
    return Record(
        bench="affect",
        n=asked,
        seed=options.seed,
        settings={**settings, "sets": list(sets)},
        rows=samples.rows(options.seed),
    )


def _files(options: Options) -> list[Path]:
    return sorted(options.data.rglob("realistic_recall*.json")) if options.data else []


def _part(scenarios: Sequence[Scenario], sets: int, options: Options) -> list[Scenario]:
    most = None if options.limit is None else max(options.limit // sets, 1)
    return some(scenarios, most, options.seed)


def _read(file: Path, options: Options) -> list[Scenario]:
    raw = json.loads(file.read_text("utf-8"))
    if gives_state(raw["scenarios"]):
        options.say(f"affect: {file.name} gives the feeling with its events; skipped.")
        return []
    return [read_scenario(scenario) for scenario in raw["scenarios"]]


def gives_state(scenarios: Sequence[Mapping[str, Any]]) -> bool:
    """Whether any event or query carries a feeling beside its text."""
    return any(
        any(part in field for part in STATE) and value not in (None, {}, [])
        for scenario in scenarios
        for session in scenario["sessions"]
        for item in (*session["events"], *session["queries"])
        for field, value in item.items()
    )


def read_scenario(raw: Mapping[str, Any]) -> Scenario:
    """Its events in order, and what is asked after the sessions."""
    ids, memories, asked = [], [], []
    for number, session in enumerate(raw["sessions"]):
        for at, event in enumerate(session["events"]):
            ids.append(str(event["memory_id"]))
            memories.append(
                Memory(
                    source=f"affect:{event['memory_id']}",
                    kind=EventKind.IMPORT,
                    at=FIRST_DAY + number * SESSION + at * LINE,
                    precision=Precision.MINUTE,
                    speaker="I",
                    text=str(event["content"]),
                )
            )
        for query in session["queries"]:
            kinds = [str(query[k]) for k in ("challenge_type", "gate_label") if query.get(k)]
            asked.append(
                Asked(
                    text=str(query["query"]),
                    gold=frozenset(map(str, query["expected_memory_ids"])),
                    kinds=tuple(kinds),
                    sessions=number + 1,
                )
            )
    return Scenario(ids=tuple(ids), memories=tuple(memories), asked=tuple(asked))


@dataclass(frozen=True, slots=True)
class _Run:
    """All scenarios of one set."""

    name: str
    embedder: CachedEmbedder
    scorer: CachedScorer
    samples: Samples

    async def ask(self, scenarios: Sequence[Scenario], options: Options) -> int:
        asked = 0
        for number, scenario in enumerate(scenarios, start=1):
            async with shelf(scenario.memories, self.embedder, self.scorer) as opened:
                baselines = Baselines([m.text for m in scenario.memories], opened.vectors)
                for question in scenario.asked:
                    await self._ask(question, scenario, opened, baselines)
                    asked += 1
            options.progress(self.name, number, len(scenarios))
        return asked

    async def _ask(
        self, question: Asked, scenario: Scenario, opened: Shelf, baselines: Baselines
    ) -> None:
        vector = (await self.embedder.embed([question.text], kind="query"))[0]
        emotion = (await self.scorer.score([question.text]))[0]
        query = Query(text=question.text, limit=LIMIT, now=FIRST_DAY + question.sessions * SESSION)
        query = replace(query, emotion=emotion)
        orders = baselines.orders(question.text, vector)
        orders["emotion only"] = by_feeling(emotion, opened.emotions)
        orders["semantic only"] = orders.pop("vectors")
        for row, way in STRATEGY_ROWS.items():
            orders[f"bower {row}"], _seconds = await opened.recall(query, way, limit=LIMIT)
        orders["bower default"] = orders["bower match"]
        subsets = ["all", self.name, *(f"{self.name}: {kind}" for kind in question.kinds)]
        for row, order in orders.items():
            self.samples.add(
                row, subsets, measures([scenario.ids[at] for at in order], question.gold)
            )


def measures(ranked: Sequence[str], gold: frozenset[str]) -> dict[str, float]:
    """Top-1, hit@2 and MRR of one question."""
    return {
        "top-1": hit_at(1, ranked, gold),
        "hit@2": hit_at(2, ranked, gold),
        "MRR": reciprocal_rank(ranked, gold),
    }
