"""From message to finished prompt at several sizes of the memory, and recall against NumPy."""

import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.record import Options, Row
from benchmarks.synthetic import WORDS, memories, vectors
from bot.emotion import NEUTRAL
from bot.memory import Vector
from bot.persona import Persona
from bot.ports import Embedder, Storage
from bot.prompt import Scene, build_prompt
from bot.recall import bring_to_mind
from bot.world import AccountKey, Hearing
from storage import open_storage

SIZES = (1_000, 10_000, 100_000)
LARGEST = 1_000_000
CHUNK = 5_000
QUERIES = 30
ANA = AccountKey(platform="bench", user="ana")


@asynccontextmanager
async def filled(
    persona: Persona, rows: NDArray[np.float32], embedder: str, options: Options
) -> AsyncIterator[tuple[Storage, Hearing]]:
    """A store with one imported conversation of that many lines, and who may hear it."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_storage(Path(folder) / "bench.db") as storage:
            agent = await storage.persona(persona.key, persona.name)
            for start in range(0, len(rows), CHUNK):
                part = rows[start : start + CHUNK]
                await storage.remember(
                    persona.key,
                    "bench",
                    list(memories(start, len(part), options.seed)),
                    people={"Ana": ANA},
                    vectors=part,
                    embedder=embedder,
                    emotions=[NEUTRAL] * len(part),
                    scorer="none",
                )
                options.progress(f"store {len(rows)}", start + len(part), len(rows))
            ana = await storage.person(ANA)
            assert ana is not None
            yield storage, Hearing(persona=agent.id, people=(ana.id,))


async def path_rows(persona: Persona, embedder: Embedder, options: Options) -> list[Row]:
    """One row per size: milliseconds of each part of the way, medians over queries, and the
    same search as a plain NumPy scan of the same vectors."""
    found: list[Row] = []
    for size in SIZES[: 2 if options.limit else None]:
        rows = vectors(size, embedder.dimension, options.seed)
        async with filled(persona, rows, embedder.name, options) as (storage, hearing):
            found += await _measured(
                persona, embedder, storage, hearing, rows=rows, options=options
            )
    return found


async def _measured(
    persona: Persona,
    embedder: Embedder,
    storage: Storage,
    hearing: Hearing,
    *,
    rows: NDArray[np.float32],
    options: Options,
) -> list[Row]:
    queries = [
        f"What about the {a} and the {b} of {len(rows)}?" for a, b in _pairs(QUERIES, options.seed)
    ]
    probes = vectors(QUERIES, embedder.dimension, options.seed)
    timings: dict[str, list[float]] = {name: [] for name in ("embed", "recall", "rest", "numpy")}
    overlap: list[float] = []
    await storage.nearest(probes[0], embedder.name, hearing, limit=10)
    for query, probe in zip(queries, probes, strict=True):
        started = time.perf_counter()
        await embedder.embed([query], kind="query")
        timings["embed"].append(time.perf_counter() - started)
        started = time.perf_counter()
        near = await storage.nearest(probe, embedder.name, hearing, limit=10)
        timings["recall"].append(time.perf_counter() - started)
        timings["rest"].append(await _rest(persona, embedder, storage, hearing, probe))
        started = time.perf_counter()
        exact = numpy_scan(rows, probe, 10)
        timings["numpy"].append(time.perf_counter() - started)
        wanted = {float(f"{rows[i] @ probe:.5f}") for i in exact}
        got = {float(f"{c.semantic:.5f}") for c in near if c.semantic is not None}
        overlap.append(len(wanted & got) / len(wanted))
    ms = {name: float(np.median(values)) * 1000 for name, values in timings.items()}
    ms["rest"] = max(ms["rest"] - ms["recall"], 0.0)
    whole = ms["embed"] + ms["recall"] + ms["rest"]
    return [
        Row(
            name="message to prompt",
            subset=f"{len(rows)} memories",
            metrics={
                "ms": whole,
                "embed share": ms["embed"] / whole,
                "recall share": ms["recall"] / whole,
                "rest share": ms["rest"] / whole,
            },
        ),
        _against_numpy(len(rows), ms["recall"], ms["numpy"], overlap),
    ]


def _against_numpy(size: int, recall: float, numpy: float, overlap: Sequence[float]) -> Row:
    return Row(
        name="recall against a NumPy scan",
        subset=f"{size} memories",
        metrics={
            "ms": recall,
            "NumPy ms": numpy,
            "ratio": recall / numpy,
            "same top 10": float(np.mean(overlap)),
        },
    )


async def _rest(
    persona: Persona, embedder: Embedder, storage: Storage, hearing: Hearing, probe: Vector
) -> float:
    """Seconds for recall and prompt together, with the embedding given."""
    given = _Given(embedder, probe)
    started = time.perf_counter()
    mind = await bring_to_mind("", hearing, storage=storage, embedder=given, limit=8)
    said = [mind.recalled[0].event]
    build_prompt(
        Scene(
            persona=persona,
            persona_id=hearing.persona,
            place_name="",
            is_dm=True,
            now=said[0].at,
            said=said,
            recalled=mind.recalled,
            room=4000,
        )
    )
    return time.perf_counter() - started


class _Given:
    """An encoder that answers with a vector made before."""

    def __init__(self, embedder: Embedder, vector: Vector) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._vector = vector

    async def embed(self, texts: Sequence[str], *, kind: str) -> NDArray[np.float32]:
        del texts, kind
        return self._vector[None, :]


def numpy_scan(rows: NDArray[np.float32], probe: Vector, k: int) -> NDArray[np.int64]:
    """The baseline: all dot products, then the best k in order."""
    scores = rows @ probe
    best = np.argpartition(-scores, k)[:k]
    return best[np.argsort(-scores[best])]


def _pairs(count: int, seed: int) -> list[tuple[str, str]]:
    chance = np.random.default_rng(seed)
    return [(str(a), str(b)) for a, b in chance.choice(WORDS, (count, 2))]


async def largest_row(persona: Persona, embedder: Embedder, options: Options) -> list[Row]:
    """A million synthetic vectors, meaning alone."""
    rows = vectors(LARGEST, embedder.dimension, options.seed)
    probes = vectors(10, embedder.dimension, options.seed)
    async with filled(persona, rows, embedder.name, options) as (storage, hearing):
        await storage.nearest(probes[0], embedder.name, hearing, limit=10)
        ours, theirs, overlap = [], [], []
        for probe in probes:
            started = time.perf_counter()
            near = await storage.nearest(probe, embedder.name, hearing, limit=10)
            ours.append(time.perf_counter() - started)
            started = time.perf_counter()
            exact = numpy_scan(rows, probe, 10)
            theirs.append(time.perf_counter() - started)
            wanted = {float(f"{rows[i] @ probe:.5f}") for i in exact}
            got = {float(f"{c.semantic:.5f}") for c in near if c.semantic is not None}
            overlap.append(len(wanted & got) / len(wanted))
        return [
            _against_numpy(
                LARGEST, float(np.median(ours)) * 1000, float(np.median(theirs)) * 1000, overlap
            )
        ]
