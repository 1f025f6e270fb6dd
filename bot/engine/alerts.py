"""What people and operators are told without asking."""

import logging
from collections.abc import Collection

from bot.engine.admission import Admitted
from bot.engine.showing import show
from bot.errors import SendError
from bot.house.house import House
from bot.messages import Message, Reply
from bot.ports import Platform, Send, Storage
from bot.text import clean_name
from bot.world import AccountKey, Place

log = logging.getLogger(__name__)


class Alerts:
    """Reaches each operator who has ever spoken with a persona in private, on a platform that
    was `joined`."""

    def __init__(self, *, storage: Storage, house: House, owners: Collection[AccountKey]) -> None:
        self._storage = storage
        self._house = house
        self._owners = owners
        self._platforms: dict[str, Platform] = {}

    def joined(self, platform: Platform) -> None:
        """From now on operators can be reached there."""
        self._platforms[platform.name] = platform

    async def budget_used_up(self, admitted: Admitted, message: Message, send: Send) -> None:
        """A place, or its server, has spent what it may in a day: its people read so, and
        operators do."""
        nonce = f"n:{message.id}"[-25:]
        await show(send, Reply(text=admitted.notice, nonce=nonce, reply_to=message.id))
        await self._tell_all(admitted.place)

    async def _tell_all(self, place: Place) -> None:
        rules = await self._house.rules(place)
        spent = await self._house.spent_today(place, rules)
        text = (
            f"The budget of {_name(place)} for today is used up: {spent:,} of "
            f"{rules.budget_tokens or 0:,} tokens. It is silent there until midnight; "
            "/budget there changes that."
        )
        day = f"{self._house.day_began(rules):%m%d}"
        for owner in self._owners:
            await self._tell(owner, Reply(text=text, nonce=f"alert:{place.id}:{day}"[-25:]))

    async def _tell(self, owner: AccountKey, reply: Reply) -> None:
        platform = self._platforms.get(owner.platform)
        dms = await self._storage.dms_of(owner) if platform is not None else []
        if platform is None or not dms:
            log.info("An operator could not be told: %s has no conversation with the bot.", owner)
            return
        try:
            await platform.reach(dms[-1].where.key)(reply)
        except SendError as error:
            log.warning("An operator could not be told: %s", error)


def _name(place: Place) -> str:
    """What operators know a place by; nobody's private conversation is named."""
    if place.is_dm:
        return "a private conversation"
    return clean_name(place.where.server_name or place.where.name, f"place {place.id}")
