"""What comes in from a platform and what goes out to it. Plain values on both sides."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bot.world import AccountKey, Author, PlaceKey, Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file, voice note, sticker, poll or embed, as a short description.

    `text` is the content of a small text file, otherwise empty.
    """

    description: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Somebody said something. `id` is unique within the place's chat.

    `quoted` is what the message replies to or quotes: context, never the author's words.
    `quoted_from` said it, `forwarded_from` what is passed on; None where the platform does
    not tell. Words of people who opted out are not kept, whoever brings them.
    `persona` is set where the account or the command names the persona that is spoken to.
    """

    id: str
    where: Where
    author: Author
    text: str
    at: datetime
    persona: str | None = None
    mentions_me: bool = False
    replies_to_me: bool = False
    reply_to: str | None = None
    quoted: str = ""
    quoted_from: Author | None = None
    forwarded: bool = False
    forwarded_from: Author | None = None
    mentions: tuple[Author, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A message now reads differently. `message` is its whole present state."""

    message: Message
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """Messages were deleted on the platform."""

    place: PlaceKey
    ids: tuple[str, ...]
    at: datetime


class Rights(StrEnum):
    """What the platform says about whoever gave a command, lowest first."""

    MEMBER = "member"
    ADMIN = "admin"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Earshot:
    """What the platform lets the bot hear in a place, and that in a sentence."""

    everything: bool
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """A file that came with a command; `size` in bytes, as the platform says. `read` gets its
    content and raises SendError where it cannot be had."""

    name: str
    size: int
    read: Callable[[], Awaitable[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command from the table was given; `options` are texts as typed. `earshot` is set
    where the platform knows limits to what is heard, `file` where one came along."""

    id: str
    name: str
    options: dict[str, str]
    where: Where
    author: Author
    at: datetime
    rights: Rights = Rights.MEMBER
    persona: str | None = None
    reply_to: str | None = None  # the message it was given as a reply to
    earshot: Earshot | None = None
    file: Handed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A button of an earlier reply was pressed; `data` is the button's own."""

    id: str
    data: str
    where: Where
    author: Author
    at: datetime
    rights: Rights = Rights.MEMBER
    persona: str | None = None


class Change(StrEnum):
    JOINED = "joined"
    LEFT = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """Someone came to or left a place; `author.is_me` when it was the bot."""

    where: Where
    author: Author
    change: Change
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """An account now has another name, in one server or (server empty) everywhere."""

    account: AccountKey
    name: str
    at: datetime
    server: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """A place moved: everything kept under `old` now belongs to `new`."""

    old: PlaceKey
    new: PlaceKey
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A place now looks otherwise: its name, or who can read it."""

    where: Where
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Somebody opened a conversation with the bot; `wanted` is the persona (key, name or
    nickname) that a link asked for. `persona` as in a message."""

    id: str
    where: Where
    author: Author
    at: datetime
    persona: str | None = None
    wanted: str = ""


Inbound = (
    Message | Edit | Delete | Command | Press | Membership | Rename | Migrated | Described | Started
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A choice under a reply. `data` is at most 64 bytes and comes back in a `Press`."""

    label: str
    data: str
    danger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file to send with a reply."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Something for people to read.

    `nonce` is the same for every try to send one reply, and for its drafts; at most 25
    characters. `private`: only the one who asked may see it; if that cannot be, the
    platform delivers nothing and raises Undeliverable. `edit` replaces these messages.
    `speaker` is the persona's display name; empty for the program's own words.
    """

    text: str
    nonce: str
    speaker: str = ""
    private: bool = False
    reply_to: str | None = None
    edit: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    files: tuple[File, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A reply that is still growing: the whole text so far. A platform shows it at its
    own pace or not at all; the `Reply` of the same nonce ends it."""

    text: str
    nonce: str
    speaker: str = ""
    reply_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """The persona is about to answer: show that it types, until the reply arrives."""

    speaker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """The draft of this nonce will get no reply: take it back."""

    nonce: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The message that came in is kept, or will not be: it need not be delivered again."""


Outbound = Reply | Draft | Thinking | Dropped | Kept
