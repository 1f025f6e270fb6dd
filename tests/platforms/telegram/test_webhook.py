"""Telegram calls instead of being asked: with the secret, and until an update is kept."""

import asyncio
import json

import aiohttp
import pytest

from adapters.telegram.webhook import SECRET_HEADER, WebhookServer
from bot.errors import SettingsError
from bot.messages import Inbound
from bot.ports import Send
from tests.fakes import until
from tests.platforms.telegram.fake_chats import Json
from tests.platforms.telegram.world import BOT, TelegramWorld


async def post(port: int, update: Json | bytes, secret: str | None, path: str = "") -> int:
    """Telegram's call; what stands in front may have taken the beginning of the path away."""
    headers = {} if secret is None else {SECRET_HEADER: secret}
    data = update if isinstance(update, bytes) else json.dumps(update).encode()
    url = f"http://127.0.0.1:{port}{path or f'/telegram/{BOT}'}"
    call = aiohttp.request("POST", url, data=data, headers=headers)
    async with call as answer:
        return answer.status


def update(world: TelegramWorld, number: int, text: str = "hello") -> Json:
    return {"update_id": number, "message": world.write(text)}


async def test_telegram_is_told_where_to_call(called: TelegramWorld) -> None:
    hook = called.bot.webhook
    assert hook["url"] == f"https://bower.example/telegram/{BOT}"
    assert len(hook["secret_token"]) >= 32
    assert "my_chat_member" in hook["allowed_updates"]
    assert not called.api.called("getUpdates")


@pytest.mark.parametrize("path", [f"/telegram/{BOT}", f"/{BOT}"])
async def test_an_update_with_the_secret_is_answered(
    called: TelegramWorld, port: int, path: str
) -> None:
    secret = called.bot.webhook["secret_token"]
    assert await post(port, update(called, 1), secret, path) == 200
    await called.settled()
    assert called.seen() == ["I heard: hello"]


@pytest.mark.parametrize("secret", [None, "", "guess"])
async def test_without_the_secret_nothing_is_taken(
    called: TelegramWorld, port: int, secret: str | None
) -> None:
    assert await post(port, update(called, 1), secret) == 403
    assert await post(port, update(called, 1), secret, "/telegram/4711") == 403
    assert called.heard == []


async def test_a_second_delivery_is_not_answered_twice(called: TelegramWorld, port: int) -> None:
    secret, again = called.bot.webhook["secret_token"], update(called, 1)
    assert [await post(port, again, secret) for _ in range(3)] == [200] * 3
    await called.settled()
    assert len(called.seen()) == 1


async def test_nonsense_is_refused_and_what_cannot_be_read_is_passed_over(
    called: TelegramWorld, port: int
) -> None:
    secret = called.bot.webhook["secret_token"]
    assert await post(port, b"{", secret) == 400
    assert await post(port, {"update_id": 1, "message": {"message_id": 1}}, secret) == 200
    assert await post(port, b"[]", secret) == 200
    assert called.heard == []


async def test_telegram_is_answered_only_when_the_message_is_kept(
    called: TelegramWorld, port: int
) -> None:
    keeping = asyncio.Event()

    async def keeps_late(inbound: Inbound, send: Send) -> None:
        await keeping.wait()
        await called.engine.handle(inbound, send)

    await called.stop()
    called.bot.webhook = {"url": ""}
    await called.start(keeps_late)
    await until(lambda: bool(called.bot.webhook["url"]))
    secret = called.bot.webhook["secret_token"]
    posting = asyncio.create_task(post(port, update(called, 1), secret))
    await until(lambda: bool(called.heard))
    assert not posting.done()
    keeping.set()
    assert await posting == 200
    await called.settled()


async def test_what_could_not_be_delivered_is_delivered_after_a_restart(
    called: TelegramWorld,
) -> None:
    await called.stop()
    await called.api.deliver(called.bot, "message", called.write("hello"))
    await until(lambda: bool(called.api.webhooks.statuses))
    assert set(called.api.webhooks.statuses) == {0}
    await called.start()
    await called.settled()
    assert called.seen() == ["I heard: hello"]


async def test_a_port_that_is_taken_is_said(port: int) -> None:
    async with WebhookServer().listening("127.0.0.1", port):
        with pytest.raises(SettingsError, match="TELEGRAM_WEBHOOK_LISTEN"):
            async with WebhookServer().listening("127.0.0.1", port):
                pass


async def test_who_was_called_before_asks_again_without_the_webhook(
    called: TelegramWorld,
) -> None:
    await called.stop()
    called.use_webhook(None)
    await called.start()
    await called.say("hello")
    assert called.bot.webhook["url"] == ""
    assert called.seen() == ["I heard: hello"]
