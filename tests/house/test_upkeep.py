"""What time does: what is older than a place keeps is forgotten, what the bot left is purged."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.emotion import NEUTRAL
from bot.engine import Engine
from bot.engine.upkeep import Upkeep
from bot.house.stored import Stored
from bot.memory import EventKind, Memory, Precision
from bot.messages import Rights
from bot.ports import Storage
from storage.driver import pick_driver
from tests.conftest import MakeEngine
from tests.fakes import NOON, FakeClock, ListPlatform, WordEmbedder, room
from tests.house.someone import Someone
from tests.storage.scenes import assert_sound, every_text


@pytest.fixture
async def engine(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
    async with make_engine(store) as made:
        yield made


@pytest.fixture
def ana(engine: Engine) -> Someone:
    return Someone(engine, ListPlatform())


@pytest.fixture
def upkeep(engine: Engine, store: Storage, clock: FakeClock) -> Upkeep:
    return Upkeep(storage=store, clock=clock, house=engine._house)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What lies in the file."""

    file: Path

    @property
    def texts(self) -> str:
        return every_text(pick_driver(), self.file)

    @property
    def content(self) -> bytes:
        return self.file.read_bytes() + self.file.with_name("bower.db-wal").read_bytes()

    def is_sound(self) -> bool:
        assert_sound(pick_driver(), self.file)
        return True


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(file=tmp_path / "bower.db")


@pytest.fixture
def admin(engine: Engine, ana: Someone) -> Someone:
    return Someone(engine, ana.platform, "Mod", rights=Rights.ADMIN)


async def remember_the_past(store: Storage) -> None:
    embedder = WordEmbedder()
    memory = Memory(
        source="ida.toml#1",
        kind=EventKind.SEED,
        at=NOON.replace(year=1998),
        precision=Precision.YEAR,
        speaker="Ida",
        text="the great storm",
    )
    await store.remember(
        "ida",
        "",
        [memory],
        people={},
        vectors=await embedder.embed([memory.text], kind="passage"),
        embedder=embedder.name,
        emotions=[NEUTRAL],
        scorer="neutral",
    )


async def test_only_what_is_older_than_its_place_keeps_is_forgotten(
    ana: Someone, admin: Someone, upkeep: Upkeep, clock: FakeClock, kept: Kept
) -> None:
    store = ana.engine._storage
    await remember_the_past(store)
    await admin.ask("/settings retention 30 server")
    await admin.ask("/settings retention 0 here", room("archive"))
    for where in (room(), room("archive"), ana.dm):
        await ana.say("Ida, the blue heron nests", where)
    clock.pass_time(days=20)
    await ana.say("Ida, the grey goose came")
    clock.pass_time(days=9)
    assert await upkeep.once() == 0
    clock.pass_time(days=2)
    assert await upkeep.once() == 2
    assert (await store.counts())["events"] == 1 + 2 + 2 + 2
    assert "grey goose" in kept.texts
    assert kept.is_sound()


async def test_forgotten_words_are_no_longer_in_the_file(
    ana: Someone, admin: Someone, upkeep: Upkeep, clock: FakeClock, kept: Kept
) -> None:
    await admin.ask("/settings retention 1")
    await ana.say("Ida, the xylophone is under the staircase")
    assert b"xylophone" in kept.content
    clock.pass_time(days=2)
    await upkeep.once()
    assert b"xylophone" not in kept.content


async def test_a_server_that_the_bot_left_is_purged_after_the_stated_time(
    ana: Someone, admin: Someone, upkeep: Upkeep, clock: FakeClock, kept: Kept
) -> None:
    store = ana.engine._storage
    ben = Someone(ana.engine, ana.platform, "Ben")
    await ana.say("Ida, hello from Ana")
    await ben.say("Ida, hello from Ben", room("hall"))
    await ana.say("privately", ana.dm)
    await admin.ask("/settings cooldown 5 server")
    await admin.ask("/settings cooldown 6")
    await store.left(room(), clock.now())
    clock.pass_time(days=29)
    assert await upkeep.once() == 0
    clock.pass_time(days=2)
    assert await upkeep.once() == 4
    assert await upkeep.once() == 0
    assert (await store.counts())["events"] == 2
    assert await store.settings(await store.place(room())) == Stored()
    assert await store.person(ana.author.account) is not None
    assert await store.person(ben.author.account) is None
    assert "Ben" not in kept.texts
    assert kept.is_sound()


async def test_a_server_to_which_the_bot_came_back_is_kept(
    ana: Someone, upkeep: Upkeep, store: Storage, clock: FakeClock
) -> None:
    await ana.say("Ida, hello")
    await store.left(room(), clock.now())
    clock.pass_time(days=29)
    await store.came_back(room(), clock.now())
    clock.pass_time(days=29)
    assert await upkeep.once() == 0


async def test_it_looks_once_a_day(
    ana: Someone, admin: Someone, engine: Engine, store: Storage, clock: FakeClock
) -> None:
    await admin.ask("/settings retention 1")
    await ana.say("Ida, hello")
    clock.slept.clear()
    task = asyncio.create_task(engine.keep_house())
    while (await store.counts())["events"]:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert set(clock.slept) == {86_400.0}
    assert len(clock.slept) <= 3
