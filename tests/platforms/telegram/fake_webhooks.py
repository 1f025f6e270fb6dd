"""Telegram's side of webhooks: calls where a bot wants to be called, again until it is taken."""

import asyncio
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

import aiohttp

from tests.platforms.telegram.fake_chats import FakeBot, Json

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
AGAIN_SECONDS = 0.02


class Webhooks:
    """`proxy` stands for the server with https in front: the address on loopback that it
    passes calls on to; without it nothing is called. `statuses` are the answers so far."""

    def __init__(self, bots: Callable[[], Iterable[FakeBot]], changed: asyncio.Condition) -> None:
        self.proxy = ""
        self.statuses: list[int] = []
        self._bots = bots
        self._changed = changed
        self._under_way: set[int] = set()

    async def run(self) -> None:
        """Calls until cancelled, several at once, as Telegram does."""
        async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as calls:
            while True:
                for bot, update in self._due():
                    self._under_way.add(update["update_id"])
                    calls.create_task(self._call(session, bot, update))
                async with self._changed:
                    await self._changed.wait_for(lambda: bool(self._due()))

    def _due(self) -> list[tuple[FakeBot, Json]]:
        return [
            (bot, update)
            for bot in self._bots()
            if bot.webhook["url"] and self.proxy
            for update in bot.updates
            if update["update_id"] not in self._under_way
        ]

    async def _call(self, session: aiohttp.ClientSession, bot: FakeBot, update: Json) -> None:
        hook = bot.webhook
        address = f"{self.proxy}{urlsplit(hook['url']).path}"
        headers = {SECRET_HEADER: hook.get("secret_token") or ""}
        try:
            async with session.post(address, json=update, headers=headers) as answer:
                status = answer.status
        except aiohttp.ClientError:
            status = 0
        self.statuses.append(status)
        if status == 200 and update in bot.updates:
            bot.updates.remove(update)
        elif status != 200:
            await asyncio.sleep(AGAIN_SECONDS)
        self._under_way.discard(update["update_id"])
        async with self._changed:
            self._changed.notify_all()
