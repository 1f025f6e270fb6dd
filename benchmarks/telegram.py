"""Telegram under load: a thousand messages over thirty private chats and twenty groups."""

from dataclasses import replace

from benchmarks.crowd import run_crowd
from benchmarks.record import Options, Record

MESSAGES = 1_000


async def run(options: Options) -> Record:
    """The crowd of `tests/platforms/telegram/crowd.py`."""
    limited = replace(options, limit=options.limit or MESSAGES)
    return await run_crowd("telegram", "tests.platforms.telegram.crowd", limited)
