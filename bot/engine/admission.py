"""Who answers a message, or why nobody does: attention first, then the rules of the house."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.attention import said_enough, who_answers
from bot.clock import Clock
from bot.engine.company import Company
from bot.engine.limits import Limits
from bot.house.house import House
from bot.house.rules import Rules
from bot.house.silence import Silence
from bot.house.words import over_budget
from bot.messages import Change, Membership, Message
from bot.persona import Persona
from bot.ports import Storage
from bot.world import AgentKind, Place, PlaceKind

log = logging.getLogger(__name__)

WAKE_AFTER = timedelta(hours=1)
"""A bot that may no longer write in a group still hears it. So a group that fell asleep wakes
by being spoken in only after this time; the platform says when the bot may write again."""

TOO_OLD = "too old when it arrived"

BOTS_REST = timedelta(hours=1)
"""After this time without a person's line, other bots may begin again."""

SPARE = 12
"""People's lines among those that are looked at to see how often bots spoke."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A message that is to be kept. `persona` answers it; without one, `reason` says why
    nobody does, and `notice` is what to say about that, if anything."""

    place: Place
    present: Sequence[Persona]
    persona: Persona | None = None
    reason: str = ""
    notice: str = ""


class Admission:
    """Decides for each message. Wakes places and puts them to sleep."""

    def __init__(
        self, *, storage: Storage, house: House, clock: Clock, limits: Limits, company: Company
    ) -> None:
        self._storage = storage
        self._house = house
        self._clock = clock
        self._limits = limits
        self._company = company

    async def admit(self, message: Message) -> Admitted | None:
        """None if the message is not to be kept."""
        said = message.author, message.forwarded_from
        if any([await self._storage.opted_out(one.account) for one in said if one is not None]):
            return None
        place = await self._awake(message, await self._storage.place(message.where))
        rules = await self._house.rules(place)
        named = message.persona or await self._company.replied_to(message, place)
        present = self._company.present(named, place)
        attention = who_answers(message, rules.applied_to(place), present)
        if message.author.is_bot:
            return await self._admit_bot(message, place, rules, present, attention.persona)
        reason, notice = attention.reason, ""
        if attention.persona is None:
            if not rules.opened or rules.paused or rules.mutes(message.author.account):
                return None
        elif self.is_stale(message.at):
            reason = TOO_OLD
        else:
            reason = await self._house.why_silent(message, place, rules)
            if reason == Silence.OVER_BUDGET and await self._house.is_first_over_budget(
                place, rules
            ):
                notice = over_budget(rules.heard_by(attention.persona).language)
        return Admitted(
            place=place,
            present=present,
            persona=None if reason else attention.persona,
            reason=reason,
            notice=notice,
        )

    async def _admit_bot(
        self,
        message: Message,
        place: Place,
        rules: Rules,
        present: Sequence[Persona],
        persona: Persona | None,
    ) -> Admitted | None:
        """Another bot is answered, where admins allow it, so often as personas may answer each
        other; else nothing is kept, and it is told nothing: two bots could talk for ever."""
        if persona is None or not rules.bots or place.is_dm or self.is_stale(message.at):
            return None
        if await self._house.why_silent(message, place, rules):
            return None
        now = self._clock.now()
        row, minute = self._limits.persona_turns, self._limits.persona_turns_per_minute
        lines = await self._storage.window(
            place.id, before=now + timedelta(microseconds=1), limit=2 * max(row, minute) + SPARE
        )
        lately = [event for event in lines if now - event.at <= BOTS_REST]
        for kind in (AgentKind.BOT, AgentKind.PERSONA):
            if said_enough(lately, kind, now=now, in_a_row=row, in_a_minute=minute):
                log.info("Another bot was not answered in place %d: that is enough.", place.id)
                return None
        return Admitted(place=place, present=present, persona=persona)

    async def membership(self, membership: Membership) -> None:
        """Somebody came or went; where the bot itself left, all sleeps until it is back."""
        where, at = membership.where, membership.at
        if not membership.author.is_me:
            await self._storage.place(where)
        elif membership.change is Change.LEFT:
            asleep = await self._storage.left(where, at)
            log.info("The bot was removed or blocked: %d places sleep now.", asleep)
        else:
            await self._storage.came_back(where, at)

    def is_stale(self, moment: datetime) -> bool:
        """Whether something is too old to be answered now."""
        return self._clock.now() - moment > timedelta(seconds=self._limits.stale_seconds)

    async def _awake(self, message: Message, place: Place) -> Place:
        """The place, awake if somebody's speaking there shows that the bot is back."""
        if not place.asleep or self.is_stale(message.at):
            return place
        grouped = place.where.kind in {PlaceKind.GROUP, PlaceKind.TOPIC}
        await self._storage.came_back(message.where, message.at - WAKE_AFTER * grouped)
        return await self._storage.place(message.where)
