"""What happens while an answer is under way."""

import asyncio
from collections.abc import Sequence

from bot.messages import Kept
from bot.ports import Line, Storage
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ListPlatform, ScriptedChat, last_said, says, until


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
