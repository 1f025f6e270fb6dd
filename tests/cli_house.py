"""The command line over a real database and models that are doubles."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest

from adapters.cli import app
from adapters.cli.root import BenchReport, DatabaseReport, PlatformEntry, Root
from adapters.settings import Settings
from bot.cast import open_cast
from bot.clock import Clock
from bot.engine import Limits
from bot.parts import (
    Models,
    Parts,
    Remembering,
    Senses,
    put_together,
)
from bot.ports import ChatModel, Platform
from storage import open_storage
from tests.fakes import NeutralScorer, ScriptedChat, WordEmbedder

PERSONA = """
name = "{name}"
description = "{name} keeps the lighthouse."
greetings = ["Hello from {name}."]
apologies = ["Ask again."]
"""


class House:
    """Makes a Root; what it is made of can be changed before a run."""

    def __init__(self) -> None:
        self.model: ChatModel = ScriptedChat()
        self.embedder = WordEmbedder()
        self.report = DatabaseReport(state="version 1", driver="sqlite3 3.50")
        self.offered: Sequence[str] = ("m",)
        self.endpoint_error: Exception | None = None
        self.database_error: Exception | None = None
        self.platforms: Sequence[PlatformEntry] = ()
        self.restored: list[tuple[Path, Path]] = []

    def root(self) -> Root:
        return Root(
            parts=self.parts,
            remembering=self.remembering,
            senses=self.senses,
            models=self.models,
            storage=open_storage,
            restore=self.restore,
            examine=self.examine,
            endpoint=self.endpoint,
            bench=self.bench,
            benches={"nothing": "measures nothing"},
            platforms=self.platforms,
        )

    @asynccontextmanager
    async def models(self, settings: Settings) -> AsyncIterator[Models]:
        del settings
        yield Models(model=self.model, small_model=self.model)

    @asynccontextmanager
    async def senses(self, settings: Settings) -> AsyncIterator[Senses]:
        del settings
        yield Senses(embedder=self.embedder, scorer=NeutralScorer())

    @asynccontextmanager
    async def remembering(self, settings: Settings) -> AsyncIterator[Remembering]:
        personas = open_cast(settings.personas, settings.persona)
        async with open_storage(settings.database) as storage, self.senses(settings) as senses:
            yield Remembering(
                storage=storage, senses=senses, personas=personas, default_persona=personas.keep
            )

    @asynccontextmanager
    async def parts(self, settings: Settings, clock: Clock) -> AsyncIterator[Parts]:
        async with self.remembering(settings) as remembering, self.models(settings) as models:
            limits = Limits(burst_seconds=0)
            yield await put_together(
                remembering,
                models,
                clock=clock,
                owners=settings.owners,
                limits=limits,
                plan=settings.plan,
            )

    def restore(self, backup: Path, database: Path) -> Path | None:
        self.restored.append((backup, database))
        return None

    def examine(self, database: Path) -> DatabaseReport:
        del database
        if self.database_error:
            raise self.database_error
        return self.report

    async def bench(
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
    ) -> BenchReport | None:
        """As where the data is missing."""
        del data, cache, limit, seed, cv, progress
        say(f"{name} has no data.")
        return None

    async def endpoint(self, settings: Settings) -> Sequence[str]:
        del settings
        if self.endpoint_error:
            raise self.endpoint_error
        return self.offered


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    for field in Settings.model_fields:
        monkeypatch.delenv(field.upper(), raising=False)
    monkeypatch.chdir(tmp_path)
    personas = tmp_path / "personas"
    personas.mkdir()
    for name in ("Ida", "Otto"):
        (personas / f"{name.lower()}.toml").write_text(PERSONA.format(name=name), encoding="utf-8")
    monkeypatch.setenv("PERSONAS", str(personas))
    monkeypatch.setenv("DATABASE", str(tmp_path / "data" / "bower.db"))
    return House()


@pytest.fixture(autouse=True)
def quiet_again() -> Iterator[None]:
    """Each command sets logging up; afterwards it is as pytest left it."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    yield
    root.setLevel(level)
    root.handlers[:] = handlers


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Puts text where standard input is read from."""
    with ExitStack() as opened:

        def put(text: str) -> None:
            file = tmp_path / "typed"
            file.write_text(text, encoding="utf-8")
            monkeypatch.setattr("sys.stdin", opened.enter_context(file.open()))

        yield put


def run(root: Root, arguments: Sequence[str]) -> int:
    return app.run(lambda: root, arguments, version="9.9")


Said = pytest.CaptureFixture[str]
Typed = Callable[[str], None]


def entry(platforms: Sequence[Platform]) -> PlatformEntry:
    """A chat service whose token is DISCORD_TOKEN."""
    return PlatformEntry(
        name="Discord", setting="DISCORD_TOKEN", make=lambda _settings, _parts: platforms
    )
