"""Another client library gets the same answers from the fake: a check on the fake itself."""

import pytest

from tests.fakes import FakeClock
from tests.platforms.telegram.fake_bot_api import FakeBotApi, Fault
from tests.platforms.telegram.world import PEOPLE

aiogram = pytest.importorskip("aiogram", reason="aiogram is not installed")


async def test_aiogram_finds_the_fake_to_be_a_bot_api() -> None:
    from aiogram import Bot
    from aiogram.client.session.aiohttp import AiohttpSession
    from aiogram.client.telegram import TelegramAPIServer
    from aiogram.exceptions import TelegramBadRequest, TelegramForbiddenError, TelegramRetryAfter

    clock = FakeClock()
    async with FakeBotApi(clock).running() as api:
        fake = api.add_bot(900, "ida_bot", "Ida")
        ana = PEOPLE["Ana"]
        chat = api.chats.private(ana)
        session = AiohttpSession(api=TelegramAPIServer.from_base(api.url))
        async with Bot(fake.token, session=session).context() as bot:
            assert (await bot.get_me()).username == "ida_bot"
            said = api.chats.message(chat, ana, text="/help@ida_bot please")
            await api.deliver(fake, "message", said)
            [update] = await bot.get_updates(timeout=1)
            assert update.message is not None
            assert update.message.entities is not None
            assert update.message.entities[0].type == "bot_command"
            assert await bot.get_updates(offset=update.update_id + 1, timeout=0) == []
            sent = await bot.send_message(11, "hello", reply_parameters=None)
            edited = await bot.edit_message_text("hi", chat_id=11, message_id=sent.message_id)
            assert getattr(edited, "text", None) == "hi"
            with pytest.raises(TelegramBadRequest, match="not modified"):
                await bot.edit_message_text("hi", chat_id=11, message_id=sent.message_id)
            clock.pass_time(minutes=1)
            with pytest.raises(TelegramBadRequest, match="too long"):
                await bot.send_message(11, "x" * 4097)
            api.chats.blocked.add(11)
            with pytest.raises(TelegramForbiddenError):
                await bot.send_message(11, "hello")
            flood = Fault(method="getChat", code=429, description="", parameters={"retry_after": 7})
            api.faults.append(flood)
            with pytest.raises(TelegramRetryAfter) as raised:
                await bot.get_chat(11)
            assert raised.value.retry_after == 7
