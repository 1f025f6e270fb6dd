"""Commands about hearsay: /claims."""

from bot.commands.call import Answer, Call, CommandError, holds
from bot.commands.house.notes import note
from bot.messages import Rights
from bot.stream.claims import Claim, ClaimStatus, confidence, is_disputed, latest
from bot.text import clean, clean_name, shorten
from bot.world import Hearing

SHOWN = 15
STATEMENT_TOKENS = 60


async def claims(call: Call) -> Answer:
    """What is only hearsay here, with how it stands; or an admin's word on it."""
    action = call.args.get("action") or "list"
    if action != "list":
        return await _decide(
            call, ClaimStatus.CONFIRMED if action == "confirm" else ClaimStatus.FALSE
        )
    found = await _heard_here(call)
    if not found:
        return Answer(text="Nothing is known here from hearsay alone.")
    return Answer(text="\n".join(_line(claim) for claim in found))


async def _heard_here(call: Call) -> list[Claim]:
    storage = call.desk.storage
    persona = await storage.persona(call.persona.key, call.persona.name)
    hearing = Hearing(persona=persona.id, place=call.place.id)
    found = await storage.claims(hearing, limit=SHOWN)
    return [claim for claim in found if not claim.subject_left_out]


def _line(claim: Claim) -> str:
    sides = list(latest(claim).values())
    support = sum(1 for check in sides if check.stance.value == "support")
    about = f", about {clean_name(claim.subject.name)}" if claim.subject else ""
    disputed = "; people contradict each other" if is_disputed(claim) else ""
    statement = shorten(" ".join(clean(claim.statement).split()), STATEMENT_TOKENS)
    return (
        f'{claim.id} {claim.status.value}: "{statement}"{about}; {support} for, '
        f"{len(sides) - support} against, confidence {confidence(claim):.2f}{disputed}"
    )


async def _decide(call: Call, status: ClaimStatus) -> Answer:
    if not holds(call, Rights.ADMIN):
        raise CommandError("Only admins settle claims; people do it by what they say.")
    number = call.args.get("number", "").strip()
    claim = next((c for c in await _heard_here(call) if str(c.id) == number), None)
    if claim is None:
        raise CommandError("There is no claim of that number here; /claims lists them.")
    now = call.desk.clock.now()
    await call.desk.storage.settled(claim.id, status, at=now, expires=claim.expires)
    await note(call, "claim", f"claim {claim.id}", status.value)
    return Answer(text=f"Claim {claim.id} is now {status.value}.")
