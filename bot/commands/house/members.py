"""/mute and /unmute: members whom no persona answers."""

import re

from bot.commands.call import Answer, Call, CommandError
from bot.commands.house.notes import note, target_of
from bot.house.rules import MUTED
from bot.house.table import Level
from bot.messages import Command
from bot.text import clean_name
from bot.world import AccountKey, Agent

_MENTION = re.compile(r"<@!?(\d+)>|(\d{5,20})")


async def mute(call: Call) -> Answer:
    """No persona answers this member here any more, in the whole server."""
    account = await _meant(call)
    if account is None:
        return await _list(call)
    if account in call.desk.owners:
        raise CommandError("An operator cannot be muted.")
    await call.desk.house.change(
        call.place, Level.SERVER, f"{MUTED}{account}", call.desk.clock.now().isoformat()
    )
    await note(call, "mute", str(account), target_of(call.place, Level.SERVER))
    return Answer(
        text=f"{await _name(call, account)} is muted: no persona answers. /unmute ends it."
    )


async def unmute(call: Call) -> Answer:
    """The member is answered again."""
    account = await _meant(call)
    if account is None:
        raise CommandError("Say whom: /unmute MEMBER.")
    rules = await call.desk.house.rules(call.place)
    if not rules.mutes(account):
        return Answer(text=f"{await _name(call, account)} is not muted.")
    await call.desk.house.change(call.place, Level.SERVER, f"{MUTED}{account}", None)
    await note(call, "unmute", str(account), target_of(call.place, Level.SERVER))
    return Answer(text=f"{await _name(call, account)} is answered again.")


async def _list(call: Call) -> Answer:
    muted = sorted((await call.desk.house.rules(call.place)).muted)
    if not muted:
        return Answer(text="Nobody is muted. Mute with /mute MEMBER: a mention, a name or an id.")
    names = [f"- {await _name(call, _account(one))}" for one in muted]
    return Answer(text="\n".join(["Muted:", *names]))


async def _meant(call: Call) -> AccountKey | None:
    """Whom the command is about; None if it names nobody. Raises CommandError."""
    wanted = call.args.get("member", "").strip()
    if not wanted:
        return await _replied_to(call)
    platform = call.place.where.key.platform
    if found := _MENTION.fullmatch(wanted):
        return AccountKey(platform=platform, user=found[1] or found[2])
    if wanted.casefold().startswith(f"{platform}:"):
        return AccountKey(platform=platform, user=wanted.partition(":")[2])
    name = wanted.removeprefix("@")
    people = await call.desk.storage.people_here(call.place.id, name)
    if not people:
        raise CommandError(
            f"Nobody called {clean_name(name)} has spoken here; mention the member, or give the "
            f"account as {platform}:ID."
        )
    if len(people) > 1:
        raise CommandError(
            f"{clean_name(name)} may be {_either(people)}; mention the member, or give the account."
        )
    return people[0][1]


async def _replied_to(call: Call) -> AccountKey | None:
    replied = call.inbound.reply_to if isinstance(call.inbound, Command) else None
    return await call.desk.storage.author_of(call.place.id, replied) if replied else None


def _either(people: list[tuple[Agent, AccountKey]]) -> str:
    return " or ".join(f"{clean_name(agent.name)} ({account})" for agent, account in people)


async def _name(call: Call, account: AccountKey) -> str:
    agent = await call.desk.storage.person(account)
    return f"{clean_name(agent.name)} ({account})" if agent else str(account)


def _account(text: str) -> AccountKey:
    platform, _, user = text.partition(":")
    return AccountKey(platform=platform, user=user)
