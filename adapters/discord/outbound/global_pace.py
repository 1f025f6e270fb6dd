"""Keeps all calls of one account together below Discord's global limit.

discord.py heeds the limits of each route before it meets them, but the global one (50 calls in a
second) only after a refusal. After a busy moment many replies may leave at once.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import discord

from adapters.pacing import Allowance, Pacer
from bot.clock import Clock

EVERYTHING = Allowance(sends=45, seconds=1.0)

Call = Callable[..., Awaitable[Any]]


def pace_calls(client: discord.Client, clock: Clock) -> None:
    """From now on a call waits while too many others were made within the last second."""
    client.http.request = paced(client.http.request, clock)  # type: ignore[assignment,method-assign]


def paced(request: Call, clock: Clock) -> Call:
    """The same call, in its turn. What answers an interaction is not limited and cannot wait."""
    pacer = Pacer(clock, [EVERYTHING])

    async def call(route: discord.http.Route, **more: Any) -> Any:
        if not route.path.startswith("/interactions/"):
            await pacer.turn("everything")
        return await request(route, **more)

    return call
