"""Small scenes for the storage tests: who says what where, and a look into the file."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bot.memory import Event, EventKind, Memory, Precision, Recalled, Turn
from bot.messages import Message
from bot.ports import Storage
from bot.world import AccountKey, Author, PlaceKey, PlaceKind, Where
from storage.driver import Driver

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ENCODER = "fake"
SIZE = 16


def author(name: str, *, user: str = "", platform: str = "tin", is_me: bool = False) -> Author:
    return Author(
        account=AccountKey(platform=platform, user=user or name.lower()), name=name, is_me=is_me
    )


def key(chat: str, thread: str = "", *, bot: str = "bot") -> PlaceKey:
    return PlaceKey(platform="tin", bot_account=bot, chat=chat, thread=thread)


def dm(who: str = "ana", *, bot: str = "bot") -> Where:
    return Where(key=key(f"dm-{who}", bot=bot), kind=PlaceKind.DM, name=who)


def channel(
    name: str = "general",
    *,
    server: str = "s1",
    private: bool = False,
    thread: str = "",
    bot: str = "bot",
    age_restricted: bool = False,
) -> Where:
    return Where(
        key=key(name, thread, bot=bot),
        kind=PlaceKind.THREAD if thread else PlaceKind.CHANNEL,
        name=thread or name,
        server=server,
        server_name=server,
        private=private,
        age_restricted=age_restricted,
    )


def group(name: str = "family") -> Where:
    return Where(key=key(name), kind=PlaceKind.GROUP, name=name)


def message(
    number: int | str,
    text: str,
    *,
    by: str | Author = "Ana",
    where: Where | None = None,
    at: datetime | None = None,
    reply_to: str | None = None,
    quoted: str = "",
    mentions: tuple[Author, ...] = (),
) -> Message:
    moment = at or (NOON + timedelta(minutes=number) if isinstance(number, int) else NOON)
    return Message(
        id=f"m{number}" if isinstance(number, int) else number,
        where=where or dm(),
        author=author(by) if isinstance(by, str) else by,
        text=text,
        at=moment,
        reply_to=reply_to,
        quoted=quoted,
        mentions=mentions,
    )


async def hears(store: Storage, said: Message, persona: str | None = "ida") -> Event:
    """Receives a message that is certain to be kept."""
    received = await store.received(said, persona=persona, ignored="" if persona else "overheard")
    assert received.event is not None
    return received.event


async def composes(store: Storage, *said: Event, persona: str = "ida", nonce: str = "") -> Turn:
    turn = await store.composing(
        said[0].place_id,
        persona,
        [event.id for event in said],
        nonce=nonce or f"n{said[0].id}",
        reply_to=None,
        at=said[-1].at,
    )
    assert turn is not None
    return turn


async def answers(
    store: Storage,
    *said: Event,
    text: str = "I see.",
    persona: str = "ida",
    recalled: Sequence[Recalled] = (),
    ids: Sequence[str] = (),
) -> Turn:
    """A whole turn, sent and learned from."""
    turn = await composes(store, *said, persona=persona)
    at = said[-1].at + timedelta(seconds=5)
    turn = await store.answered(turn.id, text, at=at, recalled=recalled, strategy="meaning")
    assert turn.reply is not None
    await store.attempted(turn.id, at)
    await store.sent(turn.id, ids or [f"r{turn.id}"], at)
    await store.learned(turn.id, at)
    events = [*(event.id for event in turn.said), turn.reply.id]
    await store.embedded(events, directions(*events), ENCODER)
    found = await store.turn_of_reply(turn.place.where.key, (ids or [f"r{turn.id}"])[0])
    assert found is not None
    return found


def directions(*numbers: int, size: int = SIZE) -> NDArray[np.float32]:
    """Unit vectors that depend on the numbers alone, one row each."""
    rows = [np.random.default_rng(number).standard_normal(size) for number in numbers]
    made = np.array(rows, dtype=np.float32).reshape(len(numbers), size)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def memory(
    source: str,
    text: str,
    *,
    kind: EventKind = EventKind.SEED,
    speaker: str = "",
    people: tuple[str, ...] = (),
    at: datetime = NOON - timedelta(days=3000),
) -> Memory:
    return Memory(
        source=source,
        kind=kind,
        at=at,
        precision=Precision.YEAR,
        speaker=speaker,
        text=text,
        people=people,
        place="Skerry",
        importance=0.5,
    )


def look(driver: Driver, path: Path, sql: str, *values: str | int) -> list[tuple[object, ...]]:
    """Rows of the file, read past the storage."""
    with closing(driver.connect(path)) as connection:
        return [tuple(row) for row in connection.execute(sql, values).fetchall()]


def every_text(driver: Driver, path: Path) -> str:
    """All texts of all ordinary tables, for finding what should be gone."""
    tables = look(driver, path, "select name from sqlite_master where type = 'table'")
    found: list[str] = []
    for (table,) in tables:
        if str(table).startswith(("sqlite_", "event_words", "migration")):
            continue
        found += [
            value
            for row in look(driver, path, f"select * from {table}")
            for value in row
            if isinstance(value, str)
        ]
    return "\n".join(found)


def assert_sound(driver: Driver, path: Path) -> None:
    """No damage, no row that points at nothing, and an index that agrees with the texts."""
    assert look(driver, path, "pragma integrity_check") == [("ok",)]
    assert look(driver, path, "pragma foreign_key_check") == []
    # raises if the index holds other words than the remembered texts
    look(driver, path, "insert into event_words (event_words, rank) values ('integrity-check', 1)")
    assert (
        look(
            driver,
            path,
            """
        select t.id from turn t
        where t.state in ('answered', 'sent', 'learned')
          and (t.reply is null or not exists (select 1 from turn_event e where e.turn = t.id))
        """,
        )
        == []
    )


def content(path: Path) -> bytes:
    return path.read_bytes()


def overwrite(path: Path, new: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(new)
