"""What every part of the storage has: the database, and methods that are one transaction."""

from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from storage.connection import Database, Transaction


class Part:
    """A part of the storage, about one subject; `SqliteStorage` is all of them."""

    def __init__(self, database: Database) -> None:
        self._db = database

    @property
    def path(self) -> Path:
        """The file."""
        return self._db.path


P = ParamSpec("P")
S = TypeVar("S", bound=Part)
T = TypeVar("T")

Method = Callable[Concatenate[S, P], Coroutine[Any, Any, T]]


def reads(
    body: Callable[Concatenate[S, Transaction, P], Coroutine[Any, Any, T]],
) -> Method[S, P, T]:
    """A method that is one transaction that reads, which it takes as its first argument; it
    awaits nothing but statements (see `storage.connection`). Raises StorageError."""

    @wraps(body)
    async def method(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._db.read(lambda db: body(self, db, *args, **kwargs))

    return method


def writes(
    body: Callable[Concatenate[S, Transaction, P], Coroutine[Any, Any, T]],
) -> Method[S, P, T]:
    """As `reads`, for a transaction that writes: all of it is stored, or nothing."""

    @wraps(body)
    async def method(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._db.write(lambda db: body(self, db, *args, **kwargs))

    return method
