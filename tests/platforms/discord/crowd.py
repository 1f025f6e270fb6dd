"""A crowded Discord server as a process of its own: `python -m tests.platforms.discord.crowd`."""

import asyncio
import random
from collections.abc import Mapping, Sequence

from tests.crowds import serve
from tests.platforms.discord.fake_gateway import FakeDiscord
from tests.platforms.discord.fake_limits import RateLimits
from tests.platforms.discord.fake_payloads import Json

CHANNELS = 50
PEOPLE = 100


class CrowdedDiscord(FakeDiscord):
    """One server with many channels and people, and Discord's rate limits."""

    def __init__(self) -> None:
        super().__init__()
        self.limits = RateLimits()
        self.rest.limits = self.limits
        self.people = [f"Person{number:03}" for number in range(PEOPLE)]
        home = self.add_guild("Home", *self.people)
        self.channels_of_home = [self.add_channel(home, f"room-{n:02}") for n in range(CHANNELS)]
        self.news: list[tuple[str, str, str]] = []

    def told(self, event: str, message: Json) -> None:
        super().told(event, message)
        if self.is_mine(message):
            self.news.append((message["channel_id"], message["id"], message["content"]))


class DiscordCrowd:
    """What `tests.crowds` needs of it."""

    def __init__(self, discord: CrowdedDiscord) -> None:
        self._discord = discord
        self._chance = random.Random(0)

    @property
    def settings(self) -> Mapping[str, str]:
        return {
            "DISCORD_TOKEN": self._discord.token,
            "DISCORD_API_URL": self._discord.api_url,
            "DISCORD_GATEWAY_URL": self._discord.gateway_url,
        }

    @property
    def channels(self) -> Sequence[str]:
        return self._discord.channels_of_home

    @property
    def is_connected(self) -> bool:
        return self._discord.connected == 1

    async def say(self, channel: str, text: str) -> None:
        who = self._chance.choice(self._discord.people)
        await self._discord.say(channel, who, text, mention=True)

    def news(self) -> Sequence[tuple[str, str, str]]:
        found, self._discord.news = self._discord.news, []
        return found

    @property
    def violations(self) -> Mapping[str, int]:
        return self._discord.limits.violations


async def main() -> None:
    async with CrowdedDiscord() as discord:
        await serve(DiscordCrowd(discord))


if __name__ == "__main__":
    asyncio.run(main())
