"""Personas with a name and a face of their own, through a webhook of the channel.

A webhook's secret stays in memory: it is neither stored nor logged. Webhooks take no nonce
and cannot reply; between a call and its answer a killed process cannot know whether the
message was posted.
"""

import logging
import re
from collections.abc import Callable, Mapping

import discord

from adapters.discord.outbound.failures import (
    MessageGone,
    TokenOver,
    patiently,
    translated,
)
from adapters.discord.outbound.ways import CALL_SECONDS, NOBODY, Part, files_of, view_of
from bot.errors import SendError, Undeliverable

log = logging.getLogger(__name__)

NAME = "Bower"
NAME_LENGTH = 80
_FORBIDDEN = re.compile(r"(disc)(ord)|(cly)(de)", re.IGNORECASE)


def webhook_name(name: str) -> str:
    """The name as Discord takes it for a webhook: short, without its own names in it."""
    split = _FORBIDDEN.sub(lambda m: "·".join(part for part in m.groups() if part), name)
    return " ".join(split.split())[:NAME_LENGTH].strip() or NAME


class Webhooks:
    """The webhooks of one account, by channel; made when they are first needed."""

    def __init__(self, client: discord.Client, *, avatars: Mapping[str, str]) -> None:
        self._client = client
        self._avatars = avatars
        self._found: dict[int, discord.Webhook] = {}
        self._refused: set[int] = set()
        self.ids: set[int] = set()

    async def way(self, channel: int, speaker: str, *, thread: int | None) -> "WebhookWay | None":
        """A way to speak as this persona; None where the bot may not have a webhook."""
        webhook = await self._webhook(channel)
        if webhook is None:
            return None
        return WebhookWay(
            webhook,
            name=webhook_name(speaker),
            avatar=self._avatars.get(speaker) or None,
            thread=thread,
            forget=lambda: self.forget(channel),
        )

    def forget(self, channel: int) -> None:
        """The channel's webhook is gone or may have changed."""
        self._found.pop(channel, None)
        self._refused.discard(channel)

    async def _webhook(self, channel: int) -> discord.Webhook | None:
        if channel in self._refused:
            return None
        if channel not in self._found:
            try:
                with translated():
                    self._found[channel] = await self._find_or_make(channel)
            except Undeliverable:
                log.info("No webhook in channel %s: give the bot Manage Webhooks there.", channel)
                self._refused.add(channel)
                return None
            except SendError:
                return None
        found = self._found[channel]
        self.ids.add(found.id)
        return found

    async def _find_or_make(self, channel: int) -> discord.Webhook:
        place = self._client.get_channel(channel) or await self._client.fetch_channel(channel)
        if not isinstance(
            place,
            discord.TextChannel
            | discord.ForumChannel
            | discord.VoiceChannel
            | discord.StageChannel,
        ):
            raise Undeliverable("There are no webhooks in this kind of channel.")
        me = self._client.user
        for webhook in await place.webhooks():
            if webhook.token and me is not None and webhook.user and webhook.user.id == me.id:
                return webhook
        return await place.create_webhook(name=NAME, reason="Personas speak in their own names.")


class WebhookWay:
    """Posts under a persona's name."""

    prefix = ""
    most_parts = 100
    is_private = False

    def __init__(
        self,
        webhook: discord.Webhook,
        *,
        name: str,
        avatar: str | None,
        thread: int | None,
        forget: Callable[[], None],
    ) -> None:
        self._webhook = webhook
        self._forget = forget
        self._name = name
        self._avatar = avatar
        self._thread = discord.Object(thread) if thread is not None else discord.utils.MISSING

    async def post(self, part: Part) -> str:
        try:
            return await self._post(part)
        except TokenOver as error:
            self._forget()
            raise SendError("The webhook is gone; a new one is made at the next try.") from error

    async def _post(self, part: Part) -> str:
        async with patiently(CALL_SECONDS):
            posted = await self._webhook.send(
                part.text or discord.utils.MISSING,
                username=self._name,
                avatar_url=self._avatar,
                files=files_of(part),
                view=view_of(part.buttons) or discord.utils.MISSING,
                allowed_mentions=NOBODY,
                thread=self._thread,
                wait=True,
            )
        return str(posted.id)

    async def edit(self, message: str, part: Part) -> None:
        async with patiently(CALL_SECONDS):
            await self._webhook.edit_message(
                int(message),
                content=part.text,
                view=view_of(part.buttons),
                allowed_mentions=NOBODY,
                thread=self._thread,
                attachments=files_of(part) if part.files else discord.utils.MISSING,
            )

    async def remove(self, message: str) -> None:
        try:
            async with patiently(CALL_SECONDS):
                await self._webhook.delete_message(int(message), thread=self._thread)
        except (MessageGone, TokenOver):
            return
