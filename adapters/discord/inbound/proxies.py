"""Proxy bots: they delete what somebody wrote and post it again under another name.

The copy is treated as that person's own words, and it gets exactly one answer: the original
is dropped with its deletion, and the copy takes its place, unless the original had been
answered already. Nothing is asked of any proxy bot; original and copy are told by their text
and by coming together.
"""

from collections import OrderedDict, deque
from dataclasses import dataclass, replace

from bot.messages import Message

TOGETHER_SECONDS = 10.0
"""Original, copy and deletion come within this time."""

WATCHED = 50
"""Messages and copies of one channel that are looked at."""

ALIASES = 2000


@dataclass(slots=True, kw_only=True)
class _Original:
    message: Message
    deleted: bool = False
    answered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A message of a webhook that is not the bot's own."""

    id: str
    chat: str
    text: str
    at: float  # seconds


class Proxies:
    """What was said lately, by channel. Times are those of the messages themselves."""

    def __init__(self) -> None:
        self._originals: dict[str, deque[_Original]] = {}
        self._copies: dict[str, deque[Copy]] = {}
        self._copy_of: OrderedDict[str, str] = OrderedDict()

    def said(self, message: Message) -> None:
        """Somebody wrote this."""
        chat = message.where.key.chat
        self._originals.setdefault(chat, deque(maxlen=WATCHED)).append(_Original(message=message))

    def answered(self, message: str, chat: str) -> None:
        """The message has its reply."""
        for original in self._originals.get(chat, ()):
            if original.message.id == message:
                original.answered = True

    def copied(self, copy: Copy) -> Message | None:
        """A copy came. The message to handle now, if it takes the place of a deleted one."""
        for original in reversed(self._originals.get(copy.chat, ())):
            if original.deleted and not original.answered and _is_copy(copy, original.message):
                self._originals[copy.chat].remove(original)
                return _in_place_of(original.message, copy)
        self._copies.setdefault(copy.chat, deque(maxlen=WATCHED)).append(copy)
        return None

    def deleted(self, message: str, chat: str) -> tuple[str | None, Message | None]:
        """A message was deleted: the id whose event is to go (None where it stays, because a
        copy of it was answered as such), and a copy to handle in its place."""
        if original_of := self._copy_of.pop(message, None):
            return original_of, None
        found = [o for o in self._originals.get(chat, ()) if o.message.id == message]
        if not found:
            return message, None
        original = found[0]
        copy = next((c for c in self._copies.get(chat, ()) if _is_copy(c, original.message)), None)
        if copy is None:
            original.deleted = True
            return message, None
        self._originals[chat].remove(original)
        self._copies[chat].remove(copy)
        if original.answered:
            self._copy_of[copy.id] = message
            while len(self._copy_of) > ALIASES:
                self._copy_of.popitem(last=False)
            return None, None
        return message, _in_place_of(original.message, copy)


def _is_copy(copy: Copy, message: Message) -> bool:
    """Proxy bots strip a mark from the text, so the copy stands within the original."""
    text = copy.text.strip()
    together = abs(copy.at - message.at.timestamp()) <= TOGETHER_SECONDS
    return together and bool(text) and text in message.text and 2 * len(text) >= len(message.text)


def _in_place_of(message: Message, copy: Copy) -> Message:
    return replace(message, id=copy.id, text=copy.text)
