"""Files, voice messages, stickers, polls and embeds as short descriptions; small texts read."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import PurePath

import aiohttp
import discord

from bot.messages import Attachment
from bot.text import clean

log = logging.getLogger(__name__)

TEXT_BYTES = 32_768
"""Larger files are named, not read."""

TEXT_FILES = 3
READ_SECONDS = 10.0
LABEL_LENGTH = 120
_TEXT_KINDS = (
    "txt md markdown rst log csv tsv json toml yaml yml ini xml html css py js ts c h cpp rs go "
    "java kt rb sh sql srt tex"
)
_TEXT_ENDINGS = frozenset(f".{kind}" for kind in _TEXT_KINDS.split(" "))


def descriptions(message: discord.Message | discord.MessageSnapshot) -> list[Attachment]:
    """What came with a message besides its text, without looking into files."""
    found = [Attachment(description=_file(one)) for one in message.attachments]
    found += [Attachment(description=f"sticker {_label(one.name)}") for one in message.stickers]
    if isinstance(message, discord.Message) and message.poll is not None:
        found.append(Attachment(description=_poll(message.poll)))
    found += [Attachment(description=_embed(one)) for one in message.embeds]
    return found


async def with_texts(
    message: discord.Message | discord.MessageSnapshot,
) -> tuple[Attachment, ...]:
    """`descriptions`, with what small text files say."""
    found = descriptions(message)
    small = [n for n, one in enumerate(message.attachments) if _is_small_text(one)]
    texts = await asyncio.gather(*(_read(message.attachments[n]) for n in small[:TEXT_FILES]))
    for n, text in zip(small, texts, strict=False):
        found[n] = Attachment(description=found[n].description, text=text)
    return tuple(found)


def _is_small_text(file: discord.Attachment) -> bool:
    kind = (file.content_type or "").partition(";")[0]
    is_text = kind.startswith("text/") or PurePath(file.filename).suffix.lower() in _TEXT_ENDINGS
    return is_text and 0 < file.size <= TEXT_BYTES


async def _read(file: discord.Attachment) -> str:
    """The text of a file; empty if it cannot be had or is no text."""
    try:
        async with asyncio.timeout(READ_SECONDS):
            content = await file.read()
    except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
        log.info("An attached text file could not be read (%s).", type(error).__name__)
        return ""
    return "" if b"\x00" in content else clean(content.decode("utf-8", "replace"))


def _file(file: discord.Attachment) -> str:
    if file.is_voice_message():
        return f"voice message, {round(file.duration or 0)} s"
    kind = (file.content_type or "").partition("/")[0]
    what = kind if kind in {"image", "video", "audio"} else "file"
    label = f"{what} {_label(file.filename)}"
    return f"{label}: {_label(file.description)}" if file.description else label


def _poll(poll: discord.Poll) -> str:
    answers = ", ".join(_label(answer.text or "") for answer in poll.answers)
    return f"poll {_label(poll.question or '')}: {answers}"


def _embed(embed: discord.Embed) -> str:
    says: Sequence[str | None] = (embed.title, embed.author.name, embed.description, embed.url)
    return f"embed {_label(next((text for text in says if text), 'without text'))}"


def _label(text: str) -> str:
    """Somebody's words on one line, bounded and without what would end the description."""
    flat = " ".join(clean(text).replace("[", "(").replace("]", ")").split())
    return f'"{flat[:LABEL_LENGTH]}"'
