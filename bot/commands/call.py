"""What a command handler is given, and what it gives back."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.clock import Clock
from bot.errors import BotError
from bot.house.house import House
from bot.house.meter import Meter
from bot.messages import Button, Command, File, Press, Rights
from bot.persona import Persona
from bot.ports import Embedder, Pictures, Send, Storage
from bot.world import AccountKey, Agent, Place

if TYPE_CHECKING:
    from bot.engine.answering import Answering
    from bot.engine.learning import Learning


ORDER = (Rights.MEMBER, Rights.ADMIN, Rights.OPERATOR)


class CommandError(BotError):
    """A typed command cannot be understood or given; the text says what to type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What commands work with. `owners` are the operators' accounts."""

    storage: Storage
    embedder: Embedder
    clock: Clock
    answering: "Answering"
    learning: "Learning"
    owners: frozenset[AccountKey]
    model_name: str
    personas: Mapping[str, Persona]
    house: House
    meter: Meter
    pictures: Pictures | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One command as given, with where, by whom and to which persona.

    `person` is None for somebody of whom nothing is kept yet. `args` are the options as
    typed, or what a pressed button carried.
    """

    desk: Desk
    inbound: Command | Press
    args: dict[str, str]
    place: Place
    persona: Persona
    person: Agent | None
    send: Send


def rights_of(call: Call) -> Rights:
    """What whoever asks may do: operators by their account, others by the platform's word."""
    if call.inbound.author.account in call.desk.owners:
        return Rights.OPERATOR
    return call.inbound.rights


def holds(call: Call, rights: Rights) -> bool:
    """Whether whoever asks has at least these rights."""
    return ORDER.index(rights_of(call)) >= ORDER.index(rights)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the program says to a command, in its own words. Empty text says nothing."""

    text: str
    buttons: tuple[Button, ...] = ()
    files: tuple[File, ...] = ()


Handler = Callable[[Call], Awaitable[Answer]]


class Where(StrEnum):
    """Where a command can be given."""

    ANYWHERE = "anywhere"
    SERVER = "server"  # or a group
    TERMINAL = "terminal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An argument. `choices` empty: any text. `rest`: takes the rest of the line. `file`: no
    text but a file, which comes along however the platform lets people attach one."""

    name: str
    summary: str
    required: bool = False
    choices: tuple[str, ...] = ()
    rest: bool = False
    file: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    """One row of the command table; every platform renders itself from it.

    `private`: the answer concerns one person and is shown to nobody else.
    """

    name: str
    summary: str
    handler: Handler
    options: tuple[Option, ...] = ()
    rights: Rights = Rights.MEMBER
    private: bool = False
    where: Where = Where.ANYWHERE
