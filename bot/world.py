"""Who and where: agents with their accounts, places, and who may hear what."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class AgentKind(StrEnum):
    PERSONA = "persona"
    PERSON = "person"
    THIRD_PARTY = "third_party"  # only heard of, has no account
    BOT = "bot"  # another bot: it may be answered, but is no witness and nobody to get close to


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Anyone who can take part in an event. The id is the identity; `name` is a label."""

    id: int
    kind: AgentKind
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountKey:
    """One person's account: a platform and the user id there (never the name)."""

    platform: str
    user: str

    def __str__(self) -> str:
        return f"{self.platform}:{self.user}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Whoever wrote a message, as the platform shows them at that moment."""

    account: AccountKey
    name: str
    is_bot: bool = False  # another bot's account
    is_masked: bool = False  # no account of anybody's: a webhook, a channel, a hidden admin
    is_me: bool = False  # this bot's own account, or a webhook it speaks through

    @property
    def is_person(self) -> bool:
        """Whether somebody speaks for themselves."""
        return not (self.is_bot or self.is_masked or self.is_me)


class PlaceKind(StrEnum):
    DM = "dm"
    CHANNEL = "channel"
    THREAD = "thread"
    GROUP = "group"
    TOPIC = "topic"
    ARCHIVE = "archive"  # an imported conversation
    PAST = "past"  # a persona's own past


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceKey:
    """Where messages are, seen from one bot account; equal keys are one place."""

    platform: str
    bot_account: str
    chat: str
    thread: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerKey:
    """A server, seen from one bot account. Direct messages and plain groups have none."""

    platform: str
    bot_account: str
    server: str

    def __str__(self) -> str:
        return f"{self.platform}:{self.server}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place as the platform describes it now.

    `server` is the platform's id of the server, empty in DMs and plain groups. `parent` is the
    `chat` of the channel that a thread is in: what is set there holds in the thread too.
    `private`: not everybody in the server can read it, so nothing said there leaves it.
    """

    key: PlaceKey
    kind: PlaceKind
    name: str = ""
    server: str = ""
    server_name: str = ""
    parent: str = ""
    private: bool = False
    age_restricted: bool = False

    @property
    def server_key(self) -> ServerKey | None:
        """The server that the place is in, if it is in one."""
        if not self.server or self.kind is PlaceKind.DM:
            return None
        return ServerKey(
            platform=self.key.platform, bot_account=self.key.bot_account, server=self.server
        )


SHARED = frozenset({PlaceKind.CHANNEL, PlaceKind.THREAD, PlaceKind.GROUP, PlaceKind.TOPIC})
"""Places that have admins."""


class Answers(StrEnum):
    """When a persona speaks in a place."""

    ADDRESSED = "addressed"  # mentioned, replied to or named
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place as the memory keeps it.

    `listens`: an admin opened it, so unaddressed lines are kept and remembered.
    """

    id: int
    where: Where
    listens: bool = False
    answers: Answers = Answers.ADDRESSED
    persona: str | None = None  # keys, by comma, of those chosen for this place or its channel
    asleep: bool = False

    @property
    def personas(self) -> tuple[str, ...]:
        """The keys of the personas chosen for the place; the first is its own."""
        return tuple(self.persona.split(",")) if self.persona else ()

    @property
    def is_dm(self) -> bool:
        return self.where.kind is PlaceKind.DM

    @property
    def is_shared(self) -> bool:
        """Whether it is a place of a server or a group."""
        return self.where.kind in SHARED


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """Who remembers, and who would hear it: the filter that comes before any ranking.

    In a conversation `place` decides. `people` is for looking in from outside (the
    `recall` command): the persona's DMs with these people and archives they are in.
    """

    persona: int
    place: int | None = None
    people: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSeen:
    """A label that an agent bore, and when."""

    name: str
    server: str
    first_seen: datetime
    last_seen: datetime
