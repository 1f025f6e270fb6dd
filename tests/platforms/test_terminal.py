"""The terminal keeps the contract of platforms."""

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from adapters.console import ConsolePlatform, Session
from adapters.console.screen import PlainScreen
from bot.clock import StoryClock
from bot.engine import Engine
from bot.errors import SendError, Undeliverable
from bot.messages import Kept, Outbound, Reply
from bot.ports import Storage
from bot.world import Answers, Where
from storage import open_storage
from tests.conftest import LIMITS
from tests.fakes import NeutralScorer, ScriptedChat, WordEmbedder
from tests.platforms.contract import PERSONA, PlatformContract
from tests.ready_database import ready


class FailingScreen(PlainScreen):
    """A plain screen whose next replies can be made to fail."""

    def __init__(self, *, out: io.StringIO, files: Path) -> None:
        super().__init__(out=out, err=io.StringIO(), files=files)
        self.fail: list[Exception] = []

    def show(self, outbound: Outbound, *, elsewhere: str = "") -> list[str]:
        if isinstance(outbound, Reply) and self.fail:
            raise self.fail.pop(0)
        return super().show(outbound, elsewhere=elsewhere)


class Typist:
    """Lines that a test types one by one."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self._line: asyncio.Queue[str | None] = asyncio.Queue()

    async def next(self, prompt: str) -> str | None:
        del prompt
        self.asked.set()
        line = await self._line.get()
        self.asked.clear()
        return line

    async def type(self, line: str) -> None:
        """Types a line and waits until the terminal asks for the next."""
        await self.asked.wait()
        self.asked.clear()
        self._line.put_nowait(line)
        await self.asked.wait()


class TerminalWorld:
    """The contract's world, through typed lines."""

    lacks = frozenset({"bots", "out of order", "redelivery"})

    def __init__(self, folder: Path) -> None:
        self.model = ScriptedChat()
        self._folder = folder
        self._stack = AsyncExitStack()
        self._screens: dict[str, io.StringIO] = {}
        self._place = ""
        self._said = 0

    async def open(self) -> None:
        self._out = io.StringIO()
        self._screen = FailingScreen(out=self._out, files=self._folder / "files")
        self._clock = StoryClock()
        self._store = await self._stack.enter_async_context(
            open_storage(ready(self._folder / "b.db"))
        )
        await self._store.persona(PERSONA.key, PERSONA.name)
        self.engine = await self._stack.enter_async_context(
            Engine(
                storage=self._store,
                model=self.model,
                small_model=self.model,
                embedder=WordEmbedder(),
                scorer=NeutralScorer(),
                personas={PERSONA.key: PERSONA},
                default_persona=PERSONA.key,
                clock=self._clock,
                limits=replace(LIMITS, burst_seconds=0.05, stop_seconds=0.05),
            )
        )
        self._typist = Typist()
        self._session = Session(persona=PERSONA, me="Ana", group=False)
        platform = ConsolePlatform(
            self._session,
            lines=self._typist,
            screen=self._screen,
            clock=self._clock,
            zone=ZoneInfo("UTC"),
            enter_room=self._enter,
            idle=self.engine.idle,
        )
        await self.engine.resume(platform)
        await self.engine.idle()
        self._task = asyncio.create_task(platform.run(self.engine.handle))
        self._place = ""

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._stack.aclose()

    async def restart(self) -> None:
        seen = self._out.getvalue()
        await self.close()
        self._stack = AsyncExitStack()
        await self.open()
        self._out.write(seen) if not self._out.getvalue() else self._prepend(seen)

    def _prepend(self, seen: str) -> None:
        now = self._out.getvalue()
        self._out.seek(0)
        self._out.write(seen + now)

    async def _enter(self, where: Where) -> None:
        place = await self._store.place(where)
        await self._store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)

    async def _go(self, who: str, *, room: bool) -> None:
        place = "room" if room else f"dm {who}"
        if place != self._place:
            await self._typist.type("@room" if room else f"@dm {who}")
            self._place = place

    def _line(self, who: str, text: str, *, room: bool) -> str:
        return f"{who}: {text}" if room else text

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
    ) -> str:
        assert not bot
        await self._go(who, room=room)
        self._said += 1
        if mention:
            text = f"@Ida {text}"
        if reply_to_persona:
            text = f"@reply {text}"
        if attachment:
            text = f"@attach {attachment} | {text}"
        before = len(self._session.sent)
        await self._typist.type(self._line(who, text, room=room))
        await self.engine.idle()
        return str(before + 1)

    async def burst(self, *texts: str, who: str = "Ana", in_order: bool = True) -> None:
        assert in_order
        await self._go(who, room=False)
        await self._typist.type("@burst " + " | ".join(texts))
        await self.engine.idle()

    async def edit(self, message: str, text: str) -> None:
        await self._typist.type(f"@edit #{message} {text}")
        await self.engine.idle()

    async def delete(self, message: str) -> None:
        await self._typist.type(f"@delete #{message}")

    async def redeliver(self, message: str) -> None:
        """A terminal delivers no line twice; the same inbound again must change nothing."""
        sent = self._session.sent
        if int(message) <= len(sent):
            self._last = sent[int(message) - 1]
        await self.engine.handle(self._last, self._refuse)

    async def _refuse(self, outbound: Outbound) -> list[str]:
        assert isinstance(outbound, Kept), f"sent again: {outbound}"
        return []

    async def command(self, line: str, *, who: str = "Ana", room: bool = False) -> None:
        await self._go(who, room=room)
        await self._typist.type(line)

    async def press_first(self, *, who: str = "Ana") -> None:
        del who
        await self._typist.type("/press 1")

    def fail_next_send(self, *, for_good: bool = False) -> None:
        self._screen.fail.append(Undeliverable("gone") if for_good else SendError("busy"))

    def seen(self, *, who: str = "Ana", room: bool = False) -> list[str]:
        """Everybody looks at one screen: what is private is not what others would see."""
        del room
        texts: list[str] = []
        for line in self._out.getvalue().splitlines():
            speaker, _, text = line.partition(": ")
            if line.startswith("  "):
                texts[-1] += f"\n{line.strip()}"
            elif speaker == "Ida" or who == "Ana":
                texts.append(text)
        return texts

    async def events(self) -> int:
        return (await self._store.counts())["events"]

    @property
    def store(self) -> Storage:
        return self._store


class TestTerminal(PlatformContract):
    @pytest.fixture
    async def world(self, tmp_path: Path) -> AsyncIterator[TerminalWorld]:
        made = TerminalWorld(tmp_path)
        await made.open()
        yield made
        await made.close()
