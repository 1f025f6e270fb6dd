"""DiscordChatExporter's JSON: one channel, thread or direct conversation a file."""

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
from bot.imports.dates import from_iso
from bot.imports.loose import items, record, string
from bot.world import AccountKey

_SPOKEN_TYPES = frozenset({"", "Default", "Reply", "0", "19", "20", "21", "23"})
"""Kinds of message that somebody wrote; the others are notices. Numbers are kinds that the
exporter has no name for: answers of apps to commands, and the first post of a thread."""

_MENTION = re.compile(r"<@!?(\d{1,20})>")
_EMOJI = re.compile(r"<a?(:\w{1,40}:)\d{1,20}>")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_MOST_EMBED = 200  # characters of the preview of a link

Record = Mapping[str, object]


def is_discord(document: object) -> bool:
    """A channel with its messages."""
    top = record(document)
    return isinstance(top.get("messages"), list) and isinstance(top.get("channel"), dict)


def read_discord(document: object, name: str, *, default_time: datetime) -> Reading:
    """The one conversation of a parsed export.

    Sources are "discord:<id of the channel>:<id of the message>". Notices of Discord are
    left out; attachments, stickers and previews of links become short descriptions; what
    was forwarded says so. Raises ImportFileError if nobody says anything.
    """
    notes = Notes()
    conversation = _conversation(record(document), notes, default_time)
    if not conversation.lines:
        raise ImportFileError(
            f"{name}: line 1: the channel has no message that somebody wrote;"
            " export it again with a longer period."
        )
    return Reading(
        format=Format.DISCORD,
        conversations=(conversation,),
        skipped=notes.skipped,
        warnings=notes.warnings(),
    )


def _conversation(top: Record, notes: Notes, default_time: datetime) -> Conversation:
    channel = record(top.get("channel"))
    identity = string(channel.get("id")) or digest(_title(top), _first_id(top))
    found = Chat(Format.DISCORD, identity, notes, start=default_time)
    labels = Labels()
    accounts: dict[str, AccountKey] = {}
    bots: set[str] = set()
    for entry in map(record, items(top.get("messages"))):
        origin, author = string(entry.get("id")), record(entry.get("author"))
        where = f"message {clean(origin)[:40] or 'without id'}"
        if string(entry.get("type")) not in _SPOKEN_TYPES:
            notes.skip("a notice of Discord", where)
            continue
        speaker = labels.of(_person(author), _name(author))
        if author.get("isBot") is True:
            bots.add(speaker)
        elif user := string(author.get("id")):
            accounts[speaker] = AccountKey(platform="discord", user=user)
        found.add(
            origin,
            speaker=speaker,
            text=_text(entry),
            at=from_iso(string(entry.get("timestamp")), default_time.tzinfo or UTC),
            where=where,
            origin=origin,
            reply_to="" if _is_forwarded(entry) else _reference(entry),
            forwarded=_is_forwarded(entry),
        )
    return Conversation(
        archive=f"{_title(top)} (Discord {identity})",
        lines=tuple(found.lines),
        accounts=accounts,
        bots=frozenset(bots),
    )


def _title(top: Record) -> str:
    """ "Guild, #channel", or the names of a direct conversation."""
    guild, channel = record(top.get("guild")), record(top.get("channel"))
    name = speaker_name(string(channel.get("name"))) or "unnamed"
    if string(channel.get("type")).startswith("Direct") or string(guild.get("id")) in {"", "0"}:
        return name
    return f"{speaker_name(string(guild.get('name'))) or 'unnamed'}, #{name}"


def _first_id(top: Record) -> str:
    messages = items(top.get("messages"))
    return string(record(messages[0]).get("id")) if messages else ""


def _person(author: Record) -> str:
    """Who writes. Bots and webhooks speak for several under one id, so their name counts."""
    user = string(author.get("id"))
    is_one = bool(user) and author.get("isBot") is not True
    return user if is_one else f"{user} {_name(author)}"


def _name(author: Record) -> str:
    names = (speaker_name(string(author.get(key))) for key in ("nickname", "name"))
    return next((name for name in names if name), "Deleted User")


def _reference(entry: Record) -> str:
    return string(record(entry.get("reference")).get("messageId"))


def _is_forwarded(entry: Record) -> bool:
    reference = record(entry.get("reference"))
    return bool(record(entry.get("forwardedMessage"))) or reference.get("type") == "Forward"


def _text(entry: Record) -> str:
    """What was said and shown; the people mentioned by their names."""
    own = _said_and_shown(entry, entry)
    if not _is_forwarded(entry):
        return own
    passed_on = _said_and_shown(record(entry.get("forwardedMessage")), entry)
    shown = f"[forwarded] {passed_on}".strip()
    return f"{own}\n{shown}" if own else shown


def _said_and_shown(message: Record, entry: Record) -> str:
    names = {
        string(person.get("id")): _name(person)
        for person in map(record, items(entry.get("mentions")))
    }
    content = _MENTION.sub(
        lambda match: f"@{names.get(match[1], 'someone')}", string(message.get("content"))
    )
    said = clean(_EMOJI.sub(r"\1", content))
    return "\n".join((*([said] if said else []), *_shown(message)))


def _shown(message: Record) -> Iterator[str]:
    for attachment in map(record, items(message.get("attachments"))):
        name = speaker_name(string(attachment.get("fileName"))) or "unnamed"
        kind = "picture" if name.casefold().endswith(_PICTURES) else "file"
        yield f"[{kind}: {name}]"
    for sticker in map(record, items(message.get("stickers"))):
        yield f"[sticker: {speaker_name(string(sticker.get('name'))) or 'unnamed'}]"
    for embed in map(record, items(message.get("embeds"))):
        parts = (clean(string(embed.get(key))) for key in ("title", "description"))
        words = " ".join(" ".join(parts).split())
        if words:
            yield f"[link: {words[:_MOST_EMBED]}]"
