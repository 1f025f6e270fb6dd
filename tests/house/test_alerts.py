"""Operators are told when a budget is used up: once a day, and in private."""

import logging
from collections.abc import AsyncIterator

import pytest

from bot.engine import Engine
from bot.errors import SendError
from bot.house.plan import Plan
from bot.ports import Send, Storage
from bot.world import PlaceKey
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ListPlatform, person, room
from tests.house.someone import Someone


class PlacedPlatform(ListPlatform):
    """Notes where it was reached."""

    def __init__(self) -> None:
        super().__init__()
        self.reached: list[str] = []

    def reach(self, place: PlaceKey) -> Send:
        self.reached.append(place.chat)
        return super().reach(place)


@pytest.fixture
def platform() -> PlacedPlatform:
    return PlacedPlatform()


@pytest.fixture
async def engine(
    store: Storage, make_engine: MakeEngine, platform: PlacedPlatform
) -> AsyncIterator[Engine]:
    owners = frozenset({person("Root").account, person("Rita").account})
    async with make_engine(store, plan=Plan(budget_tokens=2), owners=owners) as made:
        await made.resume(platform)
        yield made


async def test_an_operator_is_told_once_a_day_in_their_own_conversation(
    engine: Engine, platform: PlacedPlatform, clock: FakeClock
) -> None:
    root = Someone(engine, platform, "Root")
    await root.say("hello", root.dm)
    ana = Someone(engine, platform)
    await ana.say("Ida, one")
    [notice, alert] = await ana.say("Ida, two")
    assert "Tomorrow it goes on" in notice
    assert "used up: 2 of 2 tokens" in alert
    assert "kitchen" in alert
    assert platform.reached == [root.dm.key.chat]
    assert await ana.say("Ida, three") == []
    clock.pass_time(days=1)
    await ana.say("Ida, four")
    assert len(await ana.say("Ida, five")) == 2


async def test_nobodys_private_conversation_is_named_to_an_operator(
    engine: Engine, platform: PlacedPlatform
) -> None:
    root, ana = Someone(engine, platform, "Root"), Someone(engine, platform)
    await root.say("hello", root.dm)
    await ana.say("one", ana.dm)
    [_, alert] = await ana.say("two", ana.dm)
    assert alert.startswith("The budget of a private conversation")


async def test_an_operator_out_of_reach_costs_nobody_anything(
    engine: Engine, platform: PlacedPlatform, caplog: pytest.LogCaptureFixture
) -> None:
    ana = Someone(engine, platform, where=room("hall"))
    await ana.say("Ida, one")
    with caplog.at_level(logging.INFO):
        assert len(await ana.say("Ida, two")) == 1
    assert "list:root has no conversation with the bot" in caplog.text


async def test_a_platform_that_does_not_take_the_alert_is_noted(
    engine: Engine, platform: PlacedPlatform, caplog: pytest.LogCaptureFixture
) -> None:
    root, ana = Someone(engine, platform, "Root"), Someone(engine, platform)
    await root.say("hello", root.dm)
    await ana.say("Ida, one")
    platform.fail = [SendError("Neither."), SendError("No.")]
    assert await ana.say("Ida, two") == []
    assert "An operator could not be told: No." in caplog.text
