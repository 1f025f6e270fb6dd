"""Which persona is meant by a key or a name."""

import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from bot.errors import PersonaError, SettingsError
from bot.persona import Persona
from bot.persona_folder import PersonaFolder

log = logging.getLogger(__name__)

USUAL_PERSONA = "senga"
"""Plays where no persona is chosen, if the folder has her."""


NONE_BROKEN: Mapping[str, str] = MappingProxyType({})


def open_cast(folder: Path, wanted: str | None) -> PersonaFolder:
    """The folder's personas, with the default one kept even when its file goes. Each file that
    cannot be used is logged. Raises what `choose_default` raises."""
    personas = PersonaFolder(folder)
    personas.keep = choose_default(personas, wanted, personas.broken)
    for problem in personas.problems:
        log.warning("%s", problem)
    return personas


def find_persona(
    personas: Mapping[str, Persona], wanted: str, broken: Mapping[str, str] = NONE_BROKEN
) -> str:
    """The key of the persona with this key, name or nickname. `broken` says by key what is
    wrong with files that cannot be used. Raises PersonaError if it is one of these, and
    SettingsError if there is none."""
    folded = wanted.strip().casefold()
    if folded in personas:
        return folded
    for key, persona in personas.items():
        if folded in {name.casefold() for name in persona.names}:
            return key
    if folded in broken:
        raise PersonaError(broken[folded])
    raise SettingsError(
        f'There is no persona "{wanted}"; there {"is" if len(personas) == 1 else "are"} '
        f"{', '.join(sorted(personas))}."
    )


def find_personas(
    personas: Mapping[str, Persona], wanted: str, broken: Mapping[str, str] = NONE_BROKEN
) -> list[str]:
    """The keys of one persona, or of several in a list with commas; each once, in order, not
    empty. A name may hold a comma itself. Raises what `find_persona` raises."""
    names = {wanted.strip().casefold()}
    if any(names & {key, *(n.casefold() for n in one.names)} for key, one in personas.items()):
        return [find_persona(personas, wanted, broken)]
    parts = [part for part in wanted.split(",") if part.strip()] or [wanted]
    return list(dict.fromkeys(find_persona(personas, part, broken) for part in parts))


def choose_default(
    personas: Mapping[str, Persona],
    wanted: str | None,
    broken: Mapping[str, str] = NONE_BROKEN,
) -> str:
    """The key of the default persona. Raises PersonaError where there is none at all (with
    what is wrong with each file) or the wanted one is broken, and SettingsError where it is
    missing."""
    if not personas and broken:
        raise PersonaError("\n".join((*broken.values(), "No other persona is there to play.")))
    if not personas:
        raise PersonaError("There is no persona file; set PERSONAS to a folder that has some.")
    if wanted:
        return find_persona(personas, wanted, broken)
    return USUAL_PERSONA if USUAL_PERSONA in personas else min(personas)
