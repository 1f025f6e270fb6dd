"""Which persona is meant by a key or a name."""

from collections.abc import Mapping

from bot.errors import PersonaError, SettingsError
from bot.persona import Persona

USUAL_PERSONA = "senga"
"""Plays where no persona is chosen, if the folder has her."""


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


def find_personas(personas: Mapping[str, Persona], wanted: str) -> list[str]:
    """The keys of one persona, or of several in a list with commas; each once, in order, not
    empty. A name may hold a comma itself. Raises SettingsError."""
    names = {wanted.strip().casefold()}
    if any(names & {key, *(n.casefold() for n in one.names)} for key, one in personas.items()):
        return [find_persona(personas, wanted)]
    parts = [part for part in wanted.split(",") if part.strip()] or [wanted]
    return list(dict.fromkeys(find_persona(personas, part) for part in parts))


def choose_default(personas: Mapping[str, Persona], wanted: str | None) -> str:
    """The key of the default persona. Raises PersonaError where there is none at all, and
    SettingsError where the wanted one is missing."""
    if not personas:
        raise PersonaError("There is no persona file; set PERSONAS to a folder that has some.")
    if wanted:
        return find_persona(personas, wanted)
    return USUAL_PERSONA if USUAL_PERSONA in personas else min(personas)
