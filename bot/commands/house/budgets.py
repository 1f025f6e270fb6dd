"""/budget: what a server may spend in a day."""

from bot.commands.call import Answer, Call, CommandError
from bot.commands.house.notes import note, target_of
from bot.house.rules import BUDGET, Rules
from bot.house.table import Level
from bot.text import clean_name

LISTED = 15
MOST_TOKENS = 10**12


async def budget(call: Call) -> Answer:
    """In a server or group: shows or sets its budget. Elsewhere: who spent most today."""
    text = call.args.get("tokens", "").casefold().replace(",", "").replace("_", "")
    if not call.place.is_shared:
        if text:
            raise CommandError("Give /budget TOKENS in the server or group that it is about.")
        return await _spenders(call)
    if text:
        value = None if text == "default" else _read(text)
        await call.desk.house.change(call.place, Level.SERVER, BUDGET, value)
        await note(call, "budget", target_of(call.place, Level.SERVER), value or "default")
    rules = await call.desk.house.rules(call.place)
    spent = await call.desk.house.spent_today(call.place, rules)
    return Answer(text=spent_of(spent, rules))


def spent_of(spent: int, rules: Rules) -> str:
    """ "Today: 1,200 of 50,000 tokens." """
    if rules.budget_tokens is None:
        return f"Today: {spent:,} tokens; there is no budget."
    over = " It is used up: silent until midnight." if spent >= rules.budget_tokens else ""
    return f"Today: {spent:,} of {rules.budget_tokens:,} tokens.{over}"


def _read(text: str) -> str:
    if text == "none":
        return text
    if not text.isdecimal() or not text.isascii() or int(text) > MOST_TOKENS:
        raise CommandError("Type /budget TOKENS (a whole number for a day), none or default.")
    return str(int(text))


async def _spenders(call: Call) -> Answer:
    since = call.desk.house.day_began(await call.desk.house.rules(call.place))
    rows = [
        f"- {clean_name(one.name, 'no name')}: {one.tokens:,} tokens"
        for one in await call.desk.storage.spenders(since, limit=LISTED)
    ]
    return Answer(text="\n".join(["Spent today:", *(rows or ["- nothing"])]))
