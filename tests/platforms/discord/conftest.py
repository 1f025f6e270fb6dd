"""Worlds for the tests of Discord."""

from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path

import pytest

from tests.platforms.discord.world import DiscordWorld

MakeWorld = Callable[..., Coroutine[object, object, DiscordWorld]]


@pytest.fixture
async def make_world(tmp_path: Path) -> AsyncIterator[MakeWorld]:
    """Makes worlds with other settings; they are closed at the end."""
    made: list[DiscordWorld] = []

    async def make(**settings: object) -> DiscordWorld:
        world = DiscordWorld(tmp_path, **settings)  # type: ignore[arg-type]
        made.append(world)
        await world.open()
        return world

    yield make
    for world in made:
        await world.close()
        assert world.fake.rest.wrong == []


@pytest.fixture
async def world(make_world: MakeWorld) -> DiscordWorld:
    return await make_world()
