"""Chats, people and messages of a Telegram that lives in memory, as the Bot API shows them."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from bot.clock import Clock

Json = dict[str, Any]

BOT_GROUP_ADMIN = 1087968824
SERVICE = 777000

_COMMAND = re.compile(r"(?<!\S)/[a-z0-9_]{1,32}(?:@\w+)?", re.IGNORECASE)
_MENTION = re.compile(r"(?<!\w)@[a-z]\w{3,31}", re.IGNORECASE)


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def entities_in(text: str) -> list[Json]:
    """What Telegram itself finds in a text."""
    found = [("bot_command", m) for m in _COMMAND.finditer(text)]
    found += [("mention", m) for m in _MENTION.finditer(text) if not _within(m, found)]
    return [
        {"type": kind, "offset": utf16(text[: m.start()]), "length": utf16(m.group())}
        for kind, m in sorted(found, key=lambda one: one[1].start())
    ]


def _within(match: re.Match[str], others: list[tuple[str, re.Match[str]]]) -> bool:
    return any(o.start() <= match.start() < o.end() for _, o in others)


def user(number: int, name: str, **more: object) -> Json:
    return {"id": number, "is_bot": False, "first_name": name, **more}


def group(number: int, title: str, **more: object) -> Json:
    kind = "supergroup" if number < -(10**12) else "group"
    return {"id": number, "type": kind, "title": title, **more}


@dataclass(slots=True, eq=False)
class FakeBot:
    """An account of a bot: what waits for it, and how it is configured."""

    token: str
    me: Json
    updates: list[Json] = field(default_factory=list)
    commands: dict[str, Json] = field(default_factory=dict)
    webhook: Json = field(default_factory=lambda: {"url": ""})
    polling: int = 0
    allowed: list[str] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)  # callback queries
    queries: set[str] = field(default_factory=set)

    @property
    def id(self) -> int:
        number = self.me["id"]
        assert isinstance(number, int)
        return number


class Chats:
    """Everything that is said, by chat."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.chats: dict[int, Json] = {}
        self.messages: dict[int, dict[int, Json]] = defaultdict(dict)
        self.drafts: list[tuple[int, str]] = []  # chat and text, as shown
        self.members: dict[tuple[int, int], Json] = {}  # by chat and user
        self.blocked: set[int] = set()  # people who cannot be written to
        self.moved: dict[int, int] = {}
        self.files: dict[str, bytes] = {}
        self._last: dict[int, int] = defaultdict(int)

    def now(self) -> int:
        return int(self.clock.now().timestamp())

    def private(self, person: Json) -> Json:
        chat = {"id": person["id"], "type": "private", "first_name": person["first_name"]}
        return self.chats.setdefault(person["id"], chat)

    def add(self, chat: Json) -> Json:
        return self.chats.setdefault(chat["id"], chat)

    def message(self, chat: Json, sender: Json | None, **content: object) -> Json:
        """A new message; `content` goes in as it is."""
        number = self._last[chat["id"]] + 1
        self._last[chat["id"]] = number
        made: Json = {"message_id": number, "date": self.now(), "chat": chat}
        if sender is not None:
            made["from"] = sender
        for key, value in content.items():
            if value is not None:
                made[key] = value
        if found := entities_in(str(made.get("text", ""))):
            made.setdefault("entities", found)
        self.messages[chat["id"]][number] = made
        return made

    def texts(self, chat: int, *, sender: int | None = None) -> list[str]:
        """What is read in a chat now, oldest first."""
        return [
            str(m.get("text") or m.get("caption") or m.get("document", {}).get("file_name", ""))
            for _, m in sorted(self.messages[chat].items())
            if sender is None or m.get("from", {}).get("id") == sender
        ]
