"""What many tests share: a real store in a temporary folder, and an engine over it."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bot.engine import Engine, Limits
from bot.house.plan import Plan
from bot.persona import Persona
from bot.ports import Embedder, EmotionScorer, Pictures, Storage
from bot.world import AccountKey
from storage import open_storage
from tests.fakes import FakeClock, NeutralScorer, ScriptedChat, WordEmbedder, a_persona
from tests.ready_database import ready

LONG = frozenset(
    {
        "test_both_process.py",
        "test_bundled_model.py",
        "test_crash.py",
        "test_crowd.py",
        "test_deploy.py",
        "test_emotion_bench.py",
        "test_fuzz.py",
        "test_heavy_texts.py",
        "test_process.py",
        "test_process_day.py",
        "test_properties.py",
        "test_story.py",
    }
)
"""Files of tests that take many seconds each, mostly with whole programs. They begin first, so
that at the end nobody waits for one of them while the other workers have nothing to do."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spreads the long tests over the workers, each of which gets a part of the list."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = [item for item in items if item.path.name in LONG]
    short = [item for item in items if item.path.name not in LONG]
    spread: list[pytest.Item] = []
    for worker in range(workers):
        most = (len(items) - len(spread)) // (workers - worker)
        mine = long[worker::workers]
        room = max(most - len(mine), 0)
        spread += [*mine, *short[:room]]
        del short[:room]
    items[:] = [*spread, *short]


LIMITS = Limits(burst_seconds=0, answer_seconds=120, stop_seconds=1, send_tries=2)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Storage]:
    async with open_storage(ready(tmp_path / "bower.db")) as opened:
        yield opened


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def model() -> ScriptedChat:
    return ScriptedChat()


MakeEngine = Callable[..., AbstractAsyncContextManager[Engine]]


@pytest.fixture
def make_engine(clock: FakeClock, model: ScriptedChat) -> MakeEngine:
    """Makes an engine over a store; settings can be given by keyword."""

    @asynccontextmanager
    async def make(
        store: Storage,
        *,
        limits: Limits = LIMITS,
        personas: tuple[Persona, ...] = (a_persona(),),
        embedder: Embedder | None = None,
        scorer: EmotionScorer | None = None,
        pictures: Pictures | None = None,
        help_lines: str = "",
        plan: Plan | None = None,
        owners: frozenset[AccountKey] = frozenset(),
    ) -> AsyncIterator[Engine]:
        for persona in personas:
            await store.persona(persona.key, persona.name)
        engine = Engine(
            storage=store,
            model=model,
            small_model=model,
            embedder=embedder or WordEmbedder(),
            scorer=scorer or NeutralScorer(),
            personas={persona.key: persona for persona in personas},
            default_persona=personas[0].key,
            clock=clock,
            limits=limits,
            pictures=pictures,
            help_lines=help_lines,
            plan=plan,
            owners=owners,
        )
        async with engine:
            yield engine

    return make
