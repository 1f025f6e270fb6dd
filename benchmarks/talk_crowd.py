"""Many conversations at once against a scripted model with a second of latency."""

import asyncio
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from adapters.llm import OpenAIModel
from benchmarks.record import Options, Row
from bot.clock import SystemClock
from bot.engine import Engine, Limits
from bot.messages import Message, Outbound, Reply
from bot.parts import NoFeeling
from bot.persona import Persona
from bot.ports import Embedder
from bot.world import AccountKey, Author, PlaceKey, PlaceKind, Where
from storage import open_storage

CONVERSATIONS = 200
LINES = 3
LATENCY_SECONDS = 1.0
LAG_STEP_SECONDS = 0.01


async def crowd_rows(persona: Persona, embedder: Embedder, options: Options) -> list[Row]:
    """What 200 people see who talk at once: replies, order, waiting; and the loop's lag."""
    people = min(options.limit or CONVERSATIONS, CONVERSATIONS)
    with tempfile.TemporaryDirectory() as folder:
        async with scripted_model(LATENCY_SECONDS) as address:
            return [await _crowd(persona, embedder, Path(folder), address, people)]


async def _crowd(
    persona: Persona, embedder: Embedder, folder: Path, address: str, people: int
) -> Row:
    model = OpenAIModel(base_url=address, api_key="none", model="scripted")
    replies: dict[int, list[str]] = {n: [] for n in range(people)}
    waits: list[float] = []
    async with open_storage(folder / "crowd.db") as storage, model:
        await storage.persona(persona.key, persona.name)
        engine = Engine(
            storage=storage,
            model=model,
            small_model=model,
            embedder=embedder,
            scorer=NoFeeling(),
            personas={persona.key: persona},
            default_persona=persona.key,
            clock=SystemClock(),
            limits=Limits(burst_seconds=0),
        )

        async def talk(n: int) -> None:
            async def send(outbound: Outbound) -> Sequence[str]:
                if not isinstance(outbound, Reply):
                    return ()
                replies[n].append(outbound.text)
                return (f"r{n}-{len(replies[n])}",)

            for number in range(LINES):
                started = time.perf_counter()
                await engine.handle(_message(n, number), send)
                waits.append(time.perf_counter() - started)

        async with engine:
            started = time.perf_counter()
            async with loop_lag() as lags:
                await asyncio.gather(*(talk(n) for n in range(people)))
            seconds = time.perf_counter() - started
            await engine.idle()
    in_order = sum(
        all(f"line {number}" in text for number, text in enumerate(texts)) and len(texts) == LINES
        for texts in replies.values()
    )
    return Row(
        name="many conversations at once",
        subset=f"{people} conversations of {LINES} lines, model latency {LATENCY_SECONDS:g} s",
        metrics={
            "replies": sum(map(len, replies.values())),
            "expected": people * LINES,
            "conversations in order": in_order,
            "seconds": seconds,
            "seconds if only the model took time": LINES * LATENCY_SECONDS,
            "wait p50 s": float(np.percentile(waits, 50)),
            "wait p99 s": float(np.percentile(waits, 99)),
            "loop lag p50 ms": float(np.percentile(lags, 50)) * 1000,
            "loop lag p99 ms": float(np.percentile(lags, 99)) * 1000,
            "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        },
    )


def _message(n: int, number: int) -> Message:
    user = f"p{n}"
    return Message(
        id=f"{n}-{number}",
        where=Where(key=PlaceKey(platform="bench", bot_account="b", chat=user), kind=PlaceKind.DM),
        author=Author(account=AccountKey(platform="bench", user=user), name=f"P{n}"),
        text=f"line {number} of conversation {n}: the harbour was quiet and the bread was good",
        at=datetime.now(UTC),
    )


@asynccontextmanager
async def loop_lag() -> AsyncIterator[list[float]]:
    """Collects by how many seconds the event loop is late, every 10 ms."""
    lags: list[float] = []

    async def watch() -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(LAG_STEP_SECONDS)
            lags.append(max(time.perf_counter() - started - LAG_STEP_SECONDS, 0.0))

    task = asyncio.create_task(watch())
    try:
        yield lags
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def scripted_model(latency: float, script: str = "--echo") -> AsyncIterator[str]:
    """The address of a scripted endpoint in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.scripted_model",
        "--port",
        "0",
        "--latency",
        str(latency),
        script,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), 30)
        yield line.decode().split()[-1]
    finally:
        process.terminate()
        await process.wait()
