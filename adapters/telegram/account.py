"""One bot account: connects, receives until it is stopped, and ends in good order."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from telegram import Bot, User
from telegram.error import InvalidToken, TelegramError

from adapters.telegram.client import ALLOWED_UPDATES, Client, account_of, reason
from adapters.telegram.commands.menus import bring_up_to_date
from adapters.telegram.inbound.earshot import about_privacy
from adapters.telegram.inbound.places import Places
from adapters.telegram.inbound.reader import Reader
from adapters.telegram.outbound.calls import Calls
from adapters.telegram.outbound.drafts import Drafts
from adapters.telegram.outbound.outlet import Outlet
from adapters.telegram.outbound.posting import Posting
from adapters.telegram.outbound.typing import Typing
from adapters.telegram.polling import FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS, Polling
from adapters.telegram.receiving import Receiving
from adapters.telegram.targets import Target
from adapters.telegram.webhook import Webhook, WebhookServer
from bot.clock import Clock
from bot.errors import BotError, SettingsError
from bot.messages import Migrated
from bot.persona import Persona
from bot.ports import Handler

log = logging.getLogger(__name__)

WEBHOOK_CONNECTIONS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A bot account. `persona` is the key of the one it plays, None where each place's own
    shall answer; `character` gives that one (or the default), as its file is by now."""

    token: str = field(repr=False)
    character: Callable[[], Persona]
    persona: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What all accounts share. `operators` are ids of people who get a menu of their own.
    `stop_seconds`: replies under way may take this long when the program stops."""

    clock: Clock
    api_url: str | None = None
    operators: Sequence[int] = ()
    stop_seconds: float = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A connected account."""

    me: User
    outlet: Outlet
    receiving: Receiving
    typing: Typing
    drafts: Drafts


class Account:
    """`session` is there, and `connected` set, while the account can send."""

    def __init__(self, login: Login, options: Options) -> None:
        self.id = account_of(login.token)
        self.connected = asyncio.Event()
        self.session: Session | None = None
        self._login = login
        self._options = options
        self._clock = options.clock

    async def run(
        self, handle: Handler, server: WebhookServer | None, webhook: Webhook | None
    ) -> None:
        """Receives until cancelled. Raises SettingsError when Telegram refuses the token."""
        bot = Client(self._login.token, self._options.api_url)
        try:
            me = await self._connect(bot)
            self.session = self._open(bot, me, handle)
            self.connected.set()
            try:
                await self._receive(bot, self.session, server, webhook)
            finally:
                await self._close(self.session)
        except InvalidToken:
            raise SettingsError(
                f"Telegram refuses the token of the bot {self.id}: take the present one from "
                "@BotFather and put it into TELEGRAM_TOKEN."
            ) from None  # the cause may repeat the token
        finally:
            self.session = None
            self.connected.clear()
            await bot.shutdown()

    # -- connecting ------------------------------------------------------------------------
    async def _connect(self, bot: Bot) -> User:
        """Who the bot is; asks until Telegram answers."""
        await self._until_done(bot.initialize)
        log.info("Connected to Telegram as @%s. %s", bot.bot.username, about_privacy(bot.bot))
        return bot.bot

    async def _until_done(self, call: Callable[[], Awaitable[object]]) -> None:
        """Calls again while Telegram cannot be reached. Raises InvalidToken."""
        wait = FIRST_WAIT_SECONDS
        while True:
            try:
                await call()
            except InvalidToken:
                raise
            except TelegramError as error:
                log.warning(
                    "Telegram cannot be reached (%s); trying again in %.0f s.", reason(error), wait
                )
            else:
                return
            await self._clock.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)

    def _open(self, bot: Bot, me: User, handle: Handler) -> Session:
        async def moved(old: int, new: int) -> None:
            await self._tell_of_move(handle, old, new)

        calls = Calls(self._clock, moved)
        reader = Reader(
            bot,
            me,
            persona=self._login.persona,
            clock=self._clock,
        )
        real_id = reader.albums.real_id
        typing = Typing(bot, calls, self._clock)
        drafts = Drafts(bot, calls, self._clock, real_id)
        outlet = Outlet(
            posting=Posting(bot, calls, real_id),
            typing=typing,
            drafts=drafts,
            character=self._login.character,
            deep_link=f"https://t.me/{me.username}?start=private",
        )
        receiving = Receiving(reader, outlet, handle, clock=self._clock, moved=calls.note_move)
        return Session(me=me, outlet=outlet, receiving=receiving, typing=typing, drafts=drafts)

    async def _tell_of_move(self, handle: Handler, old: int, new: int) -> None:
        """A send found out that a group became a supergroup."""
        places = Places(self.id)
        session = self.session
        assert session is not None
        value = Migrated(old=places.key(old), new=places.key(new), at=self._clock.now())
        try:
            await handle(value, session.outlet.to(Target(chat=new)))
        except BotError as error:
            log.error("A group moved, but that could not be kept yet: %s", error)  # noqa: TRY400

    # -- receiving -------------------------------------------------------------------------
    async def _receive(
        self, bot: Client, session: Session, server: WebhookServer | None, webhook: Webhook | None
    ) -> None:
        menus = asyncio.create_task(bring_up_to_date(bot, self._options.operators))
        try:
            if server is not None and webhook is not None:
                await self._be_called(bot, session, server, webhook)
            else:
                await self._ask(bot, session)
        finally:
            menus.cancel()
            await asyncio.gather(menus, return_exceptions=True)

    async def _ask(self, bot: Client, session: Session) -> None:
        await self._until_done(lambda: bot.delete_webhook(drop_pending_updates=False))
        polling = Polling(bot, session.receiving.take, self._clock, name=f"@{session.me.username}")
        try:
            await polling.run()
        finally:
            await session.receiving.close(self._options.stop_seconds)
            await polling.confirm()

    async def _be_called(
        self, bot: Bot, session: Session, server: WebhookServer, webhook: Webhook
    ) -> None:
        secret = secrets.token_urlsafe(32)
        server.add(self.id, secret, session.receiving.take)
        try:
            await self._until_done(
                lambda: bot.set_webhook(
                    webhook.address_of(self.id),
                    secret_token=secret,
                    allowed_updates=ALLOWED_UPDATES,
                    max_connections=WEBHOOK_CONNECTIONS,
                )
            )
            log.info("Telegram calls %s.", webhook.address_of(self.id))
            await asyncio.Event().wait()
        finally:
            server.remove(self.id)
            await session.receiving.close(self._options.stop_seconds)

    async def _close(self, session: Session) -> None:
        session.outlet.close()
        await session.drafts.close()
        await session.typing.close()
