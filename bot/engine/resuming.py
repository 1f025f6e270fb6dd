"""What a killed or stopped process left on a platform is taken up, or recorded as too late."""

from collections.abc import Mapping

from bot.clock import Clock
from bot.engine.admission import Admission
from bot.engine.company import Company
from bot.engine.conversations import Conversations, Waiting
from bot.engine.delivery import Delivery
from bot.engine.learning import Learning
from bot.memory import Pending, Turn
from bot.persona import Persona
from bot.ports import Platform, Storage

ASLEEP = "asleep here"


class Resuming:
    """Takes up replies that were not sent, messages not answered, turns not learnt."""

    def __init__(
        self,
        *,
        storage: Storage,
        clock: Clock,
        personas: Mapping[str, Persona],
        admission: Admission,
        delivery: Delivery,
        conversations: Conversations,
        learning: Learning,
        company: Company,
    ) -> None:
        self._company = company
        self._storage = storage
        self._clock = clock
        self._personas = personas
        self._admission = admission
        self._delivery = delivery
        self._conversations = conversations
        self._learning = learning

    async def resume(self, platform: Platform) -> int:
        """Returns how many replies and messages are under way again."""
        left = await self._storage.unfinished(platform.name)
        for turn in left.unlearned:
            self._learning.add(turn)
        taken = 0
        for turn in left.unsent:
            taken += await self._resend(turn, platform)
        for pending in left.pending:
            taken += await self._take_up(pending, platform)
        return taken

    async def _resend(self, turn: Turn, platform: Platform) -> bool:
        reason = ASLEEP if turn.place.asleep else ""
        if self._admission.is_stale(turn.started_at):
            reason = "too old when the program came back"
        if reason:
            await self._storage.undeliverable(turn.id, reason, self._clock.now())
            return False
        send = platform.reach(turn.place.where.key)
        if await self._delivery.deliver(turn, send):
            self._learning.add(turn)
            await self._company.pass_on(turn, send, self._conversations)
            return True
        return False

    async def _take_up(self, pending: Pending, platform: Platform) -> bool:
        persona = self._personas.get(pending.persona)
        reason = ASLEEP if pending.place.asleep else ""
        if self._admission.is_stale(pending.event.at):
            reason = "too old to answer"
        if persona is None:
            reason = "its persona is gone"
        if persona is None or reason:
            await self._storage.ignore([pending.event.id], reason)
            self._learning.add(pending.event)
            return False
        self._conversations.add(
            Waiting.made(
                event=pending.event,
                place=pending.place,
                persona=persona,
                send=platform.reach(pending.place.where.key),
                message_id=pending.message_id,
            )
        )
        return True
