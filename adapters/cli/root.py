"""What `main.py` hands to the command line: the doors to everything else."""

import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from adapters.settings import Settings, notices, read_settings
from bot.clock import Clock
from bot.parts import Models, Parts, Remembering, Senses
from bot.ports import Platform, Storage

QUIET = ("httpx", "httpx2", "httpcore", "httpcore2", "urllib3", "asyncio", "filelock")
"""Libraries whose INFO and DEBUG lines carry addresses with tokens in them, or noise."""


class AccountReport(Protocol):
    """How one bot account is. `works`: it can receive and send; `found` says more."""

    @property
    def name(self) -> str: ...
    @property
    def works(self) -> bool: ...
    @property
    def found(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformEntry:
    """A chat service: `setting` names its token, `make` gives one platform for each token
    that is set. `examine`, where there is one, asks the service about each account without
    receiving anything."""

    name: str
    setting: str
    make: Callable[[Settings, Parts], Sequence[Platform]]
    examine: Callable[[Settings], Coroutine[None, None, Sequence[AccountReport]]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseReport:
    """A sound database: `state` is its version and size in words, `driver` what reads it,
    `slow` a sentence if that works only slowly."""

    state: str
    driver: str
    slow: str = ""


class BenchRow(Protocol):
    """One line of a benchmark's result; `interval` for the metrics that have one."""

    @property
    def name(self) -> str: ...
    @property
    def subset(self) -> str: ...
    @property
    def metrics(self) -> Mapping[str, float]: ...
    @property
    def interval(self) -> Mapping[str, tuple[float, float]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchReport:
    """A benchmark's result; `content` is the whole record as plain JSON values."""

    bench: str
    n: int
    seed: int
    rows: Sequence[BenchRow]
    content: Mapping[str, object]


class RunBench(Protocol):
    """Runs a benchmark by name; None if the data it needs is not there (it has said so)."""

    async def __call__(
        self,
        name: str,
        *,
        data: Path | None,
        cache: Path,
        limit: int | None,
        seed: int,
        cv: bool,
        say: Callable[[str], None],
        progress: Callable[[str, int, int], None],
    ) -> BenchReport | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """The program as the command line sees it.

    `parts` opens everything; the four below it what their names say, alone. `restore`
    puts a backup in the database's place and returns where the old one is kept. `examine`
    looks at a database file without changing it, and raises StorageError if it cannot be
    used. `endpoint` asks a language model's endpoint for the models that it offers.
    `benches` says what each benchmark measures.
    """

    parts: Callable[[Settings, Clock], AbstractAsyncContextManager[Parts]]
    remembering: Callable[[Settings], AbstractAsyncContextManager[Remembering]]
    senses: Callable[[Settings], AbstractAsyncContextManager[Senses]]
    models: Callable[[Settings], AbstractAsyncContextManager[Models]]
    storage: Callable[[Path], AbstractAsyncContextManager[Storage]]
    restore: Callable[[Path, Path], Path | None]
    examine: Callable[[Path], DatabaseReport]
    endpoint: Callable[[Settings], Coroutine[None, None, Sequence[str]]]
    bench: RunBench
    benches: Mapping[str, str]
    platforms: Sequence[PlatformEntry] = ()


def prepared(*, usual_level: int = logging.WARNING) -> Settings:
    """The settings, with logging set up by them and their notices said."""
    settings = read_settings()
    set_up_logging(settings.log_level or logging.getLevelName(usual_level))
    log = logging.getLogger(__name__)
    for notice in notices(settings):
        log.warning("%s", notice)
    return settings


def set_up_logging(level: str) -> None:
    """Log lines go to standard error, and never carry tokens."""
    logging.basicConfig(
        level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True
    )
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
