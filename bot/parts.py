"""Everything that a running program is made of, as one value: what `main.py` puts together."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.cast import find_persona
from bot.clock import Clock
from bot.emotion import NEUTRAL, Emotion
from bot.engine import Engine, Limits
from bot.errors import BotError
from bot.house.plan import Plan
from bot.past import learn_past
from bot.persona import Persona
from bot.persona_folder import PersonaFolder
from bot.ports import ChatModel, Embedder, EmotionScorer, Pictures, Storage
from bot.world import AccountKey

log = logging.getLogger(__name__)

LOOK_SECONDS = 3.0
"""Between two looks at the folder of persona files."""


class NoFeeling:
    """An EmotionScorer that finds no feeling in anything: recall goes by meaning alone."""

    name = "none"

    async def score(self, texts: Sequence[str]) -> list[Emotion]:
        return [NEUTRAL] * len(texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Senses:
    """What gives texts their vectors and feelings."""

    embedder: Embedder
    scorer: EmotionScorer


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What speaks: `small_model` learns and scores."""

    model: ChatModel
    small_model: ChatModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering:
    """All that it takes to remember and to recall, without a word being said."""

    storage: Storage
    senses: Senses
    personas: PersonaFolder
    default_persona: str

    def persona(self, wanted: str | None) -> Persona:
        """The persona of a key or name; the default one for None. Raises SettingsError, or
        PersonaError if its file is broken."""
        key = find_persona(self.personas, wanted or self.default_persona, self.personas.broken)
        return self.personas[key]

    async def learn_past(self, persona: Persona) -> None:
        """The persona remembers the past that its file tells. Quick if nothing is new."""
        await learn_past(
            persona,
            storage=self.storage,
            embedder=self.senses.embedder,
            scorer=self.senses.scorer,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The whole program; the engine is not entered yet."""

    remembering: Remembering
    clock: Clock
    engine: Engine

    @property
    def storage(self) -> Storage:
        return self.remembering.storage

    @property
    def personas(self) -> PersonaFolder:
        return self.remembering.personas


async def put_together(
    remembering: Remembering,
    models: Models,
    *,
    clock: Clock,
    owners: frozenset[AccountKey],
    limits: Limits,
    pictures: Pictures | None = None,
    help_lines: str = "",
    plan: Plan | None = None,
) -> Parts:
    """The engine over these ports; the memory gets to know the personas by their names."""
    for key, persona in remembering.personas.items():
        await remembering.storage.persona(key, persona.name)
    engine = Engine(
        storage=remembering.storage,
        model=models.model,
        small_model=models.small_model,
        embedder=remembering.senses.embedder,
        scorer=remembering.senses.scorer,
        personas=remembering.personas,
        default_persona=remembering.default_persona,
        clock=clock,
        owners=owners,
        limits=limits,
        pictures=pictures,
        help_lines=help_lines,
        plan=plan,
    )
    return Parts(remembering=remembering, clock=clock, engine=engine)


@asynccontextmanager
async def keep_up_to_date(parts: Parts) -> AsyncIterator[None]:
    """Meanwhile all personas learn their past, and files that change are taken up."""
    task = asyncio.create_task(_keep_up(parts), name="personas")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _keep_up(parts: Parts) -> None:
    await _learn(parts, list(parts.personas))
    while True:
        await parts.clock.sleep(LOOK_SECONDS)
        if changes := await asyncio.to_thread(parts.personas.refresh):
            log.info("Persona files: %s", changes)
            await _learn(parts, [*changes.added, *changes.changed])


async def _learn(parts: Parts, keys: Iterable[str]) -> None:
    for key in keys:
        if persona := parts.personas.get(key):
            try:
                await parts.remembering.learn_past(persona)
            except BotError as error:
                log.warning("%s could not learn its past: %s", persona.name, error)
