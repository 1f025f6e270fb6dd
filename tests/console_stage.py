"""A console with everything around it made of plain values, and a handler that echoes."""

import asyncio
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

from adapters.console import ConsolePlatform, Session
from adapters.console.screen import PlainScreen
from bot.clock import StoryClock
from bot.messages import Button, Command, Inbound, Message, Reply
from bot.persona import Persona
from bot.ports import Send
from bot.world import Where

MARA = Persona(
    key="mara",
    name="Mara Lind",
    nicknames=("Captain",),
    description="A ferry captain.",
    greetings=("Ahoy.",),
    apologies=("The engine coughs.",),
)


class Typed:
    """Lines from a list, noting how many replies were out when each was read."""

    def __init__(self, lines: Sequence[str], answered: Callable[[], int]) -> None:
        self._lines = list(lines)
        self._answered = answered
        self.read_after: list[int] = []
        self.prompts: list[str] = []

    async def next(self, prompt: str) -> str | None:
        self.read_after.append(self._answered())
        self.prompts.append(prompt)
        return self._lines.pop(0) if self._lines else None


class Echo:
    """A handler that notes what comes in and answers messages with their text."""

    def __init__(self, *, buttons: tuple[Button, ...] = ()) -> None:
        self.inbounds: list[Inbound] = []
        self.replies = 0
        self._buttons = buttons

    async def __call__(self, inbound: Inbound, send: Send) -> None:
        self.inbounds.append(inbound)
        await asyncio.sleep(0)
        if isinstance(inbound, Message | Command):
            said = inbound.text if isinstance(inbound, Message) else inbound.name
            await send(
                Reply(
                    text=f"You said {said}",
                    nonce=f"n{len(self.inbounds)}",
                    speaker="Mara",
                    buttons=self._buttons,
                )
            )
            self.replies += 1

    @property
    def messages(self) -> list[Message]:
        return [i for i in self.inbounds if isinstance(i, Message)]


class Stage:
    """A console with everything around it made of plain values."""

    def __init__(self, *, group: bool = False, files: Path = Path("unused")) -> None:
        self.out = io.StringIO()
        self.err = io.StringIO()
        self.clock = StoryClock()
        self.rooms: list[Where] = []
        self.waited = 0
        self.screen = PlainScreen(out=self.out, err=self.err, files=files)
        self.session = Session(persona=MARA, me="Ana", group=group)
        self.typed = Typed([], lambda: 0)

    def console(self, lines: Sequence[str], answered: Callable[[], int]) -> ConsolePlatform:
        self.typed = Typed(lines, answered)
        return ConsolePlatform(
            self.session,
            lines=self.typed,
            screen=self.screen,
            clock=self.clock,
            zone=ZoneInfo("Europe/Lisbon"),
            enter_room=self._enter,
            idle=self._idle,
        )

    async def _enter(self, where: Where) -> None:
        self.rooms.append(where)

    async def _idle(self) -> None:
        self.waited += 1


async def play(stage: Stage, *lines: str, handler: Echo | None = None) -> Echo:
    echo = handler or Echo()
    await stage.console(lines, lambda: echo.replies).run(echo)
    return echo
