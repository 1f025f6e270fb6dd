"""Commands about those only heard of: /people merge and /people split."""

from bot.commands.call import Answer, Call, CommandError, holds, rights_of
from bot.commands.house.notes import note
from bot.messages import Rights
from bot.text import clean_name
from bot.world import Agent, Hearing

SHOWN = 40


async def heard_of_here(call: Call) -> list[Agent]:
    """Those only heard of, as far as it may be heard here."""
    storage = call.desk.storage
    persona = await storage.persona(call.persona.key, call.persona.name)
    return await storage.heard_of(Hearing(persona=persona.id, place=call.place.id))


async def heard_of_lines(call: Call) -> list[str]:
    """One line for each, with the number by which they are merged."""
    found = await heard_of_here(call)
    if not found:
        return []
    lines = [f"{agent.id} {clean_name(agent.name)}" for agent in found[:SHOWN]]
    more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return ["Only heard of here:", *lines, *more]


async def merge(call: Call) -> Answer:
    """Two of whom is known here are one. Operators and, for their own place, admins."""
    merged, kept = await _numbers(call, 2)
    by, at = str(call.inbound.author.account), call.desk.clock.now()
    if not await call.desk.storage.merge_agents(kept, merged, by=by, at=at):
        raise CommandError(
            f"{merged} cannot be merged: they have an account, or are one with {kept} already. "
            "People join their own accounts with /link."
        )
    await note(call, "merge", f"agent {merged} into agent {kept}")
    return Answer(text=f"{merged} is {kept} from now on; /people split {merged} undoes it.")


async def split(call: Call) -> Answer:
    """Undoes a merge."""
    (agent,) = await _numbers(call, 1)
    if not await call.desk.storage.split_agent(agent, at=call.desk.clock.now()):
        raise CommandError(f"{agent} was not merged into anybody.")
    await note(call, "split", f"agent {agent}")
    return Answer(text=f"{agent} is somebody of their own again.")


async def _numbers(call: Call, count: int) -> list[int]:
    """The numbers as typed. Raises CommandError for others, and for what is not theirs."""
    if not holds(call, Rights.ADMIN):
        raise CommandError("Only admins say who is the same as whom.")
    words = call.args.get("name", "").replace(",", " ").split()
    if len(words) != count or not all(word.isascii() and word.isdecimal() for word in words):
        raise CommandError(
            "Type /people merge NUMBER NUMBER or /people split NUMBER; /people lists the numbers."
        )
    numbers = [int(word) for word in words]
    if rights_of(call) is not Rights.OPERATOR:
        known = {agent.id for agent in await heard_of_here(call)}
        known |= {agent.id for agent in await call.desk.storage.circle(call.place.id)}
        merged_here = await call.desk.storage.home_of(numbers[0]) == call.place.id
        if not (merged_here and set(numbers[1:]) <= known):
            raise CommandError("Admins do that only for those first heard of in this place.")
    return numbers
