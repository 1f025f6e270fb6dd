"""How long a recall takes with all signals, beside a NumPy scan and the peer's own recall.

Made-up lines with a natural spread of words (Zipf) and vectors in clusters. Ours is the whole
of `bring_to_mind`: scope, vectors, words, neighbours, feeling, time, relationship, from the
database; embedding is left out everywhere. The NumPy scan ranks the same vectors and nothing
else. The peer, `emotional-memory` from PyPI, gets the same vectors and one feeling per memory
in its own in-memory store, put there without the links that it would build (which would slow
it down); it is left out where it is not installed.
"""

import importlib.util
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.record import Options, Record, Row
from benchmarks.synthetic import START, vectors
from benchmarks.turn_cost import turn_cost_rows
from bot.emotion import DIMENSIONS, Emotion
from bot.memory import EventKind, Memory, Precision
from bot.ports import Storage
from bot.recall import STRATEGIES, Query, bring_to_mind
from bot.world import AccountKey, Hearing
from storage import open_storage

SIZES = (1_000, 10_000, 100_000)
DIMENSION = 384
QUERIES = 30
PEERS_QUERIES = {1_000: 20, 10_000: 10}
"""At 100 k its vectors, Python lists, would fill more than a gigabyte: left out."""

TOP = 10
CHUNK = 5_000
VOCABULARY, ZIPF, LENGTH = 20_000, 1.3, 12
PEER = "emotional-memory==0.18.1"
ANA = AccountKey(platform="bench", user="ana")
ENCODER = "synthetic"


async def run(options: Options) -> Record:
    """All sizes; with a limit, without the largest."""
    rows: list[Row] = []
    peer = importlib.util.find_spec("emotional_memory") is not None
    if not peer:
        options.say(f"speed: the peer is left out; pip install --no-deps {PEER} adds it.")
    for size in SIZES[: 2 if options.limit else None]:
        rows += await measured(size, options, peer=peer and size in PEERS_QUERIES)
    rows += await turn_cost_rows(options)
    return Record(
        bench="speed",
        n=QUERIES,
        seed=options.seed,
        settings={"sizes": list(SIZES), "dimension": DIMENSION, "peer": peer, "top": TOP},
        rows=rows,
    )


async def measured(size: int, options: Options, *, peer: bool) -> list[Row]:
    """Milliseconds of everything at one size, and how many times as long the others take."""
    made = _Made(size, options.seed)
    ours = await _ours(made, options)
    scan = _timed([partial(_scan, made.rows, probe) for probe in made.probes])
    found = [*ours, _row("NumPy scan, meaning alone", size, scan)]
    if peer:
        found.append(_row("emotional-memory 0.18.1", size, _peers(made, options)))
    return [*found, _ratio(found, size)]


class _Made:
    """So many memories, and queries for them; the same for the same seed."""

    def __init__(self, size: int, seed: int) -> None:
        chance = np.random.default_rng(seed)
        self.size = size
        everything = vectors(size + QUERIES, DIMENSION, seed)
        self.rows, self.probes = everything[:size], everything[size:]
        words = chance.zipf(ZIPF, (size + QUERIES, LENGTH)) % VOCABULARY
        texts = [" ".join(f"word{number}" for number in row) for row in words]
        self.texts, self.asked = texts[:size], texts[size:]
        felt = np.where(chance.random((size + QUERIES, 8)) < 0.8, 1.0, chance.uniform(1, 10))
        feelings = [Emotion(scores=tuple(map(float, row))) for row in felt]
        self.emotions = feelings[:size]
        loud = chance.integers(0, len(DIMENSIONS), QUERIES)
        self.felt = [_feels(int(at)) for at in loud]


def _feels(at: int) -> Emotion:
    return Emotion(scores=tuple(8.0 if n == at else 1.0 for n in range(len(DIMENSIONS))))


def _memory(made: _Made, number: int) -> Memory:
    return Memory(
        source=f"speed:{number}",
        kind=EventKind.IMPORT,
        at=START + number * timedelta(minutes=10),
        precision=Precision.MINUTE,
        speaker=("Ana", "Ben")[number % 2],
        text=made.texts[number],
    )


class _Given:
    """An encoder that answers with a vector made before."""

    name = ENCODER
    dimension = DIMENSION

    def __init__(self, vector: NDArray[np.float32]) -> None:
        self._vector = vector

    async def embed(
        self, texts: Sequence[str], *, kind: Literal["query", "passage"]
    ) -> NDArray[np.float32]:
        del kind
        return np.repeat(self._vector[None, :], len(texts), axis=0)


