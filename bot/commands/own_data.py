"""Commands over one's own data: /forget, /export, /privacy, and the buttons they show."""

import json
from datetime import timedelta

from bot.commands.call import Answer, Call
from bot.memory import Counts, Selection, Share
from bot.messages import Button, File

CONFIRM_MINUTES = 10
"""A confirmation is good for this long."""

_SHARES = {"this": Share.LAST, "hour": Share.HOUR, "everything": Share.EVERYTHING}
_WHAT = {
    "this": "your last exchange here",
    "hour": "what you said here in the last hour",
    "everything": "everything of yours, from all places and all your accounts",
}
FORGET_CHOICES = tuple(_SHARES)


async def forget(call: Call) -> Answer:
    """Says what would go, and asks."""
    what = call.args.get("what") or "this"
    if call.person is None:
        return Answer(text="Nothing of yours is kept.")
    counts = await call.desk.storage.forgettable(_selection(call, what))
    if not counts.total:
        return Answer(text=f"Nothing is kept of {_WHAT[what]}.")
    until = call.desk.clock.now() + timedelta(minutes=CONFIRM_MINUTES)
    data = f"forget:{what}:{call.person.id}:{int(until.timestamp())}"
    return Answer(
        text=f"This removes {_WHAT[what]}: {in_words(counts)}. It cannot be undone.",
        buttons=(
            Button(label="Yes, forget", data=data, danger=True),
            Button(label="No, keep", data="keep"),
        ),
    )


async def press_forget(call: Call) -> Answer:
    """The confirmation: only by the person who asked, and only while it is good."""
    what, agent, until = call.args["1"], call.args["2"], call.args["3"]
    if call.person is None or str(call.person.id) != agent:
        return Answer(text="Only the person who asked can confirm this.")
    if call.desk.clock.now().timestamp() > float(until):
        return Answer(text=f"That question is too old; give /forget {what} again.")
    counts = await call.desk.storage.forget(_selection(call, what))
    return Answer(
        text=f"Forgotten: {in_words(counts)}. Copies that the operator made with the "
        f"backup command are files of their own and are not changed by this."
    )


async def press_keep(call: Call) -> Answer:
    """The other button."""
    del call
    return Answer(text="Nothing was changed.")


def _selection(call: Call, what: str) -> Selection:
    assert call.person is not None
    return Selection(
        agent=call.person.id,
        share=_SHARES[what],
        place=call.place.id,
        now=call.desk.clock.now(),
    )


def in_words(counts: Counts) -> str:
    """ "3 messages, 2 replies"."""
    some = (_counted(n, what) for what, n in counts.removed.items() if n)
    return ", ".join(some) or "nothing"


def _counted(n: int, what: str) -> str:
    """ "1 reply", "2 replies"."""
    if n == 1:
        what = f"{what[:-3]}y" if what.endswith("ies") else what.removesuffix("s")
    return f"{n} {what}"


async def export(call: Call) -> Answer:
    """One's own words and the replies to them, as a JSON file."""
    lines = await call.desk.storage.export(call.person.id) if call.person else []
    if call.person is None or not lines:
        return Answer(text="Nothing of yours is kept.")
    content = {
        "person": {"id": call.person.id, "name": call.person.name},
        "exported_at": call.desk.clock.now().isoformat(),
        "lines": [
            {
                "at": line.at.isoformat(),
                "platform": line.platform,
                "place": line.place,
                "text": line.text,
                "persona": line.persona,
                "reply": line.reply,
            }
            for line in lines
        ],
    }
    data = json.dumps(content, ensure_ascii=False, indent=1).encode()
    return Answer(
        text=f"Your own words and the replies to them: {len(lines)} lines.",
        files=(File(name="bower-export.json", content=data),),
    )


async def privacy(call: Call) -> Answer:
    """What is kept and how to stop it."""
    account = call.inbound.author.account
    if await call.desk.storage.opted_out(account):
        kept = (
            "What was kept before is still there and used for nothing; /forget everything "
            "removes it."
            if call.person
            else "Nothing of you is kept but your account id, so that this stays so."
        )
        return Answer(
            text="You are left out: nothing you write is kept, or sent to a language model. "
            f"{kept}",
            buttons=(Button(label="Remember me again", data="privacy:in"),),
        )
    return Answer(
        text="Kept of you: what you say to a persona (and in places that an admin opened), "
        "with time, place, your display name, a vector of its meaning and scores of its "
        "feeling; and the replies. It stays in this program's database. To answer, the "
        "newest lines and fitting memories go to the language model that the operator chose "
        "(/about names it). See it with /memories and /export, correct it with /correct, "
        "remove it with /forget. Or be left out altogether; what is already kept then stays "
        "until /forget everything.",
        buttons=(Button(label="Leave me out", data="privacy:out", danger=True),),
    )


async def press_privacy(call: Call) -> Answer:
    """Opts the presser out or in again."""
    account = call.inbound.author.account
    if call.args["1"] == "out":
        await call.desk.storage.opt_out(account, call.desk.clock.now())
        return Answer(
            text="From now on nothing you write is kept or sent to a model, and you get no "
            "answers. /privacy takes it back."
        )
    await call.desk.storage.opt_in(account)
    return Answer(text="You are remembered again from now on.")
