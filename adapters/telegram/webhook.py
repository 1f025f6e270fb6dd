"""Webhook mode: Telegram calls this server, behind an address with https."""

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web
from telegram import Update

from adapters.telegram.client import update_from
from bot.errors import SettingsError

log = logging.getLogger(__name__)

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
SETTLE_SECONDS = 50.0
"""Telegram waits about a minute for an answer; without one it delivers again."""

MOST_BYTES = 1_000_000

Take = Callable[[Update], asyncio.Event]


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """`url` is what Telegram calls, as seen from outside; the server itself listens on
    `host` and `port`. Each account has a path of its own below."""

    url: str
    host: str = "127.0.0.1"
    port: int = 8443

    def address_of(self, account: str) -> str:
        return f"{self.url.rstrip('/')}/{account}"


class WebhookServer:
    """Answers Telegram when an update is settled: one that is not is delivered again."""

    def __init__(self) -> None:
        self._takers: dict[str, tuple[str, Take]] = {}
        self._app = web.Application(client_max_size=MOST_BYTES)
        self._app.router.add_post("/{path:(?:.*/)?}{account}", self._receive)

    def add(self, account: str, secret: str, take: Take) -> None:
        """From now on what comes for an account, with its secret, is taken."""
        self._takers[account] = (secret, take)

    def remove(self, account: str) -> None:
        self._takers.pop(account, None)

    @asynccontextmanager
    async def listening(self, host: str, port: int) -> AsyncIterator[int]:
        """Serves meanwhile; gives the port. Raises SettingsError if it is taken."""
        runner = web.AppRunner(self._app, access_log=None)
        await runner.setup()
        try:
            site = web.TCPSite(runner, host, port)
            try:
                await site.start()
            except OSError as error:
                raise SettingsError(
                    f"The webhook server cannot listen on {host}:{port} ({error.strerror}); "
                    "set TELEGRAM_WEBHOOK_LISTEN to a free one."
                ) from error
            yield int(runner.addresses[0][1])
        finally:
            await runner.cleanup()

    async def _receive(self, request: web.Request) -> web.Response:
        secret, take = self._takers.get(request.match_info["account"], ("", None))
        given = request.headers.get(SECRET_HEADER, "")
        if take is None or not hmac.compare_digest(given.encode(), secret.encode()):
            return web.Response(status=403)
        try:
            update = update_from(await request.read())
        except ValueError:
            return web.Response(status=400)
        if update is None:
            return web.Response()
        try:
            async with asyncio.timeout(SETTLE_SECONDS):
                await take(update).wait()
        except TimeoutError:
            return web.Response(status=503)
        return web.Response()
