"""/pause and /resume: nobody is answered, and nothing new is kept."""

from bot.commands.call import Answer, Call
from bot.commands.house.notes import level_of, note, target_of, there
from bot.house.rules import PAUSED
from bot.house.table import Level


async def pause(call: Call) -> Answer:
    """Personas are silent, in the whole server unless one place is meant."""
    level = level_of(call, Level.SERVER)
    await call.desk.house.change(call.place, level, PAUSED, "yes")
    await note(call, "pause", target_of(call.place, level))
    return Answer(text=f"Paused {there(call.place, level)}; /resume ends it.")


async def resume(call: Call) -> Answer:
    """Personas answer again: in this place, and unless it alone is meant, in the server."""
    level = level_of(call, Level.SERVER)
    if not (await call.desk.house.rules(call.place)).paused:
        return Answer(text="Nothing is paused here.")
    for one in {Level.PLACE, level}:
        await call.desk.house.change(call.place, one, PAUSED, None)
    await note(call, "resume", target_of(call.place, level))
    if (await call.desk.house.rules(call.place)).paused:
        return Answer(text="The whole server is still paused; /resume without here ends that.")
    return Answer(text=f"Personas answer again {there(call.place, level)}.")
