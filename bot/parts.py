"""Everything that a running program is made of, as one value: what `main.py` puts together."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.clock import Clock
from bot.engine import Engine, Limits
from bot.errors import PersonaError, SettingsError
from bot.persona import Persona
from bot.ports import ChatModel, Embedder, EmotionScorer, Storage
from bot.world import AccountKey

USUAL_PERSONA = "senga"
"""Plays where no persona is chosen, if the folder has her."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What thinks: `small_model` learns and scores. They load when they are first used."""

    model: ChatModel
    small_model: ChatModel
    embedder: Embedder
    scorer: EmotionScorer


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The ports, the personas by key, and the engine over them (not yet entered)."""

    storage: Storage
    models: Models
    personas: Mapping[str, Persona]
    default_persona: str
    clock: Clock
    engine: Engine

    def persona(self, wanted: str | None) -> Persona:
        """The persona of a key or name; the default one for None. Raises SettingsError."""
        return self.personas[find_persona(self.personas, wanted or self.default_persona)]


async def put_together(
    storage: Storage,
    models: Models,
    personas: Mapping[str, Persona],
    *,
    default_persona: str,
    clock: Clock,
    owners: frozenset[AccountKey],
    limits: Limits,
) -> Parts:
    """The engine over these ports; the memory gets to know the personas by their names."""
    for key, persona in personas.items():
        await storage.persona(key, persona.name)
    engine = Engine(
        storage=storage,
        model=models.model,
        small_model=models.small_model,
        embedder=models.embedder,
        scorer=models.scorer,
        personas=personas,
        default_persona=default_persona,
        clock=clock,
        owners=owners,
        limits=limits,
    )
    return Parts(
        storage=storage,
        models=models,
        personas=personas,
        default_persona=default_persona,
        clock=clock,
        engine=engine,
    )


def find_persona(personas: Mapping[str, Persona], wanted: str) -> str:
    """The key of the persona with this key, name or nickname. Raises SettingsError."""
    folded = wanted.strip().casefold()
    if folded in personas:
        return folded
    for key, persona in personas.items():
        if folded in {name.casefold() for name in persona.names}:
            return key
    raise SettingsError(
        f'There is no persona "{wanted}"; there {"is" if len(personas) == 1 else "are"} '
        f"{', '.join(sorted(personas))}."
    )


def choose_default(personas: Mapping[str, Persona], wanted: str | None) -> str:
    """The key of the default persona. Raises PersonaError where there is none at all, and
    SettingsError where the wanted one is missing."""
    if not personas:
        raise PersonaError("There is no persona file; set PERSONAS to a folder that has some.")
    if wanted:
        return find_persona(personas, wanted)
    return USUAL_PERSONA if USUAL_PERSONA in personas else min(personas)
