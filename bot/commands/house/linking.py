"""/link and /unlink: two accounts of one person become one, if both sides say so."""

import logging
import secrets

from bot.commands.call import Answer, Call
from bot.house.links import CODE_LENGTH, CODE_LETTERS, LINK_MINUTES, Link, LinkState, NamedAccount
from bot.messages import Button
from bot.text import clean_name

log = logging.getLogger(__name__)

_NOTHING = "Nothing was linked."
_STATES = {
    LinkState.UNKNOWN: f"There is no such code. {_NOTHING}",
    LinkState.OLD: f"That code is too old; /link gives a new one. {_NOTHING}",
    LinkState.VOID: f"That code is void; /link gives a new one. {_NOTHING}",
    LinkState.OWN: "That is your own code: give it in a direct message from your other account.",
    LinkState.ALREADY: "These two accounts are one person's already.",
}


async def link(call: Call) -> Answer:
    """Gives a code, or takes one that another account was given. In DMs alone."""
    code = "".join(call.args.get("code", "").upper().split())
    desk, now = call.desk, call.desk.clock.now()
    if not call.place.is_dm:
        if code:
            await desk.storage.void_link(code)
        shown = " Others may have seen that code, so it is void now." if code else ""
        return Answer(text=f"Accounts are linked in a direct message with me.{shown}")
    if await desk.storage.opted_out(call.inbound.author.account):
        return Answer(text="You are left out, so nothing can be linked; /privacy changes that.")
    if code:
        return _taken(await desk.storage.take_link(code, _me(call), at=now), code)
    code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    await desk.storage.offer_link(_me(call), code, at=now)
    return Answer(
        text=f"Your code: {code}\nIn a direct message with me from your other account, type "
        f"/link {code} within {LINK_MINUTES} minutes. Then come back and press the button. "
        "Show the code to nobody: whoever gives it asks to be you.",
        buttons=(_check(code),),
    )


async def press_link(call: Call) -> Answer:
    """The buttons: who gave the code, yes, no."""
    step, code = call.args["1"], call.args["2"]
    storage, account, now = call.desk.storage, call.inbound.author.account, call.desk.clock.now()
    if not call.place.is_dm:
        return Answer(text="Accounts are linked in a direct message with me.")
    if step == "yes":
        return _agreed(await storage.agree_link(code, account, at=now), code)
    seen = await storage.link_of(code, account, at=now)
    if step == "no" and seen.state in {LinkState.WAITING, LinkState.TAKEN}:
        await storage.void_link(code)
        return Answer(text=f"The code is void. {_NOTHING}")
    return _taken(seen, code)


async def unlink(call: Call) -> Answer:
    """This account is a person of its own again."""
    if not call.place.is_dm:
        return Answer(text="Do this in a direct message with me.")
    account = call.inbound.author.account
    others = await call.desk.storage.unlink(account, at=call.desk.clock.now())
    if not others:
        return Answer(text="This account is linked with no other.")
    log.info("An account was unlinked: %s.", account)
    names = ", ".join(_named(other) for other in others)
    return Answer(
        text=f"This account is on its own again; it was linked with {names}. What each of them "
        "said stays with it."
    )


def _me(call: Call) -> NamedAccount:
    author = call.inbound.author
    return NamedAccount(account=author.account, name=author.name)


def _named(one: NamedAccount) -> str:
    return f"{clean_name(one.name)} ({one.account})"


def _taken(seen: Link, code: str) -> Answer:
    if seen.state is LinkState.WAITING:
        return Answer(
            text="Nobody has given the code yet. Type it from your other account, then press "
            "the button.",
            buttons=(_check(code),),
        )
    if seen.state is LinkState.JOINED and seen.other is not None:
        return _joined(seen.other)
    if seen.state is not LinkState.TAKEN or seen.other is None:
        return Answer(text=_STATES.get(seen.state, _NOTHING))
    return Answer(
        text=f"The other account is {_named(seen.other)}. Is that you, too? If both sides say "
        "yes, you are one person to every persona: one relationship, and /forget everything "
        "takes both. Private conversations stay apart.",
        buttons=(
            Button(label="Yes, that is me", data=f"link:yes:{code}"),
            Button(label="No", data=f"link:no:{code}", danger=True),
        ),
    )


def _agreed(link: Link, code: str) -> Answer:
    if link.state is not LinkState.TAKEN or link.other is None:
        return _taken(link, code)
    return Answer(
        text=f"Now {_named(link.other)} has to agree: press the button there within "
        f"{LINK_MINUTES} minutes of asking for the code."
    )


def _joined(other: NamedAccount) -> Answer:
    log.info("An account is linked with %s.", other.account)
    return Answer(text=f"You and {_named(other)} are one person now. /unlink undoes it.")


def _check(code: str) -> Button:
    return Button(label="Who gave the code?", data=f"link:check:{code}")
