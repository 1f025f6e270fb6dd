"""One writer, a few readers: who may touch the database, and what its errors mean.

A transaction is a coroutine that awaits nothing but its own statements, so it is run to its end
in the thread of a connection: one trip there for all of it, and neither SQLite nor the making of
values from its rows holds up the event loop.
"""

import asyncio
import logging
import sqlite3
from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import aiosqlite

from bot.errors import StorageError
from storage.driver import BUSY_SECONDS, Driver

log = logging.getLogger(__name__)

READERS: Final = 3

T = TypeVar("T")
Value = str | int | float | bytes | None
Row = sqlite3.Row


class Transaction:
    """An open transaction, in the thread of its connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    async def named(self, sql: str, values: Mapping[str, Value]) -> list[Row]:
        """As `rows`, with parameters by name."""
        return self._connection.execute(sql, values).fetchall()

    async def row(self, sql: str, *values: Value) -> Row | None:
        rows = await self.rows(sql, *values)
        return rows[0] if rows else None

    async def value(self, sql: str, *values: Value) -> int:
        """The one number that the statement asks for."""
        rows = await self.rows(sql, *values)
        return int(rows[0][0])

    async def run(self, sql: str, *values: Value) -> int:
        """Executes; returns how many rows it changed."""
        return self._connection.execute(sql, values).rowcount

    async def insert(self, sql: str, *values: Value) -> int:
        """Executes; returns the id of the new row."""
        row = self._connection.execute(sql, values).lastrowid
        assert row is not None
        return row

    async def define(self, name: str, function: Callable[[str | None], str | None]) -> None:
        """Makes a function of one text known to the statements of this connection."""
        self._connection.create_function(name, 1, function)

    async def many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        self._connection.executemany(sql, rows)


Body = Callable[[Transaction], Coroutine[Any, Any, T]]
"""What a transaction does; awaits nothing but its own statements."""


class _Connection(aiosqlite.Connection):
    """Takes whole transactions to its thread."""

    async def transaction(self, begin: str, body: Body[T], end: str) -> T:
        def whole() -> T:
            connection = self._conn
            try:
                connection.execute(begin)
                result = _driven(body(Transaction(connection)))
                connection.execute(end)
            except BaseException:
                connection.rollback()
                raise
            return result

        # as aiosqlite queues its own calls, but without a task for each of them
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._tx.put_nowait((future, whole))
        return await _finished(future)


def _driven(body: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never has to wait. Raises RuntimeError if it does."""
    try:
        body.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    body.close()
    raise RuntimeError("A transaction waited for something else than its own statements.")


class Database:
    """The connections to one file.

    Writing is one transaction at a time, guarded by a lock; a reader is lent to one task
    at a time.
    """

    def __init__(self, driver: Driver, path: Path) -> None:
        self.driver = driver
        self.path = path
        self._writer = self._connection(read_only=False)
        self._readers = [self._connection(read_only=True) for _ in range(READERS)]
        self._free: asyncio.LifoQueue[_Connection] = asyncio.LifoQueue()
        self._writing = asyncio.Lock()
        self._opened = AsyncExitStack()
        self._is_open = False

    def _connection(self, *, read_only: bool) -> _Connection:
        return _Connection(
            lambda: self.driver.connect(self.path, read_only=read_only), iter_chunk_size=64
        )

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            with self._explained():
                for connection in (self._writer, *self._readers):
                    await stack.enter_async_context(connection)
            self._opened = stack.pop_all()
        for reader in self._readers:
            self._free.put_nowait(reader)
        self._is_open = True
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connections when nobody uses them; closing twice does nothing."""
        if not self._is_open:
            return
        async with self._everything():
            self._is_open = False
            with self._explained():
                await self._opened.aclose()

    async def write(self, body: Body[T], *, rehearsal: bool = False) -> T:
        """A transaction that writes. Whatever leaves the body as an exception undoes it whole; a
        rehearsal is always undone. Once it has begun it comes to its end, also if the caller is
        cancelled meanwhile. Raises StorageError."""
        async with self._writing:
            self._check_open()
            with self._explained():
                return await self._writer.transaction(
                    "begin immediate", body, "rollback" if rehearsal else "commit"
                )

    async def read(self, body: Body[T]) -> T:
        """A transaction that reads, and sees one state of the database throughout.
        Raises StorageError."""
        reader = await self._free.get()
        try:
            self._check_open()
            with self._explained():
                return await reader.transaction("begin", body, "rollback")
        finally:
            self._free.put_nowait(reader)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[aiosqlite.Connection]:
        """The writer outside any transaction, while this program reads nothing."""
        async with self._everything():
            self._check_open()
            with self._explained():
                yield self._writer

    @asynccontextmanager
    async def _everything(self) -> AsyncIterator[None]:
        """Waits until nobody writes or reads."""
        async with self._writing:
            with ExitStack() as lent:
                for _ in self._readers:
                    reader = await self._free.get()
                    lent.callback(self._free.put_nowait, reader)
                yield

    def _check_open(self) -> None:
        if not self._is_open:
            raise StorageError(f"{self.path} is closed; open it again.")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except self.driver.error as error:
            raise StorageError(explain(error, self.path)) from error


async def _finished(work: asyncio.Future[T]) -> T:
    """Waits for the end of `work` even if cancelled meanwhile; raises that afterwards."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        if (error := work.exception()) is not None:
            log.warning("The database failed while a task was cancelled: %s", error)
        raise


def explain(error: Exception, path: Path) -> str:
    """What a driver's error means and what to do, in one sentence."""
    said = str(error)
    for sign, sentence in _MEANINGS.items():
        if sign in said:
            return sentence.format(path=path, seconds=BUSY_SECONDS)
    return f"The database {path} failed: {said}."


_MEANINGS: Final = {
    "disk is full": "The disk is full, so {path} could not be written; free some space.",
    "disk I/O error": "{path} could not be read or written; check the disk and the space on it.",
    "is locked": "Another program has been writing to {path} for {seconds:g} seconds; "
    "stop it or try again later.",
    "readonly": "{path} cannot be written; give the program the right to write it and its folder.",
    "unable to open": "{path} cannot be opened; check that its folder exists and may be written.",
    "not a database": "{path} is not a database; name another file or restore a backup.",
    "malformed": "{path} is damaged; restore the last backup.",
}
