"""What a message holds: its text, what it quotes, and what is attached, in words."""

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import PurePath

from telegram import (
    Audio,
    Document,
    ExternalReplyInfo,
    Message,
    MessageEntity,
    User,
    Video,
    VideoNote,
    Voice,
)

from bot.messages import Attachment
from bot.text import clean

LABEL_LENGTH = 120
TEXT_BYTES = 32_768
"""Larger files are named, not read."""

_TEXT_KINDS = (
    "txt md markdown rst log csv tsv json toml yaml yml ini xml html css py js ts c h cpp rs go "
    "java kt rb sh sql srt tex"
)
_TEXT_ENDINGS = frozenset(f".{kind}" for kind in _TEXT_KINDS.split(" "))


def said(message: Message) -> str:
    """Text or caption, as typed."""
    return message.text or message.caption or ""


def said_to(message: Message, me: User) -> str:
    """The text with this bot's name in place of its @username."""
    text = said(message)
    if not me.username or not mentions(message, me):
        return text
    return re.sub(rf"@{re.escape(me.username)}\b", me.first_name, text, flags=re.IGNORECASE)


def mentions(message: Message, me: User) -> bool:
    """Whether the bot is mentioned, by @username or by its account."""
    kinds = [MessageEntity.MENTION, MessageEntity.TEXT_MENTION, MessageEntity.BOT_COMMAND]
    found = entities_of(message, kinds)
    name = f"@{me.username}".casefold()
    return any(
        (entity.user is not None and entity.user.id == me.id)
        or text.casefold()[text.find("@") :] == name
        for entity, text in found.items()
    )


def entities_of(message: Message, kinds: Sequence[str]) -> dict[MessageEntity, str]:
    """The entities of these kinds in text or caption, with what they cover."""
    wanted: list[str | None] = [*kinds]
    if message.text:
        return message.parse_entities(wanted)
    return message.parse_caption_entities(wanted) if message.caption else {}


def answered(message: Message) -> Message | None:
    """The message that this one is a reply to. Every message of a topic points to the one
    that opened it, which is no reply."""
    earlier = message.reply_to_message
    if earlier is None or earlier.forum_topic_created is not None:
        return None
    return earlier


def quoted(message: Message) -> str:
    """What a message replies to or quotes: the words of somebody else."""
    if message.quote is not None:
        return message.quote.text
    if (earlier := answered(message)) is not None:
        return said(earlier) or "".join(f"[{what}]" for what in described(earlier))
    if message.external_reply is not None:
        return "".join(f"[{what}]" for what in _described_by(message.external_reply))
    return ""


def attachments(message: Message) -> list[Attachment]:
    """What came besides the text, without looking into files."""
    return [Attachment(description=what) for what in described(message)]


def small_text_file(message: Message) -> Document | None:
    """An attached file that can be read as text."""
    file = message.document
    if file is None or not 0 < (file.file_size or 0) <= TEXT_BYTES:
        return None
    is_text = (file.mime_type or "").startswith("text/")
    ending = PurePath(file.file_name or "").suffix.lower()
    return file if is_text or ending in _TEXT_ENDINGS else None


def described(message: Message) -> list[str]:
    """What is in a message besides text, in a few words each."""
    found = _described_by(message)
    if message.successful_payment or message.gift:
        found.append("gift" if message.gift else "payment")
    return found


def _described_by(holder: Message | ExternalReplyInfo) -> list[str]:
    found: list[str] = []
    if holder.photo:
        found.append("photo")
    if holder.animation:
        found.append("animation")
    elif holder.document:
        found.append(f"file {label(holder.document.file_name)}")
    if holder.video:
        found.append(f"video, {_seconds(holder.video)} s")
    if holder.video_note:
        found.append(f"video message, {_seconds(holder.video_note)} s")
    if holder.voice:
        found.append(f"voice message, {_seconds(holder.voice)} s")
    if holder.audio:
        found.append(f"audio {label(_title(holder.audio))}")
    return found + _small_things(holder) + _composed_things(holder)


def _small_things(holder: Message | ExternalReplyInfo) -> list[str]:
    found: list[str] = []
    if holder.sticker:
        found.append(f"sticker {holder.sticker.emoji or ''}".strip())
    if holder.dice:
        found.append(f"{holder.dice.emoji} that shows {holder.dice.value}")
    if holder.contact:
        found.append(f"contact {label(holder.contact.first_name)}")
    if holder.venue:
        found.append(f"venue {label(holder.venue.title)}")
    elif holder.location:
        found.append("location")
    if holder.game:
        found.append(f"game {label(holder.game.title)}")
    if holder.story:
        found.append("story")
    return found


def _composed_things(holder: Message | ExternalReplyInfo) -> list[str]:
    found: list[str] = []
    if holder.poll:
        options = ", ".join(label(option.text) for option in holder.poll.options)
        found.append(f"poll {label(holder.poll.question)}: {options}")
    if holder.checklist:
        tasks = ", ".join(label(task.text) for task in holder.checklist.tasks)
        found.append(f"checklist {label(holder.checklist.title)}: {tasks}")
    if holder.paid_media:
        found.append("paid media")
    return found


def _title(audio: Audio) -> str:
    return " - ".join(part for part in (audio.performer, audio.title) if part) or (
        audio.file_name or ""
    )


def _seconds(holder: Audio | Video | VideoNote | Voice) -> int:
    duration = holder.duration  # either, as the operator's environment has it
    return round(duration.total_seconds()) if isinstance(duration, timedelta) else duration


def label(text: str | None) -> str:
    """Somebody's words on one line, bounded, and without what would end a description."""
    flat = " ".join(clean(text or "").replace("[", "(").replace("]", ")").split())
    return f'"{flat[:LABEL_LENGTH]}"'
