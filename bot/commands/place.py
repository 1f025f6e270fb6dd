"""Commands about the place: /scene."""

from bot.commands.call import Answer, Call, CommandError, holds
from bot.messages import Rights
from bot.stream.scenes import for_how_long, read_scene, told_item

MOST_SET = 12


async def scene(call: Call) -> Answer:
    """What is here and for how long; or sets it."""
    if (call.args.get("action") or "show") == "set":
        return await _set(call)
    items = await call.desk.storage.scene(call.place.id)
    if not items:
        return Answer(text="Nothing is known of this place; set it: /scene set fire: burning")
    now = call.desk.clock.now()
    lines = [f"{told_item(i)}, {for_how_long(now - i.since)}" for i in items]
    return Answer(text="\n".join(lines))


async def _set(call: Call) -> Answer:
    if not call.place.is_dm and not holds(call, Rights.ADMIN):
        raise CommandError("Only admins set the scene of a place where several people are.")
    changes = read_scene(call.args.get("things", ""))
    if not changes:
        raise CommandError("Type things and states: /scene set fire: burning; window: closed")
    count = await call.desk.storage.change_scene(
        call.place.id, changes[:MOST_SET], at=call.desk.clock.now()
    )
    return Answer(text=f"Changed here: {count}. An empty state takes a thing away.")
