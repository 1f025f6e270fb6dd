"""Commands about people: /relationship and /people."""

import asyncio
from collections.abc import Sequence

from bot.commands.call import Answer, Call, CommandError, holds
from bot.commands.naming import heard_of_lines, merge, split
from bot.messages import File, Rights
from bot.stream.bonds import Bond, Change
from bot.stream.chart import text_chart
from bot.stream.stages import stage_now
from bot.text import clean_name, counted
from bot.world import Agent, AgentKind, Hearing

SHOWN_CHANGES = 5
SHOWN_PEOPLE = 40
STAGE_WORDS = {
    "first_met": "first met",
    "familiar": "familiar",
    "dependent": "dependent",
    "separated": "separated",
}


async def relationship(call: Call) -> Answer:
    """One's own relationship with the persona here, or with somebody else one talks with."""
    if call.person is None:
        return Answer(text="Nothing of yours is kept.")
    storage, wanted = call.desk.storage, call.args.get("name", "").strip()
    persona = await storage.persona(call.persona.key, call.persona.name)
    if wanted and wanted.casefold() not in {n.casefold() for n in call.persona.names}:
        other = _one(await storage.bonds(call.person.id), wanted)
    else:
        other = persona
    bonds = await storage.bonds(other.id, others=[call.person.id])
    history = await storage.bond_history(other.id, call.person.id)
    if not bonds or not history:
        return Answer(text=f"You and {clean_name(other.name)} have not talked with each other yet.")
    text = _in_words(call, bonds[0], other, history)
    if call.desk.pictures is None or call.place.where.key.platform == "terminal":
        return Answer(text=f"{text}\n{text_chart(history)}")
    title = f"{clean_name(other.name)} and {clean_name(call.person.name)}"
    picture = await asyncio.to_thread(call.desk.pictures.weight, title, history)
    return Answer(text=text, files=(File(name="relationship.png", content=picture),))


def _one(bonds: Sequence[Bond], wanted: str) -> Agent:
    """The one of a circle who bears this name. Raises CommandError for none or several."""
    found = [b.other for b in bonds if b.other.name.casefold() == wanted.casefold()]
    if not found:
        raise CommandError(f"You have not talked with anybody called {clean_name(wanted)} here.")
    if len(found) > 1:
        raise CommandError(
            f"You have talked with {len(found)} people called {clean_name(wanted)}; "
            "which one cannot be told by the name alone."
        )
    return found[0]


def _in_words(call: Call, bond: Bond, other: Agent, history: Sequence[Change]) -> str:
    now, standing = call.desk.clock.now(), bond.standing
    stage = STAGE_WORDS[stage_now(bond, now).value]
    lines = [
        f"{clean_name(other.name)} toward you: {stage}; weight {standing.weight} after "
        f"{counted(standing.exchanges, 'exchange')} on {counted(standing.days, 'day')}."
    ]
    if bond.relation:
        lines.append(f"You are their {clean_name(bond.relation)}.")
    changed = [change for change in history if change.delta][-SHOWN_CHANGES:]
    lines += [f"{c.at:%Y-%m-%d %H:%M} {c.delta:+d} ({c.reason})" for c in changed]
    return "\n".join(lines)


async def people(call: Call) -> Answer:
    """Who has spoken here; or one of them, by name."""
    action = call.args.get("action") or "list"
    if action in {"merge", "split"}:
        return await (merge(call) if action == "merge" else split(call))
    present = await call.desk.storage.circle(call.place.id)
    if action == "show":
        return await _show(call, present)
    heard_of = await heard_of_lines(call)
    if not present and not heard_of:
        return Answer(text="Nobody has spoken here yet.")
    lines = [await _line(call, agent) for agent in present[:SHOWN_PEOPLE]]
    if len(present) > SHOWN_PEOPLE:
        lines.append(f"and {len(present) - SHOWN_PEOPLE} more")
    return Answer(text="\n".join(["Who has spoken here:", *lines, *heard_of]))


async def _line(call: Call, agent: Agent) -> str:
    kind = "" if agent.kind is AgentKind.PERSON else f" ({agent.kind.replace('_', ' ')})"
    number = f"{agent.id} " if holds(call, Rights.ADMIN) else ""
    return f"{number}{clean_name(agent.name)}{kind}"


async def _show(call: Call, present: Sequence[Agent]) -> Answer:
    """Names borne here, and relation words that were said where all of this place hear them."""
    wanted = call.args.get("name", "").strip()
    found = [agent for agent in present if agent.name.casefold() == wanted.casefold()]
    if not found:
        return Answer(text=f"Nobody called {clean_name(wanted)} has spoken here.")
    storage = call.desk.storage
    persona = await storage.persona(call.persona.key, call.persona.name)
    hearing = Hearing(persona=persona.id, place=call.place.id)
    ties = await storage.ties([agent.id for agent in present], hearing)
    lines = []
    for number, agent in enumerate(found, start=1):
        mark = f" ({number} of {len(found)})" if len(found) > 1 else ""
        server = call.place.where.server
        names = [n for n in await storage.names(agent.id) if n.server == server]
        lines.append(f"{clean_name(agent.name)}{mark}")
        lines += [
            f"  called {clean_name(n.name)} here from {n.first_seen:%Y-%m-%d} "
            f"to {n.last_seen:%Y-%m-%d}"
            for n in names
        ]
        lines += [
            f"  calls {clean_name(tie.other.name)} their {clean_name(tie.relation)}"
            for tie in ties
            if tie.agent.id == agent.id and tie.relation
        ]
    return Answer(text="\n".join(lines))
