"""/reset: all that was said in a place, or in its server, is forgotten."""

from datetime import timedelta
from hashlib import blake2s

from bot.commands.call import Answer, Call, holds
from bot.commands.house.notes import level_of, note, target_of
from bot.commands.own_data import CONFIRM_MINUTES, in_words
from bot.house.table import Level
from bot.memory import Selection, Whole
from bot.messages import Button, Rights

_WHOLE = {Level.PLACE: Whole.PLACE, Level.SERVER: Whole.SERVER}
_WHAT = {
    Whole.PLACE: "everything that anybody said in this place",
    Whole.SERVER: "everything that anybody said in this server, in all its places",
}


async def reset(call: Call) -> Answer:
    """Says what would go, and asks."""
    whole = _WHOLE[level_of(call)]
    counts = await call.desk.storage.forgettable(Selection(place=call.place.id, whole=whole))
    if not counts.total:
        return Answer(text="Nothing is kept of this place.")
    until = call.desk.clock.now() + timedelta(minutes=CONFIRM_MINUTES)
    data = f"reset:{whole}:{call.place.id}:{_mark(call)}:{int(until.timestamp())}"
    return Answer(
        text=f"This removes {_WHAT[whole]}, with the replies: {in_words(counts)}. Settings stay. "
        "It cannot be undone.",
        buttons=(
            Button(label="Yes, forget all of it", data=data, danger=True),
            Button(label="No, keep", data="keep"),
        ),
    )


async def press_reset(call: Call) -> Answer:
    """The confirmation: by the admin who asked, in the place that it is about."""
    whole, place, mark, until = Whole(call.args["1"]), *(call.args[n] for n in "234")
    if not holds(call, Rights.ADMIN) or mark != _mark(call) or place != str(call.place.id):
        return Answer(text="Only the admin who asked can confirm this, in the same place.")
    if call.desk.clock.now().timestamp() > float(until):
        return Answer(text="That question is too old; give /reset again.")
    selection = Selection(place=call.place.id, whole=whole)
    counts = await call.desk.storage.forget(selection)
    level = Level.PLACE if whole is Whole.PLACE else Level.SERVER
    await note(call, "reset", target_of(call.place, level), f"{counts.total} rows")
    return Answer(
        text=f"Forgotten: {in_words(counts)}. Copies that the operator made with the backup "
        "command are files of their own and are not changed by this."
    )


def _mark(call: Call) -> str:
    """Stands for the account in a button, which has room for little."""
    return blake2s(str(call.inbound.author.account).encode(), digest_size=4).hexdigest()
