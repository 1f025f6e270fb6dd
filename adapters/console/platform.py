"""The terminal as a platform: lines become inbound values, replies are shown."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import tzinfo

from adapters.console.inbound import InboundMaker
from adapters.console.keyboard import Lines
from adapters.console.screen import Screen
from adapters.console.script import (
    HELP,
    Act,
    Answer,
    Burst,
    GoToDm,
    GoToRoom,
    Help,
    LineError,
    Order,
    PressButton,
    Quit,
    Remove,
    Rewrite,
    Say,
    SetClock,
    SpeakAs,
    Wait,
    read_act,
    read_moment,
    split_speaker,
)
from adapters.console.session import PLATFORM, Choice, Session, Spoken, room_named
from bot.clock import StoryClock
from bot.commands import CommandError
from bot.errors import BotError, Undeliverable
from bot.messages import (
    Command,
    Edit,
    Inbound,
    Message,
    Outbound,
    Press,
    Reply,
)
from bot.ports import Handler, Send
from bot.world import Author, PlaceKey, Where

CHANGED = "The message is changed."
REMOVED = "The message is deleted, and what rests on it."


class ConsolePlatform:
    """Reads lines until they end, one after the other: the next is read when the last is
    dealt with. `failed` counts lines that could not be.

    `enter_room` is told of each room before anything is said there; `idle` returns when
    all is learnt. `persona` is the key to name in every message, None for the default's.
    """

    name = PLATFORM
    idempotent = False

    def __init__(
        self,
        session: Session,
        *,
        lines: Lines,
        screen: Screen,
        clock: StoryClock,
        zone: tzinfo,
        enter_room: Callable[[Where], Awaitable[None]],
        idle: Callable[[], Awaitable[None]],
        persona: str | None = None,
    ) -> None:
        self._session = session
        self._lines = lines
        self._screen = screen
        self._clock = clock
        self._zone = zone
        self._enter_room = enter_room
        self._idle = idle
        self._maker = InboundMaker(session, clock=clock, persona=persona)
        self._stdout_gone = False
        self.failed = 0

    def reach(self, place: PlaceKey) -> Send:
        return self._send_to(replace(self._session.where, key=place, name="another place"))

    async def run(self, handle: Handler) -> None:
        if self._session.in_room:
            await self._enter_room(self._session.where)
        while (line := await self._lines.next(self._prompt())) is not None:
            if not line.strip():
                continue
            try:
                if not await self._follow(line.strip(), handle):
                    return
            except (LineError, CommandError) as error:
                self._screen.note(str(error))
            except BotError as error:
                self.failed += 1
                self._screen.note(str(error))
            if self._stdout_gone:
                raise BrokenPipeError

    def _prompt(self) -> str:
        session = self._session
        room = f" in {session.where.name}" if session.in_room else ""
        return f"{session.speaker.name}{room}> "

    async def _follow(self, line: str, handle: Handler) -> bool:
        """Does what a line says. False when it ends the session."""
        choice = self._session.choice(line)
        choices, self._session.choices = self._session.choices, ()
        if choice is not None:
            await self._handle(self._maker.press(choice), handle)
            return True
        author, act = self._read(line)
        match act:
            case Quit():
                return False
            case PressButton():
                await self._handle(self._maker.press(_nth_choice(choices, act.number)), handle)
            case Burst():
                await self._burst(act, handle)
            case Say() | Answer() | Rewrite() | Remove() | Order():
                await self._handle(self._maker.make(act, author), handle)
                if isinstance(act, Rewrite | Remove):
                    self._screen.note(CHANGED if isinstance(act, Rewrite) else REMOVED)
            case _:
                await self._change(act)
        return True

    def _read(self, line: str) -> tuple[Author, Act]:
        session = self._session
        name, text = split_speaker(line) if session.in_room else ("", line)
        act = read_act(text, is_mention=session.is_mention)
        if name:
            return session.meet(name), act
        if isinstance(act, Rewrite | Remove) and session.in_room:
            return session.newest_author(), act  # what was typed last is what is mended
        return session.speaker, act

    async def _change(self, act: Act) -> None:
        """What only changes the session."""
        session = self._session
        match act:
            case GoToRoom():
                session.where = room_named(act.room, private=act.private)
                await self._enter_room(session.where)
            case GoToDm():
                session.go_to_dm(act.name)
            case SpeakAs():
                session.speak_as(act.name)
            case SetClock():
                self._clock.set(read_moment(act.when, self._clock.now(), self._zone))
            case Wait():
                await self._idle()
            case Help():
                self._screen.note(HELP)

    async def _burst(self, burst: Burst, handle: Handler) -> None:
        read = [self._read(line) for line in burst.lines]
        inbounds = [self._maker.make(act, author) for author, act in read]
        results = await asyncio.gather(
            *(self._handle(inbound, handle) for inbound in inbounds), return_exceptions=True
        )
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def _handle(self, inbound: Inbound, handle: Handler) -> None:
        try:
            await handle(inbound, self._send_to(_place_of(inbound) or self._session.where))
        except asyncio.CancelledError:
            if isinstance(inbound, Message):
                self._screen.note("Your message is kept; it is answered at the next start.")
            raise

    # -- what is shown ---------------------------------------------------------------------
    def _send_to(self, where: Where) -> Send:
        async def send(outbound: Outbound) -> Sequence[str]:
            elsewhere = "" if where.key == self._session.where.key else where.name
            try:
                ids = self._screen.show(outbound, elsewhere=elsewhere)
            except BrokenPipeError as error:
                self._stdout_gone = True
                raise Undeliverable("Nobody reads the output any more.") from error
            if isinstance(outbound, Reply):
                self._remember(outbound, ids, where)
            return ids

        return send

    def _remember(self, reply: Reply, ids: Sequence[str], where: Where) -> None:
        session = self._session
        said = Spoken(id=ids[0], text=reply.text, place=where.key)
        if any(s.id == said.id for s in session.spoken):
            session.spoken = [said if s.id == said.id else s for s in session.spoken]
        elif reply.speaker:  # what the program says is no part of the conversation
            session.spoken.append(said)
        if reply.buttons:
            session.choices = tuple(Choice(button=b, where=where) for b in reply.buttons)


def _place_of(inbound: Inbound) -> Where | None:
    match inbound:
        case Message() | Command() | Press():
            return inbound.where
        case Edit():
            return inbound.message.where
        case _:
            return None


def _nth_choice(choices: Sequence[Choice], number: int) -> Choice:
    if not 1 <= number <= len(choices):
        count = len(choices) or "none"
        raise LineError(f"There is no button {number}; the last reply has {count}.")
    return choices[number - 1]
