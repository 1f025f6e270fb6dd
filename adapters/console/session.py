"""Who speaks where in the terminal, and what was said there in this session."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from adapters.console.script import LineError
from bot.messages import Button, Message
from bot.persona import Persona
from bot.text import clean_name, mentions_name, same_text
from bot.world import AccountKey, Author, PlaceKey, PlaceKind, Where

PLATFORM = "terminal"

Item = TypeVar("Item")


def author_named(name: str) -> Author:
    """The person of a name typed in the terminal: "Alex#2" is another person called Alex."""
    whole = " ".join(unicodedata.normalize("NFC", name).split())
    shown, mark, number = whole.rpartition("#")
    label = shown.strip() if mark and number.isdecimal() and shown.strip() else whole
    return Author(
        account=AccountKey(platform=PLATFORM, user=whole.casefold().replace(" #", "#")),
        name=clean_name(label),
    )


def dm_of(author: Author, persona: str) -> Where:
    """Where a person and a persona (key) talk alone."""
    return Where(
        key=_place_key(f"dm:{author.account.user}:{persona}"),
        kind=PlaceKind.DM,
        name=f"DM with {author.name}",
    )


def room_named(name: str, *, private: bool = False) -> Where:
    """A room of the terminal's one server; the main room if the name is empty. A private
    room is another room than the open one of the same name."""
    label = clean_name(name, "room")
    kind = "private" if private else "place"
    return Where(
        key=_place_key(f"{kind}:{label.casefold()}" if name else "room"),
        kind=PlaceKind.CHANNEL,
        name=label,
        server=PLATFORM,
        server_name="Terminal",
        private=private,
    )


def _place_key(chat: str) -> PlaceKey:
    return PlaceKey(platform=PLATFORM, bot_account=PLATFORM, chat=chat)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A message of the persona (or of the program) as it was shown."""

    id: str
    text: str
    place: PlaceKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A button that was shown, and where."""

    button: Button
    where: Where


class Session:
    """The present place and speaker, and what this process has seen. Changes as one goes."""

    def __init__(
        self, *, persona: Persona, me: str, group: bool, others: Sequence[Persona] = ()
    ) -> None:
        self.persona = persona
        self.others = others  # who speak in rooms too
        self.me = author_named(me)
        self.speaker = self.me
        self.where = room_named("") if group else dm_of(self.me, persona.key)
        self.sent: list[Message] = []
        self.removed: set[str] = set()
        self.spoken: list[Spoken] = []
        self.choices: tuple[Choice, ...] = ()
        self.seen: dict[str, Author] = {self.me.account.user: self.me}

    @property
    def in_room(self) -> bool:
        return self.where.kind is PlaceKind.CHANNEL

    def speak_as(self, name: str) -> None:
        """Another person speaks from now on; in a DM it becomes theirs."""
        self.speaker = self.meet(name)
        if not self.in_room:
            self.where = dm_of(self.speaker, self.persona.key)

    def go_to_dm(self, name: str) -> None:
        if name:
            self.speaker = self.meet(name)
        self.where = dm_of(self.speaker, self.persona.key)

    def meet(self, name: str) -> Author:
        author = author_named(name)
        self.seen[author.account.user] = author
        return author

    def is_for_persona(self, text: str) -> bool:
        """Whether the text has an @ before one of the persona's names."""
        here = (self.persona, *self.others) if self.in_room else (self.persona,)
        names = {name for one in here for name in (*one.names, one.name.split()[0])}
        return any(mentions_name(text, f"@{name}") for name in names)

    def mentioned(self, text: str) -> tuple[Author, ...]:
        """People of this session whose name has an @ before it."""
        if "@" not in text:
            return ()
        return tuple(a for a in self.seen.values() if mentions_name(text, f"@{a.name}"))

    def is_mention(self, text: str) -> bool:
        return self.is_for_persona(text) or bool(self.mentioned(text))

    def newest_author(self) -> Author:
        """Whoever said the last line here; the present speaker if nobody has."""
        here = [m for m in self.sent if m.where.key == self.where.key and m.id not in self.removed]
        return here[-1].author if here else self.speaker

    def own(self, number: int | None, author: Author) -> Message:
        """The N-th message of the session, or the author's last one here."""
        if number is not None:
            message = _nth(self.sent, number, "message")
            if message.id in self.removed:
                raise LineError(f"Message #{number} was deleted.")
            return message
        here = [
            m
            for m in self.sent
            if m.author == author and m.where.key == self.where.key and m.id not in self.removed
        ]
        if not here:
            raise LineError(f"{author.name} has said nothing here in this session.")
        return here[-1]

    def persona_said(self, number: int | None) -> Spoken:
        """The N-th message from the other side, or the last one here."""
        if number is not None:
            return _nth(self.spoken, number, "reply")
        here = [s for s in self.spoken if s.place == self.where.key]
        if not here:
            raise LineError(f"{self.persona.name} has said nothing here in this session.")
        return here[-1]

    def replace(self, message: Message) -> None:
        self.sent = [message if m.id == message.id else m for m in self.sent]

    def choice(self, line: str) -> Choice | None:
        """The button that a line names by its number, its label or the label up to the
        comma ("yes" for "Yes, forget"), if one does."""
        said = same_text(line)
        for number, choice in enumerate(self.choices, start=1):
            label = choice.button.label
            head, comma, _ = label.partition(",")
            if said in {str(number), same_text(label), same_text(head if comma else label)}:
                return choice
        return None


def _nth(items: Sequence[Item], number: int, what: str) -> Item:
    if not 1 <= number <= len(items):
        raise LineError(f"There is no {what} #{number}; this session has {len(items)}.")
    return items[number - 1]
