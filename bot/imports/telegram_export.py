"""Telegram Desktop's export: result.json of one chat, or of all of them."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from bot.errors import ImportFileError
from bot.imports.chat import Chat
from bot.imports.conversation import (
    Conversation,
    Format,
    Labels,
    Notes,
    Reading,
    clean,
    digest,
    speaker_name,
)
from bot.imports.dates import from_epoch, from_iso
from bot.imports.loose import items, number, record, string
from bot.imports.telegram_media import media, rich_text
from bot.world import AccountKey

_LISTS = ("chats", "left_chats")
_ACCOUNT = re.compile(r"(?:user)?([1-9][0-9]{0,19})")
_OLD_USERS_BELOW = 1 << 32  # older exports gave a bare number, groups from here on
_UNNAMED = {"saved_messages": "Saved Messages", "replies": "Replies"}

Record = Mapping[str, object]


def is_telegram(document: object) -> bool:
    """One chat, or a full export with a list of chats."""
    top = record(document)
    if any(isinstance(record(top.get(key)).get("list"), list) for key in _LISTS):
        return True
    known = "channel" not in top and "guild" not in top
    return known and isinstance(top.get("messages"), list) and ("type" in top or "id" in top)


def read_telegram(document: object, name: str, *, default_time: datetime) -> Reading:
    """All chats of a parsed export.

    Sources are "telegram:<kind and id of the chat>:<id of the message>". Service
    messages are left out; media become short descriptions; what was forwarded says so,
    as it is not the sender's word. Raises ImportFileError if it holds no messages.
    """
    notes = Notes()
    chats = list(_chats(record(document)))
    found = (_conversation(chat, notes, default_time) for chat in chats)
    conversations = tuple(conversation for conversation in found if conversation.lines)
    if not conversations:
        raise ImportFileError(
            f"{name}: line 1: none of its {len(chats)} chats has a message that somebody wrote;"
            " export them again with the messages included."
        )
    return Reading(
        format=Format.TELEGRAM,
        conversations=conversations,
        skipped=notes.skipped,
        warnings=notes.warnings(),
    )


def _chats(top: Record) -> Iterator[Record]:
    if isinstance(top.get("messages"), list):
        yield top
        return
    for key in _LISTS:
        yield from map(record, items(record(top.get(key)).get("list")))


def _title(chat: Record) -> str:
    kind = string(chat.get("type"))
    return speaker_name(string(chat.get("name"))) or _UNNAMED.get(kind, "Deleted account")


def _identity(chat: Record) -> str:
    """Kind and id; a group that became public is the same, so only the kind of id counts."""
    kind, number = string(chat.get("type")), string(chat.get("id"))
    if not number:
        return digest(kind, string(chat.get("name")))
    if "channel" in kind or "supergroup" in kind:
        return f"channel{number}"
    return f"chat{number}" if "group" in kind else f"user{number}"


def _conversation(chat: Record, notes: Notes, default_time: datetime) -> Conversation:
    identity, title = _identity(chat), _title(chat)
    found = Chat(Format.TELEGRAM, identity, notes, start=default_time)
    labels = Labels()
    accounts: dict[str, AccountKey] = {}
    for entry in map(record, items(chat.get("messages"))):
        origin, sender = string(entry.get("id")), string(entry.get("from_id"))
        where = f"message {clean(origin)[:40] or 'without id'} in {title}"
        if entry.get("type") == "service":
            notes.skip("a notice of Telegram", where)
            continue
        speaker = labels.of(sender or _from(entry), _from(entry))
        if account := _account(sender):
            accounts[speaker] = account
        found.add(
            origin,
            speaker=speaker,
            text=_text(entry),
            at=_time(entry, default_time),
            where=where,
            origin=origin,
            reply_to=string(entry.get("reply_to_message_id")),
            forwarded="forwarded_from" in entry,
        )
    bots = _bots(chat, accounts)
    return Conversation(
        archive=f"{title} (Telegram {identity})",
        lines=tuple(found.lines),
        accounts={speaker: key for speaker, key in accounts.items() if speaker not in bots},
        bots=bots,
    )


def _from(entry: Record) -> str:
    return string(entry.get("from")) or "Deleted account"


def _account(sender: str) -> AccountKey | None:
    """The account behind "user123" or, in older exports, 123; channels have none."""
    match = _ACCOUNT.fullmatch(sender)
    if match is None or (not sender.startswith("user") and int(match[1]) >= _OLD_USERS_BELOW):
        return None
    return AccountKey(platform="telegram", user=match[1])


def _bots(chat: Record, accounts: Mapping[str, AccountKey]) -> frozenset[str]:
    """In a chat with a bot, the chat's own id is the bot's."""
    if chat.get("type") != "bot_chat":
        return frozenset()
    bot = string(chat.get("id"))
    return frozenset(speaker for speaker, account in accounts.items() if account.user == bot)


def _text(entry: Record) -> str:
    written = rich_text(entry.get("text")) or rich_text(entry.get("text_entities"))
    text = "\n".join(part for part in (clean(written), media(entry)) if part)
    if text and "forwarded_from" in entry:
        origin = speaker_name(string(entry.get("forwarded_from"))) or "someone"
        return f"[forwarded from {origin}] {text}"
    return text


def _time(entry: Record, default_time: datetime) -> datetime | None:
    epoch = number(entry.get("date_unixtime"))
    if epoch is not None and (moment := from_epoch(epoch)):
        return moment
    return from_iso(string(entry.get("date")), default_time.tzinfo or UTC)
