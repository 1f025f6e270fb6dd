"""The command about the persona's mood: /mood."""

import asyncio
from datetime import timedelta
from zoneinfo import ZoneInfo

from bot.commands.call import Answer, Call
from bot.messages import File
from bot.mood import in_words, mood_after, mood_table, nature, recent_days

MOST_LINES = 600
"""So many of the newest lines of a place are looked at."""


async def mood(call: Call) -> Answer:
    """How the persona feels in this conversation, and what was felt here of late."""
    now, persona = call.desk.clock.now(), call.persona
    lines = await call.desk.storage.window(
        call.place.id, before=now + timedelta(microseconds=1), limit=MOST_LINES
    )
    found = mood_after(lines, persona, now)
    usual = nature(found) or "even-tempered"
    words = in_words(found)
    said = f"{persona.name} is {words or 'as usual'} here (by nature {usual})."
    text = f"{said}\n```\n{mood_table(found)}\n```"
    terminal = call.place.where.key.platform == "terminal"
    if terminal:
        text = text.replace("```\n", "").removesuffix("\n```")
    if call.desk.pictures is None or terminal:
        return Answer(text=text)
    days = recent_days(lines, now, ZoneInfo(persona.time_zone))
    picture = await asyncio.to_thread(
        call.desk.pictures.mood, f"{persona.name}: feelings here, 1 to 10", found, days
    )
    return Answer(text=text, files=(File(name="mood.png", content=picture),))
