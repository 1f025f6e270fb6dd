"""Runs the platforms side by side: when one cannot go on, the others do."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from bot.errors import BotError
from bot.ports import Handler, Platform

log = logging.getLogger(__name__)


async def serve(
    platforms: Sequence[Platform], handle: Handler, resume: Callable[[Platform], Awaitable[object]]
) -> None:
    """Receives on all platforms and takes up what each left over, until cancelled.

    Returns when every platform has ended by itself. Raises the first one's error if all of
    them failed.
    """
    errors: dict[int, Exception] = {}
    async with asyncio.TaskGroup() as group:
        for number, platform in enumerate(platforms):
            name = platform.name
            group.create_task(_run(number, platforms, handle, errors), name=name)
            group.create_task(_taken_up(platform, resume), name=f"{name}, left over")
    log.info("Every platform has ended.")
    if errors and len(errors) == len(platforms):
        raise errors[min(errors)]


async def _run(
    number: int, platforms: Sequence[Platform], handle: Handler, errors: dict[int, Exception]
) -> None:
    """One platform. Its error is kept, and told at once while others go on."""
    name = platforms[number].name
    try:
        await platforms[number].run(handle)
    except Exception as error:
        errors[number] = error
        if len(errors) < len(platforms):
            others = "The other platforms go on without it."
            sentence, unexpected = str(error), not isinstance(error, BotError)
            log.exception(
                "%s has stopped: %s %s", name.title(), sentence, others, exc_info=unexpected
            )


async def _taken_up(platform: Platform, resume: Callable[[Platform], Awaitable[object]]) -> None:
    await resume(platform)
