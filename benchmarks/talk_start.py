"""Start-up, first reply and import, as whole processes and as the flow inside one."""

import asyncio
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.record import Options, Row
from benchmarks.synthetic import memories
from benchmarks.talk_crowd import scripted_model
from bot.imports import import_file
from bot.parts import NoFeeling
from bot.persona import Persona
from bot.ports import Embedder
from storage import open_storage

ROOT = Path(__file__).parent.parent
LINES = 2000


async def start_rows(options: Options) -> list[Row]:
    """Seconds until the program has read its first line, and until its first reply, beside
    a Python that only imports what the encoder needs."""
    del options
    with tempfile.TemporaryDirectory() as folder:
        async with scripted_model(0.0) as address:
            env = {
                **os.environ,
                "DATABASE": str(Path(folder) / "start.db"),
                "OPENAI_BASE_URL": address,
                "OPENAI_API_KEY": "none",
                "MODEL": "scripted",
            }
            await _seconds_to("hello", env)  # the seeds of the persona are embedded once
            prompt = await _seconds_to("/help", env)  # needs no model: the program listens
            reply = await _seconds_to("hello", env)
            helped = await _process_seconds(["main.py", "--help"], env)
            baseline = await _process_seconds(["-c", "import sentence_transformers"], env)
            bare = await _process_seconds(["-c", "pass"], env)
    return [
        Row(
            name="start-up",
            subset="second start, scripted endpoint",
            metrics={
                "s to first prompt": prompt,
                "s to first reply": reply,
                "s of importing the encoder's library alone": baseline,
                "ratio": reply / baseline,
                "s of main.py --help": helped,
                "s of a bare Python": bare,
            },
        )
    ]


async def _seconds_to(line: str, env: dict[str, str]) -> float:
    """Until the first line of the answer to this one."""
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "main.py",
        "chat",
        cwd=ROOT,
        env=env,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{line}\n".encode())
    await process.stdin.drain()
    answer = await process.stdout.readline()
    seconds = time.perf_counter() - started
    process.stdin.close()
    await process.wait()
    if not answer:
        raise RuntimeError("main.py chat gave no reply; run it by hand to see why")
    return seconds


async def _process_seconds(arguments: list[str], env: dict[str, str]) -> float:
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, env=env, stdout=asyncio.subprocess.DEVNULL
    )
    await process.wait()
    return time.perf_counter() - started


async def import_rows(persona: Persona, embedder: Embedder, options: Options) -> list[Row]:
    """Imported lines per second, beside the encoder alone on the same lines."""
    count = min(options.limit or LINES, LINES)
    lines = [f"{m.speaker}: {m.text} {n}" for n, m in enumerate(memories(0, count, options.seed))]
    started = time.perf_counter()
    await embedder.embed([f"{line} ." for line in lines], kind="passage")
    alone = count / (time.perf_counter() - started)
    with tempfile.TemporaryDirectory() as folder:
        async with open_storage(Path(folder) / "import.db") as storage:
            await storage.persona(persona.key, persona.name)
            started = time.perf_counter()
            await import_file(
                "bench.txt",
                "\n".join(lines).encode(),
                persona=persona,
                storage=storage,
                embedder=embedder,
                scorer=NoFeeling(),
                people={},
                default_time=datetime.now(UTC),
                progress=lambda done, whole: options.progress("import", done, whole),
            )
            ours = count / (time.perf_counter() - started)
    return [
        Row(
            name="import",
            subset=f"{count} lines",
            metrics={
                "memories per second": ours,
                "the encoder alone": alone,
                "ratio": ours / alone,
            },
        )
    ]
