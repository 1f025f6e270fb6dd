"""A real engine, store and adapter over the Bot API on loopback, seen from people's side."""

import asyncio
import time
from contextlib import AsyncExitStack
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol, TypeVar

from adapters.telegram import Login, Options, TelegramPlatform, Webhook
from adapters.telegram.account import Session
from bot.clock import Clock
from bot.engine import Engine
from bot.messages import Inbound
from bot.ports import Handler, Send, Storage
from bot.world import AccountKey, Answers, PlaceKey, PlaceKind, Where
from storage import open_storage
from tests.conftest import LIMITS
from tests.fakes import (
    NOON,
    FakeClock,
    NeutralScorer,
    ScriptedChat,
    WordEmbedder,
    a_persona,
    until,
)
from tests.platforms.contract import PERSONA
from tests.platforms.telegram.fake_bot_api import FakeBotApi, Fault
from tests.platforms.telegram.fake_chats import Json, group, user
from tests.ready_database import ready

T = TypeVar("T")

BOT = 900
ROOM = -1001000000001
PEOPLE = {"Ana": user(11, "Ana"), "Ben": user(12, "Ben"), "Olga": user(14, "Olga")}
OWNER = PEOPLE["Olga"]
"""Operates the program."""

MIRA = a_persona("mira", "Mira", greetings=["Good day."])
OTHER_BOT = {"id": 13, "is_bot": True, "first_name": "Otto", "username": "otto_bot"}


ADMIN_RIGHTS = (
    "can_be_edited",
    "is_anonymous",
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
)


class Ticking(Clock, Protocol):
    """A clock that a test can put on."""

    def pass_time(self, **parts: float) -> None: ...


BURST_SECONDS = 0.05


class PatientClock(FakeClock):
    """Leaves a burst enough time to come in, however busy the machine is."""

    async def sleep(self, seconds: float) -> None:
        if seconds == BURST_SECONDS:
            await asyncio.sleep(BURST_SECONDS)
        await super().sleep(seconds)


class QuickClock:
    """Real time, so many times as fast: for what happens side by side."""

    def __init__(self, speed: float = 10.0) -> None:
        self._speed = speed
        self._begun = time.monotonic()
        self._ahead = timedelta(0)

    def now(self) -> datetime:
        passed = (time.monotonic() - self._begun) * self._speed
        return NOON + timedelta(seconds=passed) + self._ahead

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self._speed)

    def pass_time(self, **parts: float) -> None:
        self._ahead += timedelta(**parts)


