"""Discord under load: a thousand messages over fifty channels, then ten thousand."""

from benchmarks.crowd import run_crowd
from benchmarks.record import Options, Record


async def run(options: Options) -> Record:
    """The crowd of `tests/platforms/discord/crowd.py`."""
    return await run_crowd("discord", "tests.platforms.discord.crowd", options)
