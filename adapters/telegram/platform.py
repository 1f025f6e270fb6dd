"""Telegram as a platform: one or several bot accounts in one process."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from adapters.telegram.account import Account, Login, Options, Session
from adapters.telegram.inbound.people import PLATFORM
from adapters.telegram.targets import target_of
from adapters.telegram.webhook import Webhook, WebhookServer
from bot.errors import SendError, SettingsError, Undeliverable
from bot.messages import Outbound
from bot.ports import Handler, Send
from bot.world import PlaceKey

log = logging.getLogger(__name__)

CONNECT_SECONDS = 30.0
"""A reply to a place waits so long for its account to be connected."""


class TelegramPlatform:
    """Receives and sends for all accounts; by polling, or where `webhook` is given by being
    called. Telegram has no idempotency key: a reply whose fate is unknown is sent again,
    and may then be there twice."""

    name = PLATFORM
    idempotent = False

    def __init__(
        self,
        logins: Sequence[Login],
        options: Options,
        *,
        webhook: Webhook | None = None,
        connect_seconds: float = CONNECT_SECONDS,
    ) -> None:
        self.accounts = [Account(login, options) for login in logins]
        self._webhook = webhook
        self._connect_seconds = connect_seconds
        if len({account.id for account in self.accounts}) < len(self.accounts):
            raise SettingsError("TELEGRAM_TOKEN holds one bot twice; give each persona its own.")

    async def run(self, handle: Handler) -> None:
        """Receives until cancelled; what is under way then is finished or stays recorded.
        Raises SettingsError when no account can go on."""
        async with self._server() as server, asyncio.TaskGroup() as group:
            runs = [
                group.create_task(self._run_one(account, handle, server), name=account.id)
                for account in self.accounts
            ]
        problems = [found for run in runs if (found := run.result()) is not None]
        if problems:
            raise problems[0]

    @asynccontextmanager
    async def _server(self) -> AsyncIterator[WebhookServer | None]:
        if self._webhook is None:
            yield None
            return
        server = WebhookServer()
        async with server.listening(self._webhook.host, self._webhook.port):
            yield server

    async def _run_one(
        self, account: Account, handle: Handler, server: WebhookServer | None
    ) -> SettingsError | None:
        try:
            await account.run(handle, server, self._webhook)
        except SettingsError as error:
            if len(self.accounts) > 1:
                log.error("%s The other bots go on.", error)  # noqa: TRY400 - its text says it all
            return error
        return None

    def reach(self, place: PlaceKey) -> Send:
        """Speaks in a place of any account, also right after a restart. Its sends wait until
        the account is connected, so `run` has to run beside."""
        target = target_of(place)
        opened: tuple[Session, Send] | None = None

        async def send(outbound: Outbound) -> Sequence[str]:
            nonlocal opened
            session = await self._session(place)
            if opened is None or opened[0] is not session:
                opened = session, session.outlet.to(target)
            return await opened[1](outbound)

        return send

    async def _session(self, place: PlaceKey) -> Session:
        account = next((one for one in self.accounts if one.id == place.bot_account), None)
        if account is None:
            raise Undeliverable(
                "The bot account of this place is not run any more; put its token back into "
                "TELEGRAM_TOKEN to speak there."
            )
        try:
            async with asyncio.timeout(self._connect_seconds):
                await account.connected.wait()
        except TimeoutError as error:
            raise SendError("Telegram is not connected; tried again later.") from error
        if account.session is None:
            raise SendError("Telegram was left just now; tried again later.")
        return account.session
