"""/persona: who speaks here."""

import asyncio

from bot.cast import find_personas
from bot.commands.call import Answer, Call, CommandError
from bot.commands.house.notes import note
from bot.errors import PersonaError, SendError, SettingsError
from bot.messages import Command
from bot.persona import Persona
from bot.persona_folder import PersonaFolder
from bot.text import shorten

WHAT = ("list", "use", "import", "show")
USUAL = "default"
DESCRIPTION_TOKENS = 150
MOST_BYTES = 10_000_000
MOST_WARNINGS = 8


async def persona(call: Call) -> Answer:
    """Lists the personas, shows one, or chooses the one that speaks here."""
    match call.args.get("what") or "list":
        case "use":
            return await _use(call)
        case "import":
            return await _import(call)
        case "show":
            return Answer(text=_shown(_meant(call) if call.args.get("name") else call.persona))
        case _:
            return _list(call)


def _list(call: Call) -> Answer:
    here = call.place.personas or (call.persona.key,)
    rows = [
        f"- {one.name} ({key}), {one.language}{', speaks here' * (key in here)}"
        for key, one in sorted(call.desk.personas.items())
    ]
    return Answer(text="\n".join(["Personas:", *rows]))


async def _use(call: Call) -> Answer:
    wanted = call.args.get("name", "").strip()
    if not wanted:
        raise CommandError(
            f"Say which: /persona use NAME (or NAME, NAME), or /persona use {USUAL}."
        )
    if call.inbound.persona is not None:
        raise CommandError(
            f"This bot account plays {call.persona.name} alone; invite the other persona's own."
        )
    chosen = [] if wanted.casefold() == USUAL else _all_meant(call, wanted)
    keys = ",".join(one.key for one in chosen) or None
    await call.desk.storage.choose_persona(call.place.id, keys)
    await note(call, "persona", f"place {call.place.id}", keys or USUAL)
    names = " and ".join(one.name for one in chosen) or "the default persona"
    if len(chosen) < 2:
        return Answer(text=f"From now on {names} speaks here.")
    return Answer(
        text=f"From now on {names} speak here: whoever is named or replied to, else "
        f"{chosen[0].name}."
    )


async def _import(call: Call) -> Answer:
    file = call.inbound.file if isinstance(call.inbound, Command) else None
    if file is None:
        raise CommandError(
            "Attach the character card (PNG, JSON or CHARX) to the command, or reply with it to "
            "the message that has the card."
        )
    if file.size > MOST_BYTES:
        raise CommandError(f"The card is too large; {MOST_BYTES // 1_000_000} MB are taken.")
    cast = call.desk.personas
    if not isinstance(cast, PersonaFolder):
        raise CommandError("Personas cannot be imported here; ask the operator.")
    try:
        content = await file.read()
        taken = await asyncio.to_thread(cast.take, file.name, content)
    except (PersonaError, SendError) as error:
        raise CommandError(str(error)) from error
    await note(call, "persona import", f"persona {taken.key}")
    rest = [f"and {len(taken.warnings) - MOST_WARNINGS} more"]
    notes = [*taken.warnings[:MOST_WARNINGS], *(rest * (len(taken.warnings) > MOST_WARNINGS))]
    said = f"{taken.name} is the persona {taken.key} in a moment: /persona use {taken.key}."
    return Answer(text="\n".join([said, *(f"- {one}" for one in notes)]))


def _all_meant(call: Call, wanted: str) -> list[Persona]:
    try:
        keys = find_personas(call.desk.personas, wanted)
    except SettingsError as error:
        raise CommandError(str(error)) from error
    return [call.desk.personas[key] for key in keys]


def _meant(call: Call) -> Persona:
    return _all_meant(call, call.args["name"])[0]


def _shown(one: Persona) -> str:
    also = f", also called {', '.join(one.nicknames)}" if one.nicknames else ""
    return (
        f"{one.name} ({one.key}){also}. Language {one.language}, time zone {one.time_zone}, "
        f"{len(one.memories)} memories of its own.\n"
        f"{shorten(' '.join(one.description.split()), DESCRIPTION_TOKENS)}"
    )
