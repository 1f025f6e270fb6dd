"""Steps 2 to 3: a reply that is stored reaches the platform, or it is recorded why not."""

import logging

from bot.clock import Clock
from bot.engine.company import Company
from bot.engine.limits import Limits
from bot.errors import SendError, Undeliverable
from bot.memory import Turn
from bot.messages import Reply
from bot.ports import Send, Storage
from bot.safety import SAFETY

log = logging.getLogger(__name__)

FIRST_WAIT_SECONDS = 1.0
"""Before the second try to send; each further wait is three times as long."""


class Delivery:
    """Hands replies to platforms. Between `attempted` and `sent` lies the doubtful moment:
    a process killed there cannot know whether the platform took the reply, and sends it
    again (with the same nonce, so where the platform is idempotent it appears once)."""

    def __init__(self, *, storage: Storage, clock: Clock, limits: Limits, company: Company) -> None:
        self._company = company
        self._storage = storage
        self._clock = clock
        self._limits = limits

    async def deliver(self, turn: Turn, send: Send) -> bool:
        """Sends the reply of an answered turn. False if it did not arrive: what may work
        later stays unsent and is tried again at the next start."""
        assert turn.reply is not None
        reply = Reply(
            text=turn.reply.text,
            nonce=turn.nonce,
            speaker="" if turn.strategy == SAFETY else turn.reply.speaker_name,
            reply_to=turn.reply_to,
            edit=turn.drafts,
        )
        wait = FIRST_WAIT_SECONDS
        for left in range(self._limits.send_tries - 1, -1, -1):
            await self._storage.attempted(turn.id, self._clock.now())
            try:
                ids = await send(reply)
            except Undeliverable as error:
                log.warning("A reply cannot be delivered: %s", error)
                await self._storage.undeliverable(turn.id, str(error), self._clock.now())
                return False
            except SendError as error:
                log.warning("A reply was not taken (%d tries left): %s", left, error)
                if left:
                    await self._clock.sleep(wait)
                    wait *= 3
            else:
                passed_to = await self._company.next_speaker(turn)
                await self._storage.sent(turn.id, ids, self._clock.now(), passed_to=passed_to)
                return True
        return False
