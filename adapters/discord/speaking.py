"""How one bot account speaks in a place: as itself, or as a persona with a name of its own."""

from collections.abc import Awaitable, Callable, Mapping

import discord

from adapters.discord.channels import Channels
from adapters.discord.inbound.messages import speaker_prefix
from adapters.discord.inbound.places import parent_of
from adapters.discord.outbound.failures import patiently
from adapters.discord.outbound.outlet import Choose, Desk, Outlet
from adapters.discord.outbound.typing import Typing
from adapters.discord.outbound.ways import ChannelWay, Way
from adapters.discord.outbound.webhooks import Webhooks
from bot.errors import Undeliverable
from bot.world import PlaceKey, PlaceKind, Where

SIGN_SECONDS = 10.0

WantsWebhook = Callable[[PlaceKey], Awaitable[bool]]


class Speaking:
    """Makes outlets. `own` is the key of the persona that the account itself is; empty where
    every persona speaks as the account. `keys` are keys by display name. `wants_webhook` says
    where even the account's own persona shall use a webhook."""

    def __init__(
        self,
        client: discord.Client,
        *,
        channels: Channels,
        webhooks: Webhooks,
        desk: Desk,
        keys: Mapping[str, str],
        own: str,
        wants_webhook: WantsWebhook,
    ) -> None:
        self._client = client
        self._channels = channels
        self._webhooks = webhooks
        self._desk = desk
        self._keys = keys
        self._own = own
        self._wants_webhook = wants_webhook

    def is_own(self, speaker: str) -> bool:
        """Whether the account itself is this speaker; a name that no persona bears is."""
        return not self._own or self._keys.get(speaker, self._own) == self._own

    def outlet(self, where: Where) -> Outlet:
        """For one inbound value of a place."""
        is_dm = where.kind is PlaceKind.DM
        return self._outlet(int(where.key.chat), self._chooser(where.key, is_dm=is_dm))

    def reach(self, key: PlaceKey) -> Outlet:
        """For a place of which only the key is known."""
        return self._outlet(int(key.chat), self._chooser(key, is_dm=None))

    def publicly(self, where: Where) -> Way:
        """The plain way into a channel."""
        return ChannelWay(self._messageable(int(where.key.chat)))

    def nowhere(self) -> Outlet:
        """For what nobody answers."""

        async def choose(speaker: str, private: bool) -> Way:  # noqa: ARG001 - Choose has it
            raise Undeliverable("This came from no place where one could answer.")

        return Outlet(chat="nowhere", choose=choose, desk=self._desk)

    def _outlet(self, channel: int, choose: Choose) -> Outlet:
        place = self._messageable(channel)

        async def sign() -> None:
            async with patiently(SIGN_SECONDS):
                await place.typing()

        typing = Typing(sign, clock=self._desk.showing.clock)
        return Outlet(chat=str(channel), choose=choose, desk=self._desk, typing=typing)

    def _chooser(self, key: PlaceKey, *, is_dm: bool | None) -> Choose:
        channel = int(key.chat)

        async def choose(speaker: str, private: bool) -> Way:
            in_dm = is_dm
            if in_dm is None and (private or not self.is_own(speaker)):
                in_dm = isinstance(await self._channels.get(channel), discord.DMChannel)
            if private and not in_dm:
                raise Undeliverable("A private answer has no place in a channel.")
            place = self._messageable(channel)
            if not in_dm and (way := await self._webhook_way(key, speaker)):
                return way
            prefix = "" if self.is_own(speaker) else speaker_prefix(speaker)
            return ChannelWay(place, prefix=prefix, is_private=bool(in_dm))

        return choose

    async def _webhook_way(self, key: PlaceKey, speaker: str) -> Way | None:
        """Through a webhook, if one is wanted there and can be had."""
        if not speaker or (self.is_own(speaker) and not await self._wants_webhook(key)):
            return None
        channel = int(key.chat)
        place = await self._channels.get(channel)
        parent = parent_of(place)
        if parent is None:
            return None
        thread = channel if isinstance(place, discord.Thread) else None
        return await self._webhooks.way(parent, speaker, thread=thread)

    def _messageable(self, channel: int) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(channel)
