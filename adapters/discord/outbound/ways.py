"""Ways to post in one place: as the bot, as a persona through a webhook, or in answer to an
interaction (in the folder of commands). All raise SendError or Undeliverable."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import discord

from adapters.discord.outbound.failures import MessageGone, patiently
from bot.messages import Button, File, Reply

CALL_SECONDS = 90.0
"""One call, with the waits that Discord asks for and discord.py's own retries."""

NOBODY = discord.AllowedMentions.none()
"""Nothing that a model writes may ping anybody."""

BUTTONS = 25
"""Discord shows no more under one message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One message to post: at most 2000 characters, or files alone."""

    text: str
    nonce: str
    reply_to: str | None = None
    buttons: tuple[Button, ...] = ()
    files: tuple[File, ...] = ()


class Way(Protocol):
    """How a reply gets to its readers. `prefix` goes before its text; `most_parts` is how
    many messages one reply may become; `is_private`, whether one person alone reads it."""

    prefix: str
    most_parts: int
    is_private: bool

    async def post(self, part: Part) -> str:
        """Posts a message; its id."""
        ...

    async def edit(self, message: str, part: Part) -> None:
        """Replaces the text. Raises MessageGone if it is not there."""
        ...

    async def remove(self, message: str) -> None:
        """Takes a message back; it may be gone already."""
        ...


def files_of(part: Part) -> list[discord.File]:
    return [discord.File(io.BytesIO(file.content), filename=file.name) for file in part.files]


def view_of(buttons: Sequence[Button]) -> discord.ui.View | None:
    """Buttons that outlive the process: their data is their id, and nothing waits for them."""
    if not buttons:
        return None
    view = discord.ui.View(timeout=None)
    for button in buttons[:BUTTONS]:
        style = discord.ButtonStyle.danger if button.danger else discord.ButtonStyle.secondary
        view.add_item(
            discord.ui.Button(label=button.label[:80], custom_id=button.data, style=style)
        )
    view.stop()  # presses arrive as interactions; discord.py need not remember the view
    return view


def last_part(reply: Reply, text: str, nonce: str, reply_to: str | None) -> Part:
    """The part that carries buttons and files."""
    return Part(text=text, nonce=nonce, reply_to=reply_to, buttons=reply.buttons, files=reply.files)


class ChannelWay:
    """Posts as the bot itself. A nonce that Discord has seen makes no second message."""

    most_parts = 100

    def __init__(
        self, channel: discord.PartialMessageable, *, prefix: str = "", is_private: bool = False
    ) -> None:
        self._channel = channel
        self.prefix = prefix
        self.is_private = is_private

    async def post(self, part: Part) -> str:
        try:
            posted = await self._post(part, part.reply_to)
        except MessageGone:
            posted = await self._post(part, None)
        if posted.content.strip() != part.text.strip():  # an earlier try, or a draft, had it
            await self.edit(str(posted.id), part)
        return str(posted.id)

    async def _post(self, part: Part, reply_to: str | None) -> discord.Message:
        async with patiently(CALL_SECONDS):
            return await self._channel.send(
                part.text or None,
                nonce=part.nonce,
                reference=self._reference(reply_to),  # type: ignore[arg-type]  # None is taken
                files=files_of(part),
                view=view_of(part.buttons),  # type: ignore[arg-type]  # None is taken
                allowed_mentions=NOBODY,
            )

    def _reference(self, reply_to: str | None) -> discord.MessageReference | None:
        if reply_to is None:
            return None
        return discord.MessageReference(
            message_id=int(reply_to), channel_id=self._channel.id, fail_if_not_exists=False
        )

    async def edit(self, message: str, part: Part) -> None:
        found = self._channel.get_partial_message(int(message))
        async with patiently(CALL_SECONDS):
            await found.edit(
                content=part.text,
                view=view_of(part.buttons),
                allowed_mentions=NOBODY,
                **({"attachments": files_of(part)} if part.files else {}),  # type: ignore[arg-type]
            )

    async def remove(self, message: str) -> None:
        try:
            async with patiently(CALL_SECONDS):
                await self._channel.get_partial_message(int(message)).delete()
        except MessageGone:
            return
