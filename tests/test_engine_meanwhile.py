"""What happens while an answer is under way."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.messages import Kept
from bot.ports import Line, Storage
from bot.world import Where
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import (
    FakeClock,
    ListPlatform,
    ScriptedChat,
    WordEmbedder,
    dm_with,
    last_said,
    room,
    says,
    until,
)
from tests.house.someone import Someone
from tests.test_crowd import GatedEmbedder


async def test_the_answer_that_came_meanwhile_stands_before_what_is_answered_next(
    store: Storage, make_engine: MakeEngine, model: ScriptedChat, clock: FakeClock
) -> None:
    """Else the persona would not know that it has answered the first line already."""
    started, go_on = asyncio.Event(), asyncio.Event()

    async def slow(lines: Sequence[Line]) -> str:
        started.set()
        await go_on.wait()
        return f"to {last_said(lines)}"

    model.script = slow
    platform = ListPlatform()
    async with make_engine(store) as engine:
        first = asyncio.create_task(
            engine.handle(says("Ana", "one", at=clock.now()), platform.send)
        )
        await started.wait()
        clock.pass_time(seconds=1)
        second = asyncio.create_task(
            engine.handle(says("Ana", "two", at=clock.now()), platform.send)
        )
        await until(lambda: platform.outbound.count(Kept()) == 2)
        clock.pass_time(seconds=1)
        go_on.set()
        await asyncio.gather(first, second)
    dialogue = [line.text for line in model.prompts[-1] if line.role != "system"]
    assert dialogue == ["Ana: one", "to one", "Ana: two"]


async def test_that_answer_is_found_behind_any_number_of_lines_that_came_since(
    store: Storage, make_engine: MakeEngine, model: ScriptedChat, clock: FakeClock
) -> None:
    embedder, platform = GatedEmbedder(), ListPlatform()
    embedder.gate.set()
    go_on = asyncio.Event()

    async def slow(lines: Sequence[Line]) -> str:
        await go_on.wait()
        return f"to {last_said(lines)}"

    def say(name: str, text: str, where: Where | None = None) -> asyncio.Task[None]:
        clock.pass_time(seconds=1)
        message = says(name, text, where, at=clock.now())
        return asyncio.create_task(engine.handle(message, platform.send))

    async def kept(events: int) -> None:
        while (await store.counts())["events"] < events:
            pass

    model.script = slow
    limits = replace(LIMITS, prepared_at_once=1, window_lines=4)
    async with make_engine(store, embedder=embedder, limits=limits) as engine:
        talk = [say("Ana", "Ida, one", room())]
        await until(lambda: len(model.prompts) == 1)
        talk.append(say("Ana", "Ida, two", room()))
        await kept(2)
        embedder.gate.clear()
        talk.append(say("Ben", "hello"))  # takes the only place where prompts are prepared
        await until(lambda: embedder.waiting == 1)
        clock.pass_time(seconds=1)
        go_on.set()
        await talk[0]
        for number in range(30):
            talk.append(say("Ana", f"Ida, and {number}", room()))
            await kept(5 + number)
        embedder.gate.set()
        await asyncio.gather(*talk)
    dialogue = [line.text for line in model.prompts[2] if line.role != "system"]
    assert dialogue == ["Ana: Ida, one", "to Ida, one", "Ana: Ida, two"]


class SlowLearner(WordEmbedder):
    """Keeps what was said waiting for its vectors until the gate is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def embed(self, texts: Sequence[str], *, kind: str) -> NDArray[np.float32]:
        if kind == "passage":
            await self.gate.wait()
        return await super().embed(texts, kind=kind)


async def test_a_command_knows_what_was_said_right_before_it(
    store: Storage, make_engine: MakeEngine
) -> None:
    learner, platform = SlowLearner(), ListPlatform()
    async with make_engine(store, embedder=learner) as engine:
        ana = Someone(engine, platform, where=dm_with("Ana"))
        await engine.handle(says("Ana", "hello"), platform.send)
        asyncio.get_running_loop().call_later(0.1, learner.gate.set)
        told = await ana.ask("/relationship")
        assert "after 1 exchange on 1 day" in told.text


async def test_a_command_does_not_wait_for_ever_nor_for_other_places(
    store: Storage, make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner, platform = SlowLearner(), ListPlatform()
    async with make_engine(store, embedder=learner) as engine:
        ana = Someone(engine, platform, where=dm_with("Ana"))
        await engine.handle(says("Ben", "hello"), platform.send)
        monkeypatch.setattr("bot.commands.run.CATCH_UP_SECONDS", 1000)
        await ana.ask("/mood")
        monkeypatch.setattr("bot.commands.run.CATCH_UP_SECONDS", 0.01)
        await engine.handle(says("Ana", "hello"), platform.send)
        await ana.ask("/mood")
        learner.gate.set()
