"""A real engine and store behind the Discord adapter, driven from the side of Discord."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from pathlib import Path

from adapters.discord import DiscordPlatform, InMemory, Login, Options
from adapters.pacing import Pace
from bot.commands import parse_command
from bot.engine import Engine
from bot.messages import Inbound
from bot.persona import Persona
from bot.ports import Line, Piece, Send, Storage
from bot.world import AccountKey, Answers, PlaceKey, PlaceKind, Where
from storage import open_storage
from tests.conftest import LIMITS
from tests.fakes import FakeClock, NeutralScorer, ScriptedChat, WordEmbedder, until
from tests.platforms.contract import PERSONA
from tests.platforms.discord.fake_gateway import FakeDiscord
from tests.platforms.discord.fake_payloads import BOT
from tests.platforms.discord.fake_state import TOKEN
from tests.platforms.discord.fake_wire import Fault, Interaction
from tests.ready_database import ready

log = logging.getLogger(__name__)

BURST_SECONDS = 0.05
NO_DRAFTS = Pace(first_seconds=1.0, every_seconds=1.0, least_characters=10**9)
QUICK_DRAFTS = Pace(first_seconds=0.0, every_seconds=0.0, least_characters=1)


class WorldClock(FakeClock):
    """A fake clock under which short waits take their time, so that bursts are bursts."""

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(min(seconds, BURST_SECONDS))
        self.pass_time(seconds=seconds)


class PausingChat(ScriptedChat):
    """Answers with one text, and lets `pause` wait after each word that it has said."""

    def __init__(self, text: str, pause: Callable[[str], Awaitable[None]]) -> None:
        super().__init__(lambda _: text)
        self.pause = pause

    async def stream(
        self, lines: Sequence[Line], *, max_tokens: int, purpose: str
    ) -> AsyncGenerator[Piece, None]:
        async with aclosing(
            super().stream(lines, max_tokens=max_tokens, purpose=purpose)
        ) as pieces:
            async for piece in pieces:
                yield piece
                await self.pause(piece.text.strip())


class DiscordWorld:
    """The contract's world, and more: `fake` is the Discord that people see.

    Ana, Ben and the operator Olga are in the server Home with its channels `room` (opened by
    an admin), `hall` (not opened) and `attic` (private).
    """

    lacks: frozenset[str] = frozenset()

    def __init__(
        self,
        folder: Path,
        *,
        personas: Sequence[Persona] = (PERSONA,),
        pace: Pace = NO_DRAFTS,
        stop_seconds: float = 0.2,
        heartbeat_seconds: float = 60.0,
        model: ScriptedChat | None = None,
    ) -> None:
        self.model = model or ScriptedChat()
        self.clock = WorldClock()
        self.fake = FakeDiscord(self.clock.now)
        self.memo = InMemory()
        self.heard: list[Inbound] = []
        self.personas = personas
        self.options = Options(
            keys={persona.name: persona.key for persona in personas},
            default_persona=personas[0].key,
            owners=frozenset({AccountKey(platform="discord", user=self.fake.user("Olga")["id"])}),
            clock=self.clock,
            memo=self.memo,
            pace=pace,
            stop_seconds=stop_seconds,
            ready_seconds=0.01,
            heartbeat_seconds=heartbeat_seconds,
        )
        self.home = self.fake.add_guild("Home", "Ana", "Ben", "Olga")
        self.room = self.fake.add_channel(self.home, "room")
        self.hall = self.fake.add_channel(self.home, "hall")
        self.attic = self.fake.add_channel(self.home, "attic", private=True)
        self.database = folder / "b.db"
        self._server = AsyncExitStack()
        self._program = AsyncExitStack()
        self.seen_tasks: set[str] = set()

    # -- life ------------------------------------------------------------------------------
    async def open(self) -> None:
        await self._server.enter_async_context(self.fake)
        await self.start()

    async def start(self, *, connected: bool = True) -> None:
        """Starts the program; returns when it is connected."""
        self.store: Storage = await self._program.enter_async_context(
            open_storage(ready(self.database))
        )
        for persona in self.personas:
            await self.store.persona(persona.key, persona.name)
        await self._open_room()
        self.engine = Engine(
            storage=self.store,
            model=self.model,
            small_model=self.model,
            embedder=WordEmbedder(),
            scorer=NeutralScorer(),
            personas={persona.key: persona for persona in self.personas},
            default_persona=self.personas[0].key,
            clock=self.clock,
            owners=self.options.owners,
            limits=replace(LIMITS, burst_seconds=BURST_SECONDS, stop_seconds=0.05),
        )
        await self._program.enter_async_context(self.engine)
        self.platform = DiscordPlatform(
            [Login(token=TOKEN)],
            self.options,
            api_url=self.fake.api_url,
            gateway_url=self.fake.gateway_url,
            login_seconds=2.0,
        )
        self.running = asyncio.create_task(self.platform.run(self._handle))
        if connected:
            await until(lambda: self.running.done() or self._is_ready())
            await self.engine.resume(self.platform)
            await self.settle()

    async def stop(self) -> None:
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)
        await self._program.aclose()
        self._program = AsyncExitStack()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def close(self) -> None:
        await self.stop()
        await self._server.aclose()

    async def _open_room(self) -> None:
        place = await self.store.place(
            Where(key=self.key(self.room), kind=PlaceKind.CHANNEL, server=self.home["id"])
        )
        await self.store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)

    async def _handle(self, inbound: Inbound, send: Send) -> None:
        self.heard.append(inbound)
        await self.engine.handle(inbound, send)

    def _is_ready(self) -> bool:
        session = self.platform.accounts[0].session
        return session is not None and session.client.is_ready()

    def key(self, channel: str) -> PlaceKey:
        return PlaceKey(platform="discord", bot_account=BOT, chat=channel)

    async def settle(self) -> None:
        """Returns when every event has arrived and is dealt with."""
        while not self.running.done() and (tasks := await self._tasks()):
            await asyncio.wait(tasks)
        await self.engine.idle()

    async def _tasks(self) -> list[asyncio.Task[object]]:
        """Handlers of events under way, after all frames sent so far are read."""
        session = self.platform.accounts[0].session
        if session is not None:
            await until(lambda: self.running.done() or self._has_read())
        return [t for t in asyncio.all_tasks() if t.get_name().startswith("discord.py: on_")]

    def _has_read(self) -> bool:
        session = self.platform.accounts[0].session
        if session is None or session.client.ws is None:
            return True
        return (session.client.ws.sequence or 0) >= self.fake.sequence

    # -- the contract ----------------------------------------------------------------------
    async def say(
        self,
        text: str,
        *,
        who: str = "Ana",
        room: bool = False,
        mention: bool = False,
        reply_to_persona: bool = False,
        attachment: str = "",
        bot: bool = False,
        channel: str | None = None,
    ) -> str:
        self.clock.pass_time(seconds=1)
        place = channel or (self.room if room else self.fake.dm_of(who))
        message = await self.fake.say(
            place,
            who if not bot else "OtherBot",
            text,
            mention=mention,
            reply_to=self._newest(place) if reply_to_persona else None,
            files=[(f"{attachment}.png", b"png", "image/png")] if attachment else (),
            bot=bot,
        )
        await self.settle()
        return message

    def _newest(self, channel: str) -> str:
        return next(
            id_
            for id_, one in reversed(self.fake.messages.items())
            if one["channel_id"] == channel and one["author"]["id"] == BOT
        )

    async def burst(self, *texts: str, who: str = "Ana", in_order: bool = True) -> None:
        place, messages = self.fake.dm_of(who), []
        for text in texts:
            self.clock.pass_time(seconds=0.01)
            messages.append(await self.fake.say(place, who, text, tell=False))
        for message in messages if in_order else reversed(messages):
            self.fake.redeliver(message)
        await self.settle()

    async def edit(self, message: str, text: str) -> None:
        self.clock.pass_time(seconds=1)
        self.fake.edit(message, text)
        await self.settle()

    async def delete(self, message: str) -> None:
        self.fake.delete(message)
        await self.settle()

    async def redeliver(self, message: str) -> None:
        self.fake.redeliver(message)
        await self.settle()

    async def command(self, line: str, *, who: str = "Ana", room: bool = False) -> None:
        self.clock.pass_time(seconds=1)
        parsed = parse_command(line)
        place = self.room if room else self.fake.dm_of(who)
        self.fake.command(place, who, parsed.name, dict(parsed.options))
        await self.settle()

    async def press_first(self, *, who: str = "Ana") -> None:
        message = next(m for m in reversed(self.fake.messages.values()) if m["components"])
        self.fake.press(message["id"], who, message["components"][0]["components"][0]["custom_id"])
        await self.settle()

    def fail_next_send(self, *, for_good: bool = False) -> None:
        fault = Fault(method="POST", path=r"/messages$", status=503)
        if for_good:
            fault = Fault(method="POST", path=r"/messages$", status=403, code=50013)
        self.fake.rest.faults.append(fault)

    def seen(self, *, who: str = "Ana", room: bool = False) -> list[str]:
        """What everybody reads there; of private answers, those to `who`."""
        place = self.room if room else self.fake.dm_of(who)
        own = {
            id_
            for one in self.fake.interactions.values()
            if one.who == who and one.channel == place
            for id_ in one.answers
        }
        return [
            one["content"]
            for id_, one in self.fake.messages.items()
            if one["channel_id"] == place
            and self.fake.is_mine(one)
            and (not one["flags"] or id_ in own)
        ]

    async def events(self) -> int:
        return (await self.store.counts())["events"]

    # -- more ------------------------------------------------------------------------------
    def private_texts(self, channel: str) -> list[str]:
        return self.fake.texts(channel, private=True)

    async def give(
        self,
        name: str,
        options: dict[str, str] | None = None,
        *,
        channel: str,
        who: str = "Ana",
        **more: object,
    ) -> Interaction:
        """A command with all that Discord may say about it."""
        given = self.fake.command(channel, who, name, options, **more)  # type: ignore[arg-type]
        await self.settle()
        return given
