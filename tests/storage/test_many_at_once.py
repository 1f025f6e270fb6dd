"""Many tasks, several programs, and tasks that are cancelled."""

import asyncio
import sys
import threading
from asyncio.subprocess import PIPE, Process
from contextlib import closing, suppress
from pathlib import Path

import pytest

from bot.errors import StorageError
from bot.memory import Selection
from bot.world import Hearing
from storage import SqliteStorage
from storage.connection import Database, Transaction
from storage.driver import Driver
from storage.forgetting.scrub import scrub
from tests.storage.conftest import Reopen, Variant
from tests.storage.scenes import (
    ENCODER,
    NOON,
    answers,
    assert_sound,
    channel,
    directions,
    hears,
    look,
    message,
)

ROOT = Path(__file__).parents[2]


async def start_writer(variant: Variant, path: Path, name: str, turns: int) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.storage.writer_child",
        str(path), variant.choice, str(variant.extension), name, str(turns),
        cwd=ROOT, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip


async def test_fifty_writers_lose_nothing(store: SqliteStorage, driver: Driver, path: Path) -> None:
    async def one(writer: int) -> None:
        for number in range(3):
            said = message(f"{writer}-{number}", "hello", where=channel(f"c{writer}"))
            await answers(store, await hears(store, said), ids=[f"r{writer}-{number}"])

    async def reader() -> None:
        ida = await store.persona("ida", "Ida")
        place = await store.place(channel("c1"))
        for _ in range(20):
            hearing = Hearing(persona=ida.id, place=place.id)
            await store.nearest(directions(1)[0], ENCODER, hearing, limit=5)
            await store.matching("hello", hearing, limit=5)

    async with asyncio.TaskGroup() as group:
        for writer in range(50):
            group.create_task(one(writer))
        for _ in range(5):
            group.create_task(reader())
    counts = await store.counts()
    assert (counts["events"], counts["turns"], counts["vectors"]) == (300, 150, 300)
    assert_sound(driver, path)


async def test_two_programs_write_to_one_file(
    store: SqliteStorage, driver: Driver, path: Path, variant: Variant
) -> None:
    other = await start_writer(variant, path, "other", 25)
    for number in range(25):
        event = await hears(store, message(f"{number}", "hello", where=channel("mine")))
        await answers(store, event, ids=[f"r{number}"])
    _, errors = await other.communicate()
    assert other.returncode == 0, errors.decode()
    assert (await store.counts())["turns"] == 25 + 20  # the other deletes each fifth
    assert_sound(driver, path)


@pytest.mark.parametrize("milliseconds", [5, 40, 90, 160, 250])
async def test_a_killed_program_leaves_no_half_transaction(
    driver: Driver, path: Path, variant: Variant, reopen: Reopen, milliseconds: int
) -> None:
    child = await start_writer(variant, path, "killed", 100_000)
    assert child.stdout is not None
    assert await child.stdout.readline() == b"ready\n"
    await asyncio.sleep(milliseconds / 1000)
    child.kill()
    await child.wait()
    async with reopen() as store:
        left = await store.unfinished("tin")
        for pending in left.pending:
            await answers(store, pending.event, ids=["after"])
    assert_sound(driver, path)
    # a reply is there with its turn, and the turn with what it covers
    assert look(
        driver, path, "select id from event where kind = 'reply' and id not in "
        "(select reply from turn where reply is not null)",
    ) == []  # fmt: skip
    assert (
        look(driver, path, "select event from inbox where state = 'covered' and turn is null") == []
    )


async def test_a_cancelled_task_leaves_no_half_transaction(
    store: SqliteStorage, driver: Driver, path: Path
) -> None:
    """Cancelled after any number of steps of the event loop, also while committing."""
    for steps in range(60):
        task = asyncio.create_task(
            store.received(message(f"c{steps}", "hello", where=channel()), persona="ida")
        )
        for _ in range(steps):
            await asyncio.sleep(0 if steps % 2 else 0.0002)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await hears(store, message(f"k{steps}", "kept", where=channel()))
    rows = look(
        driver, path,
        "select count(*), (select count(*) from inbox), (select count(*) from event_message), "
        "(select count(*) from event_agent where role = 'speaker') from event",
    )  # fmt: skip
    ((events, *others),) = rows
    assert others == [events] * 3
    assert isinstance(events, int)
    assert 60 <= events <= 120
    assert_sound(driver, path)


