"""Another client library gets the same answers from the fake: a check on the fake itself."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import (
    ClientDecodeError,
    TelegramBadRequest,
    TelegramConflictError,
    TelegramForbiddenError,
    TelegramMigrateToChat,
    TelegramRetryAfter,
    TelegramServerError,
    TelegramUnauthorizedError,
)
from aiogram.types import (
    BotCommand,
    BotCommandScopeAllPrivateChats,
    BufferedInputFile,
    ChatMemberOwner,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    Message,
    MessageEntity,
    ReplyParameters,
)

from tests.fakes import FakeClock
from tests.platforms.telegram.fake_bot_api import FakeBotApi, Fault
from tests.platforms.telegram.fake_chats import FakeBot, Json, group
from tests.platforms.telegram.world import PEOPLE

ANA = PEOPLE["Ana"]
FORUM, OLD, NEW = -1001000000002, -5000, -1001000000005


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The fake, one of its bots, and aiogram as that bot."""

    api: FakeBotApi
    fake: FakeBot
    bot: Bot
    chat: Json
    clock: FakeClock


def client(api: FakeBotApi, token: str) -> Bot:
    return Bot(token, session=AiohttpSession(api=TelegramAPIServer.from_base(api.url)))


@pytest.fixture
async def side() -> AsyncIterator[Side]:
    clock = FakeClock()
    async with FakeBotApi(clock).running() as api:
        fake = api.add_bot(900, "ida_bot", "Ida")
        chat = api.chats.private(ANA)
        async with client(api, fake.token).context() as bot:
            yield Side(api=api, fake=fake, bot=bot, chat=chat, clock=clock)


async def test_it_receives(side: Side) -> None:
    assert (await side.bot.get_me()).username == "ida_bot"
    said = side.api.chats.message(side.chat, ANA, text="/help@ida_bot please")
    await side.api.deliver(side.fake, "message", said)
    [update] = await side.bot.get_updates(timeout=1)
    assert update.message is not None
    assert update.message.entities is not None
    assert update.message.entities[0].type == "bot_command"
    assert await side.bot.get_updates(offset=update.update_id + 1, timeout=0) == []


async def test_it_sends_edits_and_takes_away(side: Side) -> None:
    sent = await side.bot.send_message(11, "hello")
    edited = await side.bot.edit_message_text("hi", chat_id=11, message_id=sent.message_id)
    assert isinstance(edited, Message)
    assert edited.text == "hi"
    with pytest.raises(TelegramBadRequest, match="not modified"):
        await side.bot.edit_message_text("hi", chat_id=11, message_id=sent.message_id)
    assert await side.bot.delete_message(11, sent.message_id)
    with pytest.raises(TelegramBadRequest, match="not found"):
        await side.bot.delete_message(11, sent.message_id)
    side.clock.pass_time(minutes=1)
    with pytest.raises(TelegramBadRequest, match="too long"):
        await side.bot.send_message(11, "x" * 4097)


async def test_it_sends_looks_buttons_replies_and_topics(side: Side) -> None:
    forum = side.api.chats.add(group(FORUM, "island", is_forum=True))
    said = side.api.chats.message(forum, ANA, text="when?", message_thread_id=7)
    button = InlineKeyboardButton(text="Yes", callback_data="y")
    sent = await side.bot.send_message(
        FORUM,
        "😀 at six",
        entities=[MessageEntity(type="bold", offset=3, length=6)],
        message_thread_id=7,
        reply_parameters=ReplyParameters(message_id=said["message_id"]),
        reply_markup=InlineKeyboardMarkup(inline_keyboard=[[button]]),
    )
    assert sent.message_thread_id == 7
    assert sent.entities is not None
    assert sent.entities[0].extract_from(sent.text or "") == "at six"
    assert sent.reply_to_message is not None
    assert sent.reply_to_message.text == "when?"
    assert sent.reply_markup is not None
    with pytest.raises(TelegramBadRequest, match="entities"):
        await side.bot.send_message(
            11, "short", entities=[MessageEntity(type="bold", offset=0, length=99)]
        )


async def test_it_sends_files_drafts_and_signs(side: Side) -> None:
    sent = await side.bot.send_document(11, BufferedInputFile(b"hello", "a.txt"))
    assert sent.document is not None
    assert sent.document.file_name == "a.txt"
    file = await side.bot.get_file(sent.document.file_id)
    assert file.file_path is not None
    content = await side.bot.download_file(file.file_path)
    assert content is not None
    assert content.read() == b"hello"
    assert await side.bot.send_message_draft(11, 1, text="hel")
    assert await side.bot.send_chat_action(11, "typing")


async def test_it_sets_menus_and_webhooks(side: Side) -> None:
    scope = BotCommandScopeAllPrivateChats()
    await side.bot.set_my_commands([BotCommand(command="help", description="Help.")], scope)
    assert [c.command for c in await side.bot.get_my_commands(scope)] == ["help"]
    assert await side.bot.get_my_commands(scope, language_code="es") == []
    with pytest.raises(TelegramBadRequest, match="HTTPS"):
        await side.bot.set_webhook("http://bower.example")
    await side.bot.set_webhook("https://bower.example", secret_token="s")
    assert (await side.bot.get_webhook_info()).url == "https://bower.example"
    with pytest.raises(TelegramConflictError):
        await side.bot.get_updates(timeout=0)
    await side.bot.delete_webhook()


async def test_it_asks_who_is_who_and_answers_buttons(side: Side) -> None:
    side.api.chats.members[11, 11] = {"user": ANA, "status": "creator", "is_anonymous": False}
    assert isinstance(await side.bot.get_chat_member(11, 11), ChatMemberOwner)
    side.fake.queries.add("q")
    assert await side.bot.answer_callback_query("q")
    with pytest.raises(TelegramBadRequest, match="too old"):
        await side.bot.answer_callback_query("q")


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(method="getChat", code=429, parameters={"retry_after": 7}), TelegramRetryAfter),
        (Fault(method="getChat", code=502), TelegramServerError),
        (Fault(method="getChat", code=200, body=b"<html>"), ClientDecodeError),
    ],
)
async def test_it_finds_faults_to_be_what_they_are(
    side: Side, fault: Fault, error: type[Exception]
) -> None:
    side.api.faults.append(fault)
    with pytest.raises(error) as raised:
        await side.bot.get_chat(11)
    if isinstance(raised.value, TelegramRetryAfter):
        assert raised.value.retry_after == 7


async def test_it_is_refused_as_by_telegram(side: Side) -> None:
    side.api.chats.blocked.add(11)
    with pytest.raises(TelegramForbiddenError):
        await side.bot.send_message(11, "hello")
    side.api.chats.moved[OLD] = NEW
    with pytest.raises(TelegramMigrateToChat) as raised:
        await side.bot.send_message(OLD, "hello")
    assert raised.value.migrate_to_chat_id == NEW
    async with client(side.api, "900:wrong").context() as stranger:
        with pytest.raises(TelegramUnauthorizedError):
            await stranger.get_me()
