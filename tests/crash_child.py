"""A whole engine in a process that tests kill: `python -m tests.crash_child FOLDER MESSAGES`.

Messages of ten conversations arrive as a platform with redelivery brings them: each start
begins with those that the program had not yet said it was done with. Every
reply is a line in FOLDER/sent, written and flushed before the platform answers; every start
is a line `start`.
"""

import asyncio
import os
import random
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.clock import SystemClock
from bot.engine import Engine, Limits
from bot.messages import Message, Outbound, Reply
from bot.ports import Handler, Line, Send
from bot.world import PlaceKey
from storage import open_storage
from tests.fakes import (
    NeutralScorer,
    ScriptedChat,
    WordEmbedder,
    a_persona,
    dm_with,
    last_said,
    says,
)

PEOPLE = 10


class FilePlatform:
    """Delivers by writing a line to a file; takes a moment, as a network does."""

    name = "list"
    idempotent = False

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(self, line: str) -> None:
        os.write(self._file, f"{line}\n".encode())

    async def run(self, handle: Handler) -> None:
        del handle

    def reach(self, place: PlaceKey) -> Send:
        del place
        return self.send

    async def send(self, outbound: Outbound) -> Sequence[str]:
        if not isinstance(outbound, Reply):
            return ()
        await asyncio.sleep(random.uniform(0, 0.002))
        self.note(outbound.nonce)
        await asyncio.sleep(random.uniform(0, 0.002))
        return (f"r-{outbound.nonce}",)


async def slow_answer(lines: Sequence[Line]) -> str:
    await asyncio.sleep(random.uniform(0, 0.01))
    return f"I heard {last_said(lines)}"


def a_message(n: int) -> Message:
    name = f"P{n % PEOPLE}"
    return says(name, f"message {n}", dm_with(name), id=f"m{n}", at=datetime.now(UTC))


async def main(folder: Path, messages: int) -> None:
    platform = FilePlatform(folder / "sent")
    done_file = folder / "done"
    done = set(done_file.read_text().split()) if done_file.exists() else set()
    persona = a_persona()
    model = ScriptedChat(slow_answer)
    async with open_storage(folder / "bower.db") as store:
        platform.note("start")
        await store.persona(persona.key, persona.name)
        async with Engine(
            storage=store,
            model=model,
            small_model=model,
            embedder=WordEmbedder(),
            scorer=NeutralScorer(),
            personas={persona.key: persona},
            default_persona=persona.key,
            clock=SystemClock(),
            limits=Limits(burst_seconds=0.002, burst_most_seconds=0.01),
        ) as engine:
            await engine.resume(platform)

            async def deliver(n: int) -> None:
                await engine.handle(a_message(n), platform.send)
                with done_file.open("a") as file:
                    file.write(f"m{n}\n")

            async with asyncio.TaskGroup() as tasks:
                for n in range(messages):
                    if f"m{n}" not in done:
                        tasks.create_task(deliver(n))
                        await asyncio.sleep(random.uniform(0, 0.003))
            await engine.idle()
    platform.note("end")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