@asynccontextmanager
async def _stored(made: _Made, options: Options) -> AsyncIterator[tuple[Storage, Hearing]]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_storage(Path(folder) / "speed.db") as storage:
            persona = await storage.persona("bench", "Ida")
            for start in range(0, made.size, CHUNK):
                part = range(start, min(start + CHUNK, made.size))
                await storage.remember(
                    "bench",
                    "bench",
                    [_memory(made, number) for number in part],
                    people={"Ana": ANA},
                    vectors=made.rows[part.start : part.stop],
                    embedder=ENCODER,
                    emotions=made.emotions[part.start : part.stop],
                    scorer="synthetic",
                )
                options.progress(f"store {made.size}", part.stop, made.size)
            ana = await storage.person(ANA)
            assert ana is not None
            yield storage, Hearing(persona=persona.id, people=(ana.id,))


async def _ours(made: _Made, options: Options) -> list[Row]:
    """The default with all signals, and the others beside it."""
    async with _stored(made, options) as (storage, hearing):
        ana = hearing.people[0]
        found = []
        for strategy in STRATEGIES:
            seconds = []
            for at in range(-1, QUERIES):  # the first time warms up
                query = Query(
                    text=made.asked[at],
                    emotion=made.felt[at],
                    now=START + made.size * timedelta(minutes=10),
                    closeness={ana: 1.0},
                    limit=TOP,
                )
                started = time.perf_counter()
                await bring_to_mind(
                    query,
                    hearing,
                    storage=storage,
                    embedder=_Given(made.probes[at]),
                    limit=TOP,
                    strategy=strategy,
                )
                seconds.append(time.perf_counter() - started)
            found.append(_row(f"bower {strategy}", made.size, seconds[1:]))
        return found


def _scan(rows: NDArray[np.float32], probe: NDArray[np.float32]) -> NDArray[np.int64]:
    scores = rows @ probe
    best = np.argpartition(-scores, TOP)[:TOP]
    return best[np.argsort(-scores[best])]


def _timed(calls: Sequence[Callable[[], object]]) -> list[float]:
    """Seconds of each call; the first is made once before, to warm up."""
    calls[0]()
    seconds = []
    for call in calls:
        started = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started)
    return seconds


def _peers(made: _Made, options: Options) -> list[float]:
    """Seconds of the peer's `retrieve` with its six signals."""
    peer: Any = importlib.import_module("emotional_memory")
    known = dict(zip(made.asked, made.probes, strict=True))
    store, chance = peer.InMemoryStore(), np.random.default_rng(0)
    for number, (text, row) in enumerate(zip(made.texts, made.rows, strict=True)):
        valence, arousal = chance.uniform(-1, 1), chance.uniform(0, 1)
        tag = peer.make_emotional_tag(
            peer.CoreAffect(valence=valence, arousal=arousal),
            peer.AffectiveMomentum(),
            peer.MoodField.neutral(),
            0.5,
        )
        store.save(peer.Memory.create(content=text, tag=tag, embedding=row.tolist()))
        if number % CHUNK == 0:
            options.progress(f"peer {made.size}", number, made.size)
    engine = peer.EmotionalMemory(store, _PeersEncoder(known))
    engine.set_affect(peer.CoreAffect(valence=0.5, arousal=0.5))
    asked = made.asked[: PEERS_QUERIES[made.size]]
    return _timed([partial(engine.retrieve, text, top_k=TOP) for text in asked])


class _PeersEncoder:
    """The same vectors in the shape that the peer wants."""

    def __init__(self, known: dict[str, NDArray[np.float32]]) -> None:
        self._known = {text: [float(value) for value in row] for text, row in known.items()}

    def embed(self, text: str) -> list[float]:
        return self._known[text]

    def embed_batch(self, texts: list[str]) -> list[list[float]]:
        return [self.embed(text) for text in texts]


def _row(name: str, size: int, seconds: Sequence[float]) -> Row:
    metrics = {
        "ms": 1000 * float(np.median(seconds)),
        "p95 ms": 1000 * float(np.percentile(seconds, 95)),
    }
    return Row(name=name, subset=f"{size} memories", metrics=metrics)


def _ratio(rows: Sequence[Row], size: int) -> Row:
    """How many times as long the others take as the default of ours."""
    ms = {row.name: row.metrics["ms"] for row in rows}
    ours = ms["bower blend"]
    others = {name: took / ours for name, took in ms.items() if not name.startswith("bower")}
    return Row(name="times as long as bower blend", subset=f"{size} memories", metrics=others)
