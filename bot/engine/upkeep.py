"""What time does to the memory: what is older than its place keeps is forgotten, and what the
bot left is purged."""

import logging
from datetime import timedelta

from bot.clock import Clock
from bot.errors import BotError
from bot.house.house import House
from bot.memory import Selection
from bot.ports import Storage
from bot.world import Place

log = logging.getLogger(__name__)

DAY_SECONDS = 86_400.0
BATCH = 200
"""Events forgotten in one transaction, so that nobody waits for long."""


class Upkeep:
    """Looks at every place once a day."""

    def __init__(self, *, storage: Storage, clock: Clock, house: House) -> None:
        self._storage = storage
        self._clock = clock
        self._house = house

    async def run(self) -> None:
        """Until cancelled; what fails is tried again the next day."""
        while True:
            try:
                await self.once()
            except BotError as error:
                log.warning("The daily upkeep stopped half-way: %s", error)
            except Exception:
                log.exception("The daily upkeep failed; it is tried again tomorrow.")
            await self._clock.sleep(DAY_SECONDS)

    async def once(self) -> int:
        """Forgets and purges what is due; returns how many events went."""
        gone = 0
        for place in await self._storage.places():
            gone += await self._expire(place)
        before = self._clock.now() - timedelta(days=self._house.plan.purge_days)
        for place in await self._storage.gone_since(before):
            gone += await self._purge(place)
        if gone:
            await self._storage.forget(Selection())  # scrubs the file once for all batches
            log.info("The daily upkeep forgot %d events.", gone)
        return gone

    async def _expire(self, place: Place) -> int:
        days = (await self._house.rules(place)).retention_days
        if not days:
            return 0
        gone = 0
        before = self._clock.now() - timedelta(days=days)
        while events := await self._storage.expired(place.id, before, limit=BATCH):
            await self._storage.forget(Selection(events=tuple(events)), scrub=False)
            gone += len(events)
        return gone

    async def _purge(self, place: Place) -> int:
        gone = 0
        while events := await self._storage.expired(place.id, None, limit=BATCH):
            await self._storage.forget(Selection(events=tuple(events)), scrub=False)
            gone += len(events)
        await self._storage.purge(place.id)
        self._house.settings_changed()
        log.info("Purged place %d, which the bot left.", place.id)
        return gone
