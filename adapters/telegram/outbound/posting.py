"""One message at a time: sent, put in place of another, or taken away."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from telegram import Bot, InlineKeyboardMarkup, InputFile, LinkPreviewOptions
from telegram.error import BadRequest, TelegramError

from adapters.telegram.client import reason, translated
from adapters.telegram.outbound.calls import Calls
from adapters.telegram.outbound.entities import (
    entities_of,
    is_about_emptiness,
    is_about_formatting,
    is_unchanged,
    replying_to,
)
from adapters.telegram.outbound.spans import Styled
from adapters.telegram.targets import Target
from bot.errors import SendError
from bot.messages import File

log = logging.getLogger(__name__)

T = TypeVar("T")

NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
"""Addresses in a model's words are not fetched."""

NOTHING = Styled(text="…")
"""What is sent where Telegram finds a text empty that is not (invisible characters)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One message of a reply."""

    content: Styled | File
    reply_to: str | None = None
    buttons: InlineKeyboardMarkup | None = None


class Posting:
    """Sends single messages; raises SendError or Undeliverable. `real_id` finds the number
    of the message behind a kept id, None where there is none any more."""

    def __init__(self, bot: Bot, calls: Calls, real_id: Callable[[str], int | None]) -> None:
        self._bot = bot
        self._calls = calls
        self._real_id = real_id

    async def put(self, part: Part, target: Target, before: str | None) -> str:
        """Sends a part, in place of an earlier message if there is one. The id of the
        message that it is now."""
        number = self._real_id(before) if before is not None else None
        if number is None:
            return await self.post(part, target)
        if isinstance(part.content, File):
            await self.remove(str(number), target)
            return await self.post(part, target)
        try:
            await self._edit(part, part.content, target, number)
        except BadRequest as error:
            if not is_unchanged(error):
                log.info("A message could not be edited (%s); sent anew.", reason(error))
                return await self.post(part, target)
        except TelegramError as error:
            raise translated(error) from error
        return str(number)

    async def post(self, part: Part, target: Target) -> str:
        """Sends a part as a new message and returns its id."""

        async def post(chat: int) -> str:
            # in a chat that moved, the message that is answered has another number
            about = replying_to(part.reply_to, self._real_id) if chat == target.chat else None
            if isinstance(part.content, File):
                sent = await self._bot.send_document(
                    chat,
                    InputFile(part.content.content, filename=part.content.name),
                    message_thread_id=target.topic,
                    reply_parameters=about,
                    reply_markup=part.buttons,
                )
                return str(sent.message_id)
            sent = await _in_any_form(
                part.content,
                lambda form: self._bot.send_message(
                    chat,
                    form.text,
                    entities=entities_of(form),
                    link_preview_options=NO_PREVIEW,
                    message_thread_id=target.topic,
                    reply_parameters=about,
                    reply_markup=part.buttons,
                ),
            )
            return str(sent.message_id)

        try:
            return await self._calls.call(target.chat, post)
        except TelegramError as error:
            raise translated(error) from error

    async def remove(self, message: str, target: Target) -> None:
        """Takes a message away; one that cannot be is left."""
        number = self._real_id(message)
        if number is None:
            return
        try:
            await self._calls.call(target.chat, lambda chat: self._bot.delete_message(chat, number))
        except (TelegramError, SendError) as error:
            log.info("A message could not be taken away: %s", error)

    async def _edit(self, part: Part, text: Styled, target: Target, message: int) -> None:
        async def edit(chat: int) -> None:
            if chat != target.chat:  # the numbers of messages did not move along
                raise BadRequest("the chat moved")
            await _in_any_form(
                text,
                lambda form: self._bot.edit_message_text(
                    form.text,
                    chat,
                    message,
                    entities=entities_of(form),
                    link_preview_options=NO_PREVIEW,
                    reply_markup=part.buttons,
                ),
            )

        await self._calls.call(target.chat, edit)


async def _in_any_form(text: Styled, call: Callable[[Styled], Awaitable[T]]) -> T:
    """As it should look; plainly, if Telegram refuses the look."""
    try:
        return await call(text)
    except BadRequest as error:
        if is_about_emptiness(error):
            return await call(NOTHING)
        if not (is_about_formatting(error) and text.spans):
            raise
        log.warning("Telegram refused the formatting of a reply; it is sent without.")
        return await call(Styled(text=text.text))
