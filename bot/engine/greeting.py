"""A conversation is opened: the persona greets, the one that was asked for if it may."""

from collections.abc import Callable, Mapping
from zoneinfo import ZoneInfo

from bot.cast import find_persona
from bot.errors import SettingsError
from bot.greeting import greeting
from bot.messages import Reply, Started
from bot.persona import Persona
from bot.ports import Send, Storage
from bot.world import Place


async def greet(
    started: Started,
    send: Send,
    *,
    storage: Storage,
    personas: Mapping[str, Persona],
    speaking: Callable[[str | None, Place], Persona],
) -> None:
    """Sends a greeting of the persona that speaks there. In a DM, a persona that was asked
    for speaks from now on; elsewhere that is for admins to choose, and an account with a
    persona of its own has no other."""
    place = await storage.place(started.where)
    if place.is_dm and started.persona is None and started.wanted:
        try:
            key = find_persona(personas, started.wanted)
        except SettingsError:  # a link of before, or made up: the usual one greets
            key = None
        if key is not None:
            await storage.choose_persona(place.id, key)
            place = await storage.place(started.where)
    persona = speaking(started.persona, place)
    text = greeting(
        persona,
        user=started.author.name,
        now=started.at.astimezone(ZoneInfo(persona.time_zone)),
        seed=started.id,
        group=not place.is_dm,
    )
    await send(Reply(text=text, nonce=f"g:{started.id}"[-25:], speaker=persona.name))
