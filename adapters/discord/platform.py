"""Discord as a platform: one or several bot accounts in one process."""

import asyncio
import logging
from collections.abc import Sequence

import discord
import yarl

from adapters.discord.account import Account, Login, Options, Session, refuse_empty
from adapters.discord.inbound.places import PLATFORM
from adapters.discord.outbound.outlet import Outlet
from adapters.discord.quiet import quiet_discord_py
from bot.errors import SendError, SettingsError, Undeliverable
from bot.messages import Outbound
from bot.ports import Handler, Send
from bot.world import PlaceKey

log = logging.getLogger(__name__)

LOGIN_SECONDS = 30.0
"""A reply to a place waits so long for its account to be connected."""


class DiscordPlatform:
    """Receives and sends for all accounts. `api_url` and `gateway_url` replace Discord's own
    addresses; `login_seconds` is how long `reach` waits for an account.

    A nonce makes ordinary messages idempotent; what goes through a webhook is not.
    """

    name = PLATFORM
    idempotent = True

    def __init__(
        self,
        logins: Sequence[Login],
        options: Options | None = None,
        *,
        api_url: str | None = None,
        gateway_url: str | None = None,
        login_seconds: float = LOGIN_SECONDS,
    ) -> None:
        refuse_empty(logins)
        quiet_discord_py()
        if api_url:
            discord.http.Route.BASE = api_url.rstrip("/")
        if gateway_url:
            discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway_url)
        self._login_seconds = login_seconds
        self.accounts = [Account(login, options or Options()) for login in logins]

    async def run(self, handle: Handler) -> None:
        """Receives until cancelled; what is under way then is finished or stays recorded.
        Raises SettingsError when no account can go on."""
        runs = [self._run_one(account, handle) for account in self.accounts]
        problems = [problem for problem in await asyncio.gather(*runs) if problem is not None]
        raise problems[0]

    async def _run_one(self, account: Account, handle: Handler) -> SettingsError | None:
        try:
            await account.run(handle)
        except SettingsError as error:
            if len(self.accounts) > 1:
                log.error("%s The other bots go on.", error)  # noqa: TRY400 - its text says it all
            return error
        return None

    def reach(self, place: PlaceKey) -> Send:
        """Speaks in a place of any account, also right after a restart. Its sends wait until
        the account is logged in, so `run` has to run beside."""
        opened: tuple[Session, Outlet] | None = None

        async def send(outbound: Outbound) -> Sequence[str]:
            nonlocal opened
            session = await self._session(place)
            if opened is None or opened[0] is not session:
                opened = session, session.speaking.reach(place)
            return await opened[1].send(outbound)

        return send

    async def _session(self, place: PlaceKey) -> Session:
        """The session of the account that a place belongs to."""
        if found := self._find(place):
            return found
        waits = [asyncio.create_task(account.logged_in.wait()) for account in self.accounts]
        try:
            async with asyncio.timeout(self._login_seconds):
                for one in asyncio.as_completed(waits):
                    await one
                    if found := self._find(place):
                        return found
        except TimeoutError as error:
            raise SendError("Discord is not connected; tried again later.") from error
        finally:
            for task in waits:
                task.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        raise Undeliverable(
            "The bot account of this place is not run any more; put its token back into "
            "DISCORD_TOKEN to speak there."
        )

    def _find(self, place: PlaceKey) -> Session | None:
        sessions = [account.session for account in self.accounts if account.session]
        return next((one for one in sessions if one.bot == place.bot_account), None)
