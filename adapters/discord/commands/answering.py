"""Answers to interactions: within their fifteen minutes, private ones never in public."""

import logging
from datetime import datetime, timedelta

import discord

from adapters.discord.outbound.failures import MessageGone, TokenOver, patiently
from adapters.discord.outbound.ways import CALL_SECONDS, NOBODY, Part, Way, files_of, view_of
from bot.clock import Clock
from bot.errors import SendError, Undeliverable

log = logging.getLogger(__name__)

MINUTES = 14.5
"""Discord takes answers for 15 minutes."""

FOLLOW_UPS = 5
"""Messages that an app may send where only the user has it installed."""


class InteractionWay:
    """Posts answers to one interaction that was deferred: the first fills in what was
    deferred, the others follow. `public` is where public answers go when the time is over;
    messages that are not answers of this interaction are edited there too."""

    most_parts = FOLLOW_UPS
    prefix = ""

    def __init__(
        self,
        interaction: discord.Interaction,
        *,
        deferred_private: bool,
        public: Way | None,
        clock: Clock,
        prefix: str = "",
    ) -> None:
        self._interaction = interaction
        self._deferred_private = deferred_private
        self._public = public
        self._clock = clock
        self._begun: datetime = clock.now()
        self._open = True  # what was deferred is not filled in yet
        self._original: str | None = None
        self._followed: set[str] = set()
        self.prefix = prefix
        self.is_private = deferred_private

    async def post(self, part: Part) -> str:
        """Public unless deferred privately."""
        if self._is_over():
            return await self._instead(part)
        try:
            return await self._answer(part)
        except TokenOver:
            return await self._instead(part)

    async def post_private(self, part: Part) -> str:
        """For the asker alone, whatever was deferred. Raises Undeliverable otherwise."""
        if self._is_over():
            raise Undeliverable("The time to answer privately is over; give the command again.")
        if self._open and not self._deferred_private:
            await self.finish()  # a public "thinking" can only be answered publicly
        return await self._answer(part, private=True)

    async def edit(self, message: str, part: Part) -> None:
        if message == self._original:
            async with patiently(CALL_SECONDS):
                await self._interaction.edit_original_response(
                    content=part.text,
                    view=view_of(part.buttons),
                    attachments=files_of(part) if part.files else discord.utils.MISSING,
                    allowed_mentions=NOBODY,
                )
        elif message in self._followed:
            async with patiently(CALL_SECONDS):
                await self._interaction.followup.edit_message(
                    int(message),
                    content=part.text,
                    view=view_of(part.buttons),
                    attachments=files_of(part) if part.files else discord.utils.MISSING,
                    allowed_mentions=NOBODY,
                )
        elif self._public is not None:
            await self._public.edit(message, part)
        else:
            raise MessageGone("The message to edit is not one of these answers.")

    async def remove(self, message: str) -> None:
        if message == self._original:
            self._open = True
            await self.finish()
        elif message in self._followed:
            async with patiently(CALL_SECONDS):
                await self._interaction.followup.delete_message(int(message))
        elif self._public is not None:
            await self._public.remove(message)

    async def finish(self) -> None:
        """Takes the "thinking" away if nothing was said."""
        if not self._open:
            return
        self._open = False
        try:
            async with patiently(CALL_SECONDS):
                await self._interaction.delete_original_response()
        except SendError as error:
            log.debug("An unanswered interaction stays: %s", error)

    async def _answer(self, part: Part, *, private: bool = False) -> str:
        if self._open:
            try:
                return await self._fill_in(part)
            except MessageGone:  # somebody dismissed it
                self._open = False
        async with patiently(CALL_SECONDS):
            posted = await self._interaction.followup.send(
                part.text or discord.utils.MISSING,
                ephemeral=private or self._deferred_private,
                view=view_of(part.buttons) or discord.utils.MISSING,
                files=files_of(part),
                allowed_mentions=NOBODY,
                wait=True,
            )
        self._followed.add(str(posted.id))
        return str(posted.id)

    async def _fill_in(self, part: Part) -> str:
        async with patiently(CALL_SECONDS):
            original = await self._interaction.edit_original_response(
                content=part.text or None,
                view=view_of(part.buttons),
                attachments=files_of(part),
                allowed_mentions=NOBODY,
            )
        self._open = False
        self._original = str(original.id)
        return self._original

    async def _instead(self, part: Part) -> str:
        """In the channel, for what anybody may read."""
        if self._deferred_private or self._public is None:
            raise Undeliverable("The time to answer is over; give the command again.")
        return await self._public.post(part)

    def _is_over(self) -> bool:
        return self._clock.now() - self._begun > timedelta(minutes=MINUTES)


class PrivateAnswer:
    """The same interaction, for the asker alone."""

    most_parts = FOLLOW_UPS
    prefix = ""
    is_private = True

    def __init__(self, way: InteractionWay) -> None:
        self._way = way

    async def post(self, part: Part) -> str:
        return await self._way.post_private(part)

    async def edit(self, message: str, part: Part) -> None:
        await self._way.edit(message, part)

    async def remove(self, message: str) -> None:
        await self._way.remove(message)
