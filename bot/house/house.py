"""The house as the engine and the commands use it: looks settings up, changes them, and says
whether somebody is answered."""

import logging
from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.clock import Clock
from bot.house.cooldown import Cooldowns
from bot.house.plan import Plan
from bot.house.rules import BUDGET_TOLD, Found, Rules, find_setting, rules_of
from bot.house.silence import Silence, why_silent
from bot.house.stored import Stored
from bot.house.table import SETTINGS, Level
from bot.messages import Message
from bot.ports import Storage
from bot.safety import is_crisis
from bot.world import AccountKey, Place, ServerKey

log = logging.getLogger(__name__)

MOST_CACHED = 10_000


class House:
    """Settings are read once and kept in memory until they change."""

    def __init__(self, *, storage: Storage, clock: Clock, plan: Plan, cooldowns: Cooldowns) -> None:
        self._storage = storage
        self._clock = clock
        self._cooldowns = cooldowns
        self._cache: dict[tuple[int, ServerKey | None], Stored] = {}
        self._changes = 0
        self._told: dict[int | ServerKey, str] = {}
        self.plan = plan

    # -- settings ------------------------------------------------------------------------
    async def rules(self, place: Place) -> Rules:
        """What holds in a place."""
        stored = await self._stored(place)
        return rules_of(place, stored, self.plan.budget_tokens)

    async def settings(self, place: Place) -> Mapping[str, Found]:
        """Each setting of the table, with where it was found."""
        stored = await self._stored(place)
        return {name: find_setting(name, place, stored) for name in SETTINGS}

    async def change(self, place: Place, level: Level, name: str, value: str | None) -> None:
        """Stores a text that was read already, or (None) removes it. A place that is in no
        server keeps the server's settings itself."""
        server = place.where.server_key
        if level is Level.ALL:
            await self._storage.set_setting(None, name, value)
        elif level is Level.SERVER and server is not None:
            await self._storage.set_server_setting(server, name, value)
        else:
            await self._storage.set_setting(place.id, name, value)
        self.settings_changed()

    def settings_changed(self) -> None:
        """What was read before no longer counts."""
        self._changes += 1
        self._cache.clear()

    async def _stored(self, place: Place) -> Stored:
        key = (place.id, place.where.server_key)  # a group may become part of a server
        if (known := self._cache.get(key)) is not None:
            return known
        changes = self._changes
        found = await self._storage.settings(place)
        if changes == self._changes:  # nobody changed anything meanwhile
            if len(self._cache) >= MOST_CACHED:
                self._cache.clear()
            self._cache[key] = found
        return found

    # -- silence -------------------------------------------------------------------------
    async def why_silent(self, message: Message, place: Place, rules: Rules) -> Silence:
        """Why a message that speaks to a persona gets no answer; NONE if it does."""
        now, account = self._clock.now(), message.author.account
        return why_silent(
            rules,
            account=account,
            now=now,
            time_zone=self.plan.time_zone,
            cooling=self._cooldowns.is_cooling(place.id, account, now, rules.cooldown_seconds),
            spent=0 if rules.budget_tokens is None else await self.spent_today(place, rules),
            urgent=is_crisis(message.text),
        )

    async def why_no_model(self, account: AccountKey, place: Place) -> Silence:
        """Why a member may not have an answer made anew; the cooldown does not count."""
        rules = await self.rules(place)
        return why_silent(
            rules,
            account=account,
            now=self._clock.now(),
            time_zone=self.plan.time_zone,
            cooling=False,
            spent=0 if rules.budget_tokens is None else await self.spent_today(place, rules),
        )

    def took(self, message: Message, place: Place) -> None:
        """The message is going to be answered."""
        self._cooldowns.took(place.id, message.author.account, self._clock.now())

    # -- budgets -------------------------------------------------------------------------
    async def spent_today(self, place: Place, rules: Rules) -> int:
        """Tokens since midnight in the server (or group, or conversation) of a place."""
        return await self._storage.spent(place.id, self.day_began(rules))

    async def is_spent(self, place: Place) -> bool:
        """Whether the budget of the day leaves nothing for more calls of a model."""
        rules = await self.rules(place)
        if rules.budget_tokens is None:
            return False
        return await self.spent_today(place, rules) >= rules.budget_tokens

    def day_began(self, rules: Rules) -> datetime:
        """Midnight where the place is."""
        local = self._clock.now().astimezone(ZoneInfo(rules.time_zone or self.plan.time_zone))
        return local.replace(hour=0, minute=0, second=0, microsecond=0)

    async def is_first_over_budget(self, place: Place, rules: Rules) -> bool:
        """Whether nobody was told yet, on this day and in this server, that its budget is
        used up. From now on somebody was."""
        whose = place.where.server_key or place.id
        day = f"{self.day_began(rules):%Y-%m-%d}"
        if self._told.get(whose) == day:
            return False
        self._told[whose] = day  # before anything is awaited: two messages may come at once
        stored = await self._stored(place)
        told = (stored.server if place.where.server_key else stored.here).get(BUDGET_TOLD)
        if told == day:
            return False
        await self.change(place, Level.SERVER, BUDGET_TOLD, day)
        log.warning(
            "The budget of %s for today (%s tokens) is used up; it is silent until midnight.",
            whose if isinstance(whose, ServerKey) else f"place {whose}",
            rules.budget_tokens,
        )
        return True
