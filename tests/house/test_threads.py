"""A thread has what its channel has, until something else is set in it."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.engine import Engine
from bot.messages import Rights
from bot.ports import Storage
from bot.world import PlaceKind
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ListPlatform, a_persona, room
from tests.house.someone import Someone

HALL = room("hall")
THREAD = replace(
    room("tea"), kind=PlaceKind.THREAD, parent=HALL.key.chat, server=HALL.server or "s1"
)


@pytest.fixture
async def engine(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
    async with make_engine(store) as made:
        yield made


@pytest.fixture
def ana(engine: Engine) -> Someone:
    return Someone(engine, ListPlatform(), where=THREAD)


@pytest.fixture
def admin(engine: Engine) -> Someone:
    return Someone(engine, ListPlatform(), "Olga", rights=Rights.ADMIN, where=HALL)


async def test_what_is_set_for_the_channel_holds_in_its_threads(
    ana: Someone, admin: Someone
) -> None:
    assert await ana.say("tea?") == []
    await admin.ask("/settings speak always")
    assert await ana.say("tea?") == ["I heard: tea?"]
    shown = (await admin.ask("/settings", THREAD)).text
    assert "speak = always (set for the channel of this thread)" in shown
    assert await ana.say("tea?", room("elsewhere")) == []


async def test_what_is_set_in_the_thread_goes_before_its_channel(
    ana: Someone, admin: Someone
) -> None:
    await admin.ask("/settings speak always")
    await admin.ask("/settings speak never", THREAD)
    assert await ana.say("Ida, tea?") == []
    assert await ana.say("tea?", HALL) == ["I heard: tea?"]
    await admin.ask("/settings speak reset", THREAD)
    assert await ana.say("tea?") == ["I heard: tea?"]


async def test_the_channel_goes_before_the_server(ana: Someone, admin: Someone) -> None:
    await admin.ask("/settings speak never server")
    await admin.ask("/settings speak always")
    assert await ana.say("tea?") == ["I heard: tea?"]


async def test_a_pause_of_the_channel_silences_its_threads(ana: Someone, admin: Someone) -> None:
    await admin.ask("/pause")
    assert await ana.say("Ida, tea?") == []
    await admin.ask("/resume")
    assert await ana.say("Ida, tea?") == ["I heard: Ida, tea?"]


async def test_an_opened_channel_opens_its_threads(
    ana: Someone, admin: Someone, store: Storage
) -> None:
    await admin.ask("/settings opened yes")
    await ana.say("the kettle sings")
    assert (await store.counts())["events"] == 1


async def test_the_persona_of_the_channel_speaks_in_its_threads(
    store: Storage, make_engine: MakeEngine, clock: FakeClock
) -> None:
    platform = ListPlatform()
    async with make_engine(store, personas=[a_persona(), a_persona("noel", "Noel")]) as engine:
        admin = Someone(engine, platform, "Olga", rights=Rights.ADMIN, where=HALL)
        ana = Someone(engine, platform, where=THREAD)
        await admin.ask("/persona use Noel")
        await ana.say("hello", mentions_me=True)
        assert platform.sent[-1].speaker == "Noel"
        await admin.ask("/persona use Ida", THREAD)
        await ana.say("hello", mentions_me=True)
        assert platform.sent[-1].speaker == "Ida"
        await ana.say("hello", HALL, mentions_me=True)
        assert platform.sent[-1].speaker == "Noel"
