"""Many people at once: nothing is lost, order is kept, the event loop stays free."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bot.ports import Storage
from tests.conftest import LIMITS, MakeEngine
from tests.fakes import ListPlatform, WordEmbedder, says, until


async def test_two_hundred_conversations_at_once_lose_nothing_and_keep_order(
    store: Storage, make_engine: MakeEngine
) -> None:
    platforms = [ListPlatform() for _ in range(200)]

    async with make_engine(store) as engine:

        async def talk(n: int) -> None:
            for text in ("one", "two"):
                await engine.handle(says(f"P{n}", f"{text} of {n}"), platforms[n].send)

        await asyncio.gather(*(talk(n) for n in range(200)))
    for n, platform in enumerate(platforms):
        assert platform.texts == [f"I heard: one of {n}", f"I heard: two of {n}"]


class GatedEmbedder(WordEmbedder):
    """Keeps queries waiting until the gate is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = 0
        self.gate = asyncio.Event()

    async def embed(self, texts: Sequence[str], *, kind: str) -> NDArray[np.float32]:
        if kind == "query":
            self.waiting += 1
            await self.gate.wait()
            self.waiting -= 1
        return await super().embed(texts, kind=kind)


async def test_of_a_crowd_a_few_are_prepared_at_a_time(
    store: Storage, make_engine: MakeEngine
) -> None:
    embedder, platform = GatedEmbedder(), ListPlatform()
    limits = replace(LIMITS, prepared_at_once=3)
    async with make_engine(store, embedder=embedder, limits=limits) as engine:
        talk = asyncio.gather(
            *(engine.handle(says(f"P{n}", "hello"), platform.send) for n in range(20))
        )
        while (await store.counts())["turns"] < 20:
            pass
        await until(lambda: embedder.waiting >= 3)
        for _ in range(20):  # time enough for others to come as far
            await store.counts()
        assert embedder.waiting == 3
        embedder.gate.set()
        await talk
    assert len(platform.texts) == 20