async def test_a_transaction_that_fails_undoes_only_itself(
    driver: Driver, path: Path, reopen: Reopen
) -> None:
    async with reopen():
        pass
    async with Database(driver, path) as database:

        async def failing(db: Transaction) -> None:
            await db.run("insert into opt_out values ('tin', 'failing', ?)", "x" * 32)
            raise RuntimeError("half-way")

        async def bystander(db: Transaction) -> None:
            await db.run("insert into opt_out values ('tin', 'bystander', ?)", "x" * 32)

        failed, _ = await asyncio.gather(
            database.write(failing), database.write(bystander), return_exceptions=True
        )
        assert isinstance(failed, RuntimeError)
    assert look(driver, path, "select user from opt_out") == [("bystander",)]


async def test_a_transaction_that_waits_for_something_else_is_undone(
    driver: Driver, path: Path, reopen: Reopen
) -> None:
    async with reopen():
        pass

    async def waiting(db: Transaction) -> None:
        await db.run("insert into opt_out values ('tin', 'waiting', ?)", "x" * 32)
        await asyncio.sleep(0)

    async with Database(driver, path) as database:
        with pytest.raises(RuntimeError, match="waited for something else"):
            await database.write(waiting)
    assert look(driver, path, "select user from opt_out") == []


async def test_a_reader_sees_one_state_throughout(
    driver: Driver, path: Path, reopen: Reopen
) -> None:
    async with reopen():
        pass
    looked, written = threading.Event(), threading.Event()

    async def twice(db: Transaction) -> list[int]:
        first = await db.value("select count(*) from opt_out")
        looked.set()
        assert written.wait(20)
        return [first, await db.value("select count(*) from opt_out")]

    async with Database(driver, path) as database:
        before = asyncio.create_task(database.read(twice))
        await asyncio.to_thread(looked.wait, 20)
        await database.write(
            lambda db: db.run("insert into opt_out values ('tin', 'x', ?)", "x" * 32)
        )
        after = await database.read(lambda db: db.value("select count(*) from opt_out"))
        written.set()
        assert (await before, after) == ([0, 0], 1)


async def test_readers_cannot_write(driver: Driver, path: Path, reopen: Reopen) -> None:
    async with reopen():
        pass
    async with Database(driver, path) as database:
        with pytest.raises(StorageError):
            await database.read(lambda db: db.run("delete from event"))


async def test_a_closed_storage_says_so(store: SqliteStorage) -> None:
    await store.close()
    await store.close()
    with pytest.raises(StorageError, match="closed"):
        await store.received(message(1, "hello"), persona="ida")
    with pytest.raises(StorageError, match="closed"):
        await store.setting(None, "x")


async def test_forgetting_waits_for_readers_and_they_for_it(store: SqliteStorage) -> None:
    events = [await hears(store, message(n, f"hello {n}")) for n in range(8)]
    place = events[0].place_id
    async with asyncio.TaskGroup() as group:
        for event in events:
            group.create_task(store.forget(Selection(events=(event.id,))))
            for _ in range(3):
                group.create_task(store.window(place, before=message(99, "").at, limit=9))
    assert (await store.counts())["events"] == 0


async def test_times_sort_as_text(store: SqliteStorage, driver: Driver, path: Path) -> None:
    await hears(store, message("x", "a", at=NOON))
    assert look(driver, path, "select at from event") == [("2026-03-01T12:00:00.000000+00:00",)]


async def test_another_programs_reader_is_named_when_text_stays_in_the_log(
    store: SqliteStorage, driver: Driver, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await hears(store, message(1, "hello"))
    with closing(driver.connect(path)) as other:
        other.execute("begin")
        other.execute("select count(*) from event").fetchone()
        await scrub(store._db, wait_seconds=0)
        assert "another program reads" in caplog.text.lower()
        other.execute("commit")
        caplog.clear()
        await scrub(store._db, wait_seconds=0)
        assert caplog.text == ""
