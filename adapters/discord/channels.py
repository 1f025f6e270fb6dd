"""Channels by id: from discord.py's cache, else asked for once."""

import logging
from collections import OrderedDict
from collections.abc import Awaitable
from typing import TypeVar

import discord

from adapters.discord.outbound.failures import patiently
from bot.errors import SendError

log = logging.getLogger(__name__)

LOOK_UP_SECONDS = 10.0
KEPT = 500

T = TypeVar("T")


class Channels:
    """Discord does not send every thread and no DM at the start: those are looked up."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._found: OrderedDict[int, object] = OrderedDict()

    async def get(self, channel: int) -> object | None:
        """The channel, thread or DM; None if Discord does not show it."""
        cached = self._client.get_channel(channel) or self._found.get(channel)
        if cached is None:
            cached = await looked_up(self._client.fetch_channel(channel))
            if cached is not None:
                keep(self._found, channel, cached)
        return cached


def keep(store: OrderedDict[int, T], key: int, value: T) -> None:
    """Adds to a store that forgets its oldest."""
    store[key] = value
    while len(store) > KEPT:
        store.popitem(last=False)


async def looked_up(call: Awaitable[T]) -> T | None:
    """What Discord says; None if it does not."""
    try:
        async with patiently(LOOK_UP_SECONDS):
            return await call
    except SendError as error:
        log.debug("Not looked up: %s", error)
        return None
