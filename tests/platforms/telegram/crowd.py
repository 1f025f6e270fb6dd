"""Crowded Telegram chats as a process of their own: `python -m tests.platforms.telegram.crowd`."""

import asyncio
import random
from collections.abc import Mapping, Sequence

from bot.clock import SystemClock
from tests.crowds import serve
from tests.platforms.telegram.fake_bot_api import FakeBotApi
from tests.platforms.telegram.fake_chats import Json, group, user
from tests.platforms.telegram.fake_methods import Call

PRIVATE_CHATS, GROUPS = 30, 20
"""Fifty chats. A group may be sent 20 messages a minute: at the benchmark's pace of one
message in five seconds for each chat, that is enough for an answer to each."""

PEOPLE_OF_A_GROUP = 4


class CrowdedTelegram(FakeBotApi):
    """A Bot API that also notes what was written, for whoever watches."""

    def __init__(self) -> None:
        super().__init__(SystemClock())
        self.bot = self.add_bot(900, "bower_bot", "Bower")
        self.written: list[tuple[str, str, str]] = []
        self.places: dict[str, tuple[Json, list[Json]]] = {}
        for n in range(PRIVATE_CHATS):
            person = user(1000 + n, f"Person{n:03}")
            self.places[str(person["id"])] = self.chats.private(person), [person]
        for n in range(GROUPS):
            chat = self.chats.add(group(-1001000000000 - n, f"room-{n:02}"))
            people = [user(2000 + 10 * n + m, f"Guest{n:02}{m}") for m in range(PEOPLE_OF_A_GROUP)]
            self.places[str(chat["id"])] = chat, people

    async def _result(self, call: Call) -> object:
        result = await super()._result(call)
        if call.method.lower() in {"sendmessage", "editmessagetext"}:
            assert isinstance(result, dict)
            chat, number = result["chat"]["id"], result["message_id"]
            self.written.append((str(chat), f"{chat}/{number}", result["text"]))
        return result


class TelegramCrowd:
    """What `tests.crowds` needs of it."""

    def __init__(self, telegram: CrowdedTelegram) -> None:
        self._telegram = telegram
        self._chance = random.Random(0)

    @property
    def settings(self) -> Mapping[str, str]:
        return {
            "TELEGRAM_TOKEN": self._telegram.bot.token,
            "TELEGRAM_API_URL": self._telegram.url,
        }

    @property
    def channels(self) -> Sequence[str]:
        return list(self._telegram.places)

    @property
    def is_connected(self) -> bool:
        return True  # Telegram keeps what is said until the program asks for it

    async def say(self, channel: str, text: str) -> None:
        chat, people = self._telegram.places[channel]
        mention = "" if chat["type"] == "private" else "@bower_bot "
        message = self._telegram.chats.message(
            chat, self._chance.choice(people), text=f"{mention}{text}"
        )
        await self._telegram.deliver(self._telegram.bot, "message", message)

    def news(self) -> Sequence[tuple[str, str, str]]:
        found, self._telegram.written = self._telegram.written, []
        return found

    @property
    def violations(self) -> Mapping[str, int]:
        return {"flood limits": self._telegram.refused}


async def main() -> None:
    async with CrowdedTelegram().running() as telegram:
        assert isinstance(telegram, CrowdedTelegram)
        await serve(TelegramCrowd(telegram))


if __name__ == "__main__":
    asyncio.run(main())
