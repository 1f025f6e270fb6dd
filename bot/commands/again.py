"""Commands that take the last exchange back or have it answered anew: /reroll, /undo."""

import logging
from collections.abc import Sequence

from bot.commands.call import Answer, Call
from bot.memory import Selection, Turn
from bot.messages import Draft, Outbound, Reply

log = logging.getLogger(__name__)


async def reroll(call: Call) -> Answer:
    """The persona answers the last message here anew; the old answer never was."""
    turn = await _own_last_turn(call)
    if turn is None:
        return Answer(text="There is no reply to you here that could be made anew.")
    if reason := await call.desk.house.why_no_model(call.inbound.author.account, call.place):
        return Answer(text=f"Not now: {reason}. The old reply stays.")

    async def without_drafts(outbound: Outbound) -> Sequence[str]:
        return () if isinstance(outbound, Draft) else await call.send(outbound)

    composed = await call.desk.answering.compose(turn, call.persona, without_drafts)
    if composed.failed:
        return Answer(text="The language model does not answer; the old reply stays.")
    turn = await call.desk.storage.replace_reply(
        turn.id,
        composed.text,
        at=call.desk.clock.now(),
        recalled=composed.mind.recalled,
        strategy=composed.mind.strategy,
    )
    await call.send(
        Reply(
            text=composed.text,
            nonce=f"{turn.nonce[:16]}:{call.inbound.id[-8:]}",
            speaker=call.persona.name,
            reply_to=turn.reply_to,
            edit=turn.sent,
        )
    )
    call.desk.learning.add(turn)
    return Answer(text="")


async def undo(call: Call) -> Answer:
    """The last exchange here never was."""
    turn = await _own_last_turn(call)
    if turn is None:
        return Answer(text="There is no exchange of yours here that could be taken back.")
    events = [event.id for event in turn.said]
    if turn.reply is not None:
        events.append(turn.reply.id)
    counts = await call.desk.storage.forget(Selection(events=tuple(events)))
    log.info("Took back one exchange (%d rows).", counts.total)
    return Answer(text="Taken back: your last exchange here never was.")


async def _own_last_turn(call: Call) -> Turn | None:
    """The newest turn here, if it answered the one who asks and nobody else."""
    turn = await call.desk.storage.last_turn(call.place.id, call.persona.key)
    if turn is None or call.person is None or turn.reply is None:
        return None
    return turn if {event.speaker.id for event in turn.said} == {call.person.id} else None
