"""`main.py` alone: every platform that has a token, until it is told to stop."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from adapters.cli.notes import about_vectors
from adapters.cli.presence import presence
from adapters.cli.root import PlatformEntry, Root, prepared
from adapters.cli.serving import serve
from adapters.health import watched
from adapters.settings import Settings
from bot.clock import SystemClock
from bot.errors import SettingsError
from bot.house.figures import Calls
from bot.parts import keep_up_to_date
from bot.ports import Storage

log = logging.getLogger(__name__)


def run_platforms(root: Root) -> None:
    """Returns after SIGTERM; Ctrl-C raises KeyboardInterrupt."""
    settings = prepared(usual_level=logging.INFO)
    if not any(_has_token(settings, entry) for entry in root.platforms):
        names = " or ".join(entry.setting for entry in root.platforms) or "a token"
        raise SettingsError(
            f"No platform has a token: set {names} in .env, or talk here with: main.py chat"
        )
    with presence(settings.database, "platforms") as here:
        if not here.alone:
            raise SettingsError(
                f"Another process runs the platforms with {settings.database}; stop it first, "
                "or every message is answered twice."
            )
        asyncio.run(_run(root, settings))


def _has_token(settings: Settings, entry: PlatformEntry) -> bool:
    return bool(getattr(settings, entry.setting.lower()))


async def _run(root: Root, settings: Settings) -> None:
    stop = asyncio.Event()
    with contextlib.suppress(NotImplementedError):  # Windows has no such signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with root.parts(settings, SystemClock()) as parts:
        if note := await about_vectors(parts.storage, parts.remembering.senses.embedder.name):
            log.warning("%s", note)
        platforms = [p for entry in root.platforms for p in entry.make(settings, parts)]
        async with (
            parts.engine,
            keep_up_to_date(parts),
            watched(
                parts.engine.meter,
                settings.health_port,
                host=settings.health_host,
                calls=partial(_calls_since, parts.storage, parts.engine.meter.started),
            ),
        ):
            serving = asyncio.create_task(
                serve(platforms, parts.engine.handle, parts.engine.resume)
            )
            keeping = asyncio.create_task(parts.engine.keep_house(), name="upkeep")
            stopping = asyncio.create_task(stop.wait())
            try:
                await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
                if serving.done():
                    serving.result()
            finally:
                stopping.cancel()
                keeping.cancel()
                serving.cancel()
                await asyncio.wait({serving, keeping})


async def _calls_since(storage: Storage, started: datetime) -> Sequence[Calls]:
    """What the program has asked of models since it was started."""
    return (await storage.figures(None, started)).calls