class TelegramWorld:
    """The contract's world, and handles on everything behind it."""

    lacks = frozenset({"deletes"})

    def __init__(
        self, folder: Path, *, webhook: Webhook | None = None, clock: Ticking | None = None
    ) -> None:
        self.clock = clock or PatientClock()
        self.model = ScriptedChat()
        self.api = FakeBotApi(self.clock)
        self.bot = self.api.add_bot(BOT, "ida_bot", "Ida")
        self.room = self.api.chats.add(group(ROOM, "kitchen"))
        for person in PEOPLE.values():
            self.api.chats.private(person)
            self.member(ROOM, person, "member")
        self.heard: list[Inbound] = []
        self._folder = folder
        self._webhook = webhook
        self.plays: str | None = None  # the persona of the bot's own, from the next start on
        self._outer = AsyncExitStack()

    def member(self, chat: int, person: Json, status: str) -> None:
        more: Json = {"is_anonymous": False} if status == "creator" else {}
        if status == "administrator":
            more = dict.fromkeys(ADMIN_RIGHTS, False)
        found = {"user": person, "status": status, **more}
        self.api.chats.members[chat, person["id"]] = found

    # -- life ------------------------------------------------------------------------------
    async def open(self) -> None:
        await self._outer.enter_async_context(self.api.running())
        await self.start()

    async def start(self, handle: Handler | None = None) -> None:
        self._inner = handle
        self._stack = AsyncExitStack()
        self.store: Storage = await self._stack.enter_async_context(
            open_storage(ready(self._folder / "b.db"))
        )
        for persona in (PERSONA, MIRA):
            await self.store.persona(persona.key, persona.name)
        key = PlaceKey(platform="telegram", bot_account=str(BOT), chat=str(ROOM))
        place = await self.store.place(Where(key=key, kind=PlaceKind.GROUP, name="kitchen"))
        await self.store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
        self.engine = await self._stack.enter_async_context(self._engine())
        self.options = Options(clock=self.clock, api_url=self.api.url)
        self.platform = TelegramPlatform(
            [Login(token=self.bot.token, character=lambda: PERSONA, persona=self.plays)],
            self.options,
            webhook=self._webhook,
        )
        self.running = asyncio.create_task(self.platform.run(self._handle))
        await self.engine.resume(self.platform)
        await asyncio.wait(
            [self.running, asyncio.create_task(self.platform.accounts[0].connected.wait())],
            return_when=asyncio.FIRST_COMPLETED,
        )
        await self.engine.idle()

    def _engine(self) -> Engine:
        return Engine(
            storage=self.store,
            model=self.model,
            small_model=self.model,
            embedder=WordEmbedder(),
            scorer=NeutralScorer(),
            personas={PERSONA.key: PERSONA, MIRA.key: MIRA},
            owners=frozenset({AccountKey(platform="telegram", user=str(OWNER["id"]))}),
            default_persona=PERSONA.key,
            clock=self.clock,
            limits=replace(LIMITS, burst_seconds=BURST_SECONDS, stop_seconds=0.05),
        )

    async def _handle(self, inbound: Inbound, send: Send) -> None:
        self.heard.append(inbound)
        await (self._inner or self.engine.handle)(inbound, send)

    def heard_of(self, kind: type[T]) -> list[T]:
        """What the engine was told, of one kind."""
        return [inbound for inbound in self.heard if isinstance(inbound, kind)]

    async def stop(self, *, seconds: float = 0.05) -> None:
        """`seconds`: what is under way may take this long."""
        object.__setattr__(self.options, "stop_seconds", seconds)
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)
        await self._stack.aclose()

    async def close(self) -> None:
        await self.stop()
        await self._outer.aclose()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    @property
    def session(self) -> Session:
        session = self.platform.accounts[0].session
        assert session is not None
        return session

    def use_webhook(self, webhook: Webhook | None) -> None:
        """From the next start on."""
        self._webhook = webhook

    async def settled(self) -> None:
        """Returns when everything that was delivered is dealt with."""
        await until(lambda: not self.bot.updates)
        await self.session.receiving.idle()
        await self.engine.idle()

    # -- what people do --------------------------------------------------------------------
    def write(
        self, text: str, *, who: str = "Ana", chat: Json | None = None, **content: object
    ) -> Json:
        """A message in a chat (by default the private one), not delivered yet."""
        person = PEOPLE[who]
        return self.api.chats.message(
            chat or self.api.chats.private(person), person, text=text or None, **content
        )

    async def deliver(self, kind: str, *contents: Json) -> None:
        """The bot hears of it; returns when it is dealt with."""
        await self.api.deliver(self.bot, kind, *deepcopy(contents))
        await self.settled()

    async def say(
        self,
        text: str,
        *,
        who: str = "Ana",
        room: bool = False,
        mention: bool = False,
        reply_to_persona: bool = False,
        attachment: str = "",
        bot: bool = False,
    ) -> str:
        self.clock.pass_time(seconds=2)
        content: Json = {}
        if mention:
            text = f"@ida_bot {text}"
        if attachment:
            file = {"file_id": "f", "file_unique_id": "f", "file_name": attachment}
            content, text = {"document": file, "caption": text}, ""
        if reply_to_persona:
            content["reply_to_message"] = self.newest(ROOM if room else PEOPLE[who]["id"])
        chat = self.room if room else None
        message = self.write(text, who=who, chat=chat, **content)
        if bot:
            message["from"] = OTHER_BOT
        await self.deliver("message", message)
        return self._name(message)

    def _name(self, message: Json) -> str:
        return f"{message['chat']['id']}/{message['message_id']}"

    def _named(self, name: str) -> Json:
        chat, _, number = name.partition("/")
        return self.api.chats.messages[int(chat)][int(number)]

    def newest(self, chat: int) -> Json:
        """The bot's newest message there."""
        own = [m for m in self.api.chats.messages[chat].values() if m["from"]["id"] == BOT]
        return max(own, key=lambda m: int(m["message_id"]))

    async def burst(self, *texts: str, who: str = "Ana", in_order: bool = True) -> None:
        self.clock.pass_time(seconds=2)
        messages = [self.write(text, who=who) for text in texts]
        await self.deliver("message", *(messages if in_order else reversed(messages)))

    async def edit(self, message: str, text: str) -> None:
        self.clock.pass_time(seconds=2)
        found = self._named(message)
        found |= {"text": text, "edit_date": self.api.chats.now()}
        await self.deliver("edited_message", found)

    async def delete(self, message: str) -> None:
        raise AssertionError("Telegram does not report that")

    async def redeliver(self, message: str) -> None:
        await self.deliver("message", self._named(message))

    async def command(self, line: str, *, who: str = "Ana", room: bool = False) -> None:
        await self.say(line, who=who, room=room)

    async def press_first(self, *, who: str = "Ana") -> None:
        person = PEOPLE[who]
        shown = self.newest(person["id"])
        await self.press(shown, shown["reply_markup"]["inline_keyboard"][0][0]["callback_data"])

    async def press(self, shown: Json, data: str, *, who: str = "Ana", number: str = "") -> None:
        number = number or f"q{len(self.bot.queries)}"
        self.bot.queries.add(number)
        query = {
            "id": number,
            "from": PEOPLE[who],
            "chat_instance": "1",
            "message": shown,
            "data": data,
        }
        await self.deliver("callback_query", query)

    def fail_next_send(self, *, for_good: bool = False) -> None:
        blocked = Fault(
            method="sendMessage", code=403, description="Forbidden: bot was blocked by the user"
        )
        self.api.faults.append(blocked if for_good else Fault(method="sendMessage"))

    # -- what people see -------------------------------------------------------------------
    def seen(self, *, who: str = "Ana", room: bool = False) -> list[str]:
        chat = ROOM if room else PEOPLE[who]["id"]
        return self.api.chats.texts(chat, sender=BOT)

    async def events(self) -> int:
        return (await self.store.counts())["events"]
