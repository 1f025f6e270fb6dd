"""The whole program on a fake platform with a crowd in it: replies, order, limits, the loop's lag,
memory. The platform and the model are processes of their own; the program is this one."""

import asyncio
import json
import sys
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np

from adapters.cli.serving import serve
from adapters.health import watched
from adapters.settings import Settings
from benchmarks.record import Options, Record, Row
from benchmarks.talk_crowd import loop_lag, scripted_model
from bot.clock import SystemClock
from bot.parts import keep_up_to_date

LATENCY_SECONDS = 1.0
PER_SECOND = 10.0
"""Messages of all channels together: with 50 channels, one in five seconds in each."""

STEPS = (1_000, 4_000, 5_000)
"""So many messages, one after the other; memory is looked at after each."""

START_SECONDS = 300

Ask = Callable[[Mapping[str, object]], Awaitable[dict[str, float]]]


async def run_crowd(bench: str, module: str, options: Options) -> Record:
    """A row for each step; a limit makes it one step of so many messages. `module` is the
    fake platform's, to be run with `python -m`; `tests/crowds.py` says what it reads and
    writes."""
    steps = STEPS if options.limit is None else (options.limit,)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        async with (
            scripted_model(LATENCY_SECONDS, "--marks") as model,
            fake_platform(module) as (ask, settings),
            program(Path(folder), model, settings),
        ):
            for number, messages in enumerate(steps):
                options.progress("messages", sum(steps[:number]), sum(steps))
                rows.append(await _step(ask, messages, sum(steps[:number]), options.seed + number))
    return Record(
        bench=bench,
        n=sum(steps),
        seed=options.seed,
        settings={"model latency s": LATENCY_SECONDS, "messages per second": PER_SECOND},
        rows=rows,
    )


async def _step(ask: Ask, messages: int, before: int, seed: int) -> Row:
    async with loop_lag() as lags:
        figures = await ask({"messages": messages, "per_second": PER_SECOND, "seed": seed})
    milliseconds = {f"loop lag p{q} ms": float(np.percentile(lags, q)) * 1000 for q in (50, 99)}
    return Row(
        name="a crowd",
        subset=f"messages {before + 1} to {before + messages}",
        metrics={
            **figures,
            **milliseconds,
            "loop lag max ms": max(lags) * 1000,
            "memory MB": resident_megabytes(),
        },
    )


@asynccontextmanager
async def program(folder: Path, model_url: str, more: Mapping[str, str]) -> AsyncIterator[None]:
    """All of `main.py` in this process, with platforms by these settings."""
    import main  # noqa: PLC0415 - it is what is measured, and imports this folder itself

    settings = Settings.model_validate(
        {
            "database": folder / "crowd.db",
            "openai_base_url": model_url,
            "openai_api_key": "none",
            "model": "scripted",
            **{name.lower(): value for name, value in more.items()},
        }
    )
    async with main.open_parts(settings, SystemClock()) as parts:
        await parts.remembering.senses.embedder.embed(["warm up"], kind="query")
        platforms = [p for entry in main.platforms() for p in entry.make(settings, parts)]
        async with parts.engine, keep_up_to_date(parts), watched(parts.engine.meter):
            serving = asyncio.create_task(
                serve(platforms, parts.engine.handle, parts.engine.resume)
            )
            try:
                yield
            finally:
                serving.cancel()
                await asyncio.wait({serving})


@asynccontextmanager
async def fake_platform(module: str) -> AsyncIterator[tuple[Ask, dict[str, str]]]:
    """The platform as a process: what asks it for a crowd, and the settings that lead there."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, stdin=PIPE, stdout=PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    asked, answers = process.stdin, process.stdout

    async def ask(wish: Mapping[str, object]) -> dict[str, float]:
        asked.write(json.dumps(wish).encode() + b"\n")
        await asked.drain()
        return dict(json.loads(await answers.readline()))

    try:
        first = await asyncio.wait_for(answers.readline(), START_SECONDS)
        yield ask, json.loads(first)["settings"]
    finally:
        asked.close()
        await process.wait()


def resident_megabytes() -> float:
    """Memory of this process at this moment (Linux); nan elsewhere."""
    try:
        fields = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return float("nan")
    found = next(line for line in fields if line.startswith("VmRSS:"))
    return int(found.split()[1]) / 1024
