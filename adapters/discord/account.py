"""One bot account: its client, and the supervisor that keeps it connected."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import aiohttp
import discord

from adapters.discord.channels import Channels
from adapters.discord.commands.interactions import Interactions
from adapters.discord.commands.registering import register
from adapters.discord.connecting import Setback, intents_without, setback_of, wanted_intents
from adapters.discord.guarding import guard_events
from adapters.discord.inbound.messages import Reader
from adapters.discord.listening import Listening
from adapters.discord.memo import InMemory, Memo
from adapters.discord.outbound.global_pace import pace_calls
from adapters.discord.outbound.growing import ALLOWANCE, PACE, Showing
from adapters.discord.outbound.outlet import Desk
from adapters.discord.outbound.ways import NOBODY
from adapters.discord.outbound.webhooks import Webhooks
from adapters.discord.speaking import Speaking, WantsWebhook
from adapters.pacing import Allowance, Budget, Pace, Pacer
from bot.clock import Clock, SystemClock
from bot.commands import COMMANDS, CommandSpec
from bot.errors import SettingsError
from bot.ports import Handler
from bot.world import AccountKey, PlaceKey

log = logging.getLogger(__name__)

PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    read_message_history=True,
    embed_links=True,
    attach_files=True,
    manage_webhooks=True,
)
"""What the install link asks for."""

LONGEST_WAIT_SECONDS = 300.0
"""Between two connections; Discord allows a thousand a day."""

STEADY_SECONDS = 60.0
"""A connection that held so long ends a series of failures."""

DROPS = Allowance(sends=10, seconds=60.0)
"""More lost connections than this are not answered with yet another at once."""

PATIENCE_SECONDS = 60.0
"""Longer waits than this, asked for by Discord, are left to a later try."""


async def never(place: PlaceKey) -> bool:
    """No place asks for a webhook by itself."""
    del place
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A bot account. `persona` is the key of the one it plays; None where each place's own
    answers, and the default persona is the bot itself."""

    token: str
    persona: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the accounts of one process share.

    `keys` are the personas' keys by display name, `avatars` their pictures' addresses;
    `default_persona` is a key (empty: whoever speaks, speaks as the bot).
    Times in seconds; the defaults of discord.py unless a test is in a hurry.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    avatars: Mapping[str, str] = field(default_factory=dict)
    default_persona: str = ""
    owners: frozenset[AccountKey] = frozenset()
    commands: Sequence[CommandSpec] = COMMANDS
    clock: Clock = field(default_factory=SystemClock)
    memo: Memo = field(default_factory=InMemory)
    wants_webhook: WantsWebhook = never
    pace: Pace = PACE
    stop_seconds: float = 10.0
    ready_seconds: float = 2.0
    identify_seconds: float = 5.0
    heartbeat_seconds: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What lives as long as one client does."""

    client: discord.Client
    bot: str
    speaking: Speaking
    listening: Listening
    desk: Desk


class Account:
    """Runs one bot account until cancelled. `session` is set while it is logged in."""

    def __init__(self, login: Login, options: Options) -> None:
        self._login = login
        self._options = options
        self._intents = wanted_intents()
        self._drops = Budget([DROPS])
        self._lost = asyncio.Event()
        self._ready_at: float | None = None
        self._registering: asyncio.Task[None] | None = None
        self.session: Session | None = None
        self.logged_in = asyncio.Event()

    async def run(self, handle: Handler) -> None:
        """Connects again whenever that can help. Raises SettingsError where it cannot."""
        failures = 0
        while True:
            setback = await self._connect(handle)
            now = self._now()
            steady = self._ready_at is not None and now - self._ready_at > STEADY_SECONDS
            self._ready_at = None
            failures = 0 if steady or setback is Setback.INTENTS else failures + 1
            if failures:
                wait = min(2.0 ** (failures - 1), LONGEST_WAIT_SECONDS)
                log.warning("%s; the next try is in %.0f s.", setback, wait)
                await self._options.clock.sleep(wait)

    def open_client(self, handle: Handler) -> discord.Client:
        """A client that is ready to be started and hands everything it hears to `handle`."""
        client = discord.Client(
            intents=self._intents,
            allowed_mentions=NOBODY,
            max_messages=None,
            max_ratelimit_timeout=PATIENCE_SECONDS,
            guild_ready_timeout=self._options.ready_seconds,
            heartbeat_timeout=self._options.heartbeat_seconds,
        )

        guard_events(client)
        pace_calls(client, self._options.clock)

        async def setup_hook() -> None:
            self._begin(client, handle)

        async def before_identify_hook(_shard: int | None, *, initial: bool = False) -> None:
            if not initial:
                await self._options.clock.sleep(self._options.identify_seconds)

        async def on_error(event: str, *_args: object, **_more: object) -> None:
            log.exception("discord.py's event %s failed.", event)

        async def on_ready() -> None:
            self._ready(client)

        async def on_disconnect() -> None:
            self._dropped()

        for hook in (setup_hook, before_identify_hook, on_error, on_ready, on_disconnect):
            client.event(hook)
        return client

    async def close_client(self, client: discord.Client, *, seconds: float = 0.0) -> None:
        """Lets what is under way end for so long, then leaves."""
        session, self.session = self.session, None
        if session is not None:
            await session.listening.finish(seconds)
            await session.desk.close()
        if self._registering is not None:
            self._registering.cancel()
            await asyncio.gather(self._registering, return_exceptions=True)
        self.logged_in.clear()
        await client.close()

    # -- one connection --------------------------------------------------------------------
    async def _connect(self, handle: Handler) -> Setback:
        """Runs one client to its end; says why it ended."""
        self._lost.clear()
        client = self.open_client(handle)
        started = asyncio.create_task(client.start(self._login.token))
        lost = asyncio.create_task(self._lost.wait())
        try:
            await asyncio.wait({started, lost}, return_when=asyncio.FIRST_COMPLETED)
            if started.done():
                started.result()
        except discord.PrivilegedIntentsRequired:
            self._do_without(client)
            return Setback.INTENTS
        except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
            return setback_of(error, self._login.persona)
        except AttributeError as error:  # discord.py's way to fail when the first try fails
            if client.ws is not None or error.__context__ is None:
                log.exception("discord.py failed; connecting anew.")
            return Setback.BROKEN
        except Exception:  # a payload that discord.py cannot read ends its client
            log.exception("discord.py failed; connecting anew.")
            return Setback.BROKEN
        finally:
            await _end(started)
            await _end(lost)
            await self.close_client(client, seconds=self._options.stop_seconds)
        return Setback.DROPPED

    def _begin(self, client: discord.Client, handle: Handler) -> None:
        """Logged in: from here on the account can speak."""
        me, application = client.user, client.application_id
        assert me is not None
        assert application is not None
        options = self._options
        webhooks = Webhooks(client, avatars=options.avatars)
        pacer = Pacer(options.clock, [ALLOWANCE])
        desk = Desk(showing=Showing(clock=options.clock, pacer=pacer, pace=options.pace))
        channels = Channels(client)
        speaking = Speaking(
            client,
            channels=channels,
            webhooks=webhooks,
            desk=desk,
            keys=options.keys,
            own=self._login.persona or options.default_persona,
            wants_webhook=options.wants_webhook,
        )
        reader = Reader(
            me=me,
            application=application,
            persona=self._login.persona,
            keys=options.keys,
            webhooks=webhooks.ids,
        )
        listening = Listening(
            client,
            reader=reader,
            channels=channels,
            speaking=speaking,
            handle=handle,
            clock=options.clock,
        )
        interactions = Interactions(
            bot=str(me.id),
            persona=self._login.persona,
            owners=options.owners,
            clock=options.clock,
            desk=desk,
            hand_over=listening.hand_over,
            publicly=speaking.publicly,
            is_own=speaking.is_own,
            commands=options.commands,
        )
        for hook in (*listening.hooks(), interactions.on_interaction):
            client.event(hook)
        self.session = Session(
            client=client, bot=str(me.id), speaking=speaking, listening=listening, desk=desk
        )
        self.logged_in.set()
        self._registering = asyncio.create_task(
            register(client, self._options.commands, self._options.memo)
        )

    def _ready(self, client: discord.Client) -> None:
        self._ready_at = self._now()
        servers = len(client.guilds)
        log.info("Discord: connected as %s, in %d servers.", client.user, servers)
        if not servers and client.application_id is not None:
            link = discord.utils.oauth_url(
                client.application_id,
                permissions=PERMISSIONS,
                scopes=("bot", "applications.commands"),
            )
            log.info("Discord: nobody has installed this bot yet; install it with %s", link)

    def _dropped(self) -> None:
        """discord.py resumes by itself; when that does not hold, the supervisor waits."""
        now = self._now()
        self._drops.spend(now)
        if self._drops.left(now) <= 0:
            self._lost.set()

    def _do_without(self, client: discord.Client) -> None:
        """Discord refuses privileged intents: which ones it grants, the application knows."""
        self._intents, missing = intents_without(self._intents, client.application_flags)
        log.warning(
            "Discord does not grant this bot %s, so it goes on without: %s Switch it on in the "
            "Developer Portal under Bot, Privileged Gateway Intents.",
            " and ".join(one.name for one in missing),
            " ".join(one.loss for one in missing),
        )

    def _now(self) -> float:
        return self._options.clock.now().timestamp()


async def _end(task: asyncio.Task[None] | asyncio.Task[bool]) -> None:
    """Cancels until it helps: in Python 3.11 `asyncio.wait_for` may swallow a cancellation."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=1.0)
    if not task.cancelled():
        task.exception()  # looked at where it matters


def refuse_empty(logins: Sequence[Login]) -> None:
    """Raises SettingsError where there is nothing to log in with."""
    if not logins or any(not login.token.strip() for login in logins):
        raise SettingsError("DISCORD_TOKEN is empty; copy a token from the Developer Portal.")
