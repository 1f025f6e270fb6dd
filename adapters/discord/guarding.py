"""One event that discord.py cannot read must not end the connection."""

import logging
from collections.abc import Callable

import discord

log = logging.getLogger(__name__)

Parse = Callable[[object], object]


def guard_events(client: discord.Client) -> None:
    """Leaves out events of a form that this discord.py does not know, and says so.

    Without this the error would leave `client.start`, and with it everything under way. The
    first event of a connection is not guarded: without it there is no connection.
    """
    parsers: dict[str, Parse] = client._connection.parsers  # type: ignore[assignment]  # noqa: SLF001 - there is no public place to catch this
    for event, parse in list(parsers.items()):
        if event != "READY":
            parsers[event] = _guarded(event, parse)


def _guarded(event: str, parse: Parse) -> Parse:
    def guarded(data: object) -> object:
        try:
            return parse(data)
        except Exception:
            log.exception("An event of Discord (%s) could not be read and is left out.", event)
            return None

    return guarded
