"""Several bots in one process, their menus, and what is said about them."""

import asyncio

import pytest
from telegram import BotCommandScopeAllChatAdministrators, BotCommandScopeAllPrivateChats

from adapters.telegram import Login, Options, TelegramPlatform, examine
from adapters.telegram.account import Account
from adapters.telegram.commands.menus import Menu, offered
from bot.commands import COMMANDS, Answer, Call, CommandSpec
from bot.commands.call import Where
from bot.commands.summaries import SUMMARIES
from bot.errors import SettingsError, Undeliverable
from bot.messages import Inbound, Message, Reply, Rights
from bot.ports import Send
from bot.world import PlaceKey
from tests.fakes import FakeClock, until
from tests.platforms.contract import PERSONA
from tests.platforms.telegram.fake_bot_api import FakeBotApi
from tests.platforms.telegram.fake_chats import user
from tests.platforms.telegram.world import BOT, PEOPLE, TelegramWorld

ANA = PEOPLE["Ana"]


async def nothing(inbound: Inbound, send: Send) -> None:
    del inbound, send


def login(token: str, persona: str | None = None) -> Login:
    return Login(token=token, character=lambda: PERSONA, persona=persona)


def platform(api: FakeBotApi, *tokens: str) -> TelegramPlatform:
    logins = [login(token, f"p{n}") for n, token in enumerate(tokens)]
    return TelegramPlatform(logins, Options(clock=FakeClock(), api_url=api.url, stop_seconds=0))


async def test_each_bot_has_its_own_persona_and_places() -> None:
    heard: list[Message] = []

    async def answer(inbound: Inbound, send: Send) -> None:
        assert isinstance(inbound, Message)
        heard.append(inbound)
        await send(Reply(text=f"{inbound.persona}: {inbound.text}", nonce=inbound.persona or ""))

    async with FakeBotApi(FakeClock()).running() as api:
        bots = [api.add_bot(901, "one_bot", "One"), api.add_bot(902, "two_bot", "Two")]
        both = platform(api, *(bot.token for bot in bots))
        running = asyncio.create_task(both.run(answer))
        chat = api.chats.private(ANA)
        for bot in bots:
            await api.deliver(bot, "message", api.chats.message(chat, ANA, text="hello"))
        await until(lambda: len(api.chats.texts(11)) == 4)
        reach = both.reach(PlaceKey(platform="telegram", bot_account="902", chat="11"))
        await reach(Reply(text="later", nonce="later"))
        assert api.called("sendMessage")[-1].bot is bots[1]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert {(m.persona, m.where.key.bot_account) for m in heard} == {("p0", "901"), ("p1", "902")}
    assert sorted(api.chats.texts(11)) == ["hello", "hello", "later", "p0: hello", "p1: hello"]


async def test_a_refused_token_is_said_without_saying_it() -> None:
    async with FakeBotApi(FakeClock()).running() as api:
        with pytest.raises(SettingsError, match="BotFather") as raised:
            await platform(api, "903:wrong").run(nothing)
    assert "wrong" not in str(raised.value)
    assert raised.value.__cause__ is None


async def test_one_refused_token_does_not_stop_the_other_bots() -> None:
    async with FakeBotApi(FakeClock()).running() as api:
        good = api.add_bot(901, "one_bot", "One")
        both = platform(api, "903:wrong", good.token)
        running = asyncio.create_task(both.run(nothing))
        await until(lambda: bool(api.called("getUpdates")))
        assert not running.done()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def test_one_bot_cannot_be_two() -> None:
    with pytest.raises(SettingsError, match="twice"):
        TelegramPlatform([login("1:a"), login("1:b")], Options(clock=FakeClock()))


async def test_a_place_of_a_bot_that_is_gone_is_out_of_reach(world: TelegramWorld) -> None:
    gone = PlaceKey(platform="telegram", bot_account="1", chat="11")
    with pytest.raises(Undeliverable, match="TELEGRAM_TOKEN"):
        await world.platform.reach(gone)(Reply(text="x", nonce="n"))


def test_a_token_does_not_show_in_what_may_be_logged() -> None:
    made = login("1:secret")
    assert "secret" not in repr(made)
    assert Account(made, Options(clock=FakeClock())).id == "1"


# -- menus ---------------------------------------------------------------------------------
async def test_menus_are_set_once_and_again_only_when_they_change(world: TelegramWorld) -> None:
    await until(lambda: len(world.api.called("setMyCommands")) == 9)
    names = {c["command"] for menu in world.bot.commands.values() for c in menu["commands"]}
    assert {"forget", "help"} <= names
    assert "quit" not in names
    await world.restart()
    await until(lambda: len(world.api.called("getMyCommands")) == 18)
    assert len(world.api.called("setMyCommands")) == 9
    next(iter(world.bot.commands.values()))["commands"].pop()
    await world.restart()
    await until(lambda: len(world.api.called("setMyCommands")) == 10)


async def test_menus_are_in_the_language_of_whoever_looks(world: TelegramWorld) -> None:
    await until(lambda: len(world.api.called("setMyCommands")) == 9)
    said = {
        call.params.get("language_code", ""): {
            c["command"]: c["description"] for c in call.values("commands")
        }
        for call in world.api.called("setMyCommands")
    }
    assert said[""]["forget"].startswith("Remove your words")
    assert said["es"]["forget"].startswith("Borrar tus palabras")
    assert said["zh"]["forget"].startswith("永久删除")
    assert said[""].keys() == said["es"].keys() == said["zh"].keys()


def test_summaries_are_of_commands_that_there_are() -> None:
    names = {spec.name for spec in COMMANDS}
    for language, summaries in SUMMARIES.items():
        assert summaries.keys() <= names
        assert summaries.keys() == SUMMARIES["es"].keys(), language
        assert all(1 <= len(text) <= 256 for text in summaries.values())


def test_a_menu_offers_what_its_people_may_give_there() -> None:
    async def handler(call: Call) -> Answer:
        raise AssertionError(call)

    table = [
        CommandSpec(name="all", summary="s", handler=handler),
        CommandSpec(name="group", summary="s", handler=handler, where=Where.SERVER),
        CommandSpec(name="admin", summary="s", handler=handler, rights=Rights.ADMIN),
        CommandSpec(name="owner", summary="s", handler=handler, rights=Rights.OPERATOR),
        CommandSpec(name="shell", summary="s", handler=handler, where=Where.TERMINAL),
    ]

    def names(menu: Menu) -> list[str]:
        return [command.command for command in offered(menu, table)]

    private = BotCommandScopeAllPrivateChats()
    admins = BotCommandScopeAllChatAdministrators()
    assert names(Menu(scope=private, rights=Rights.MEMBER, in_groups=False)) == ["all"]
    assert names(Menu(scope=admins, rights=Rights.ADMIN, in_groups=True)) == [
        "all",
        "group",
        "admin",
    ]
    assert names(Menu(scope=private, rights=Rights.OPERATOR, in_groups=False)) == [
        "all",
        "admin",
        "owner",
    ]


def test_every_command_of_the_table_is_one_that_telegram_takes() -> None:
    for spec in COMMANDS:
        assert spec.name == spec.name.lower()
        assert spec.name.replace("_", "a").isalnum()
        assert 1 <= len(spec.name) <= 32
        assert 1 <= len(spec.summary) <= 256


# -- what is said about bots -----------------------------------------------------------------
@pytest.mark.parametrize(
    ("reads_all", "said"), [(True, "Privacy mode is off"), (False, "Privacy mode is on")]
)
async def test_doctor_tells_what_a_bot_sees(reads_all: bool, said: str) -> None:
    async with FakeBotApi(FakeClock()).running() as api:
        bot = api.add_bot(BOT, "ida_bot", "Ida", reads_all=reads_all)
        bot.updates.append({"update_id": 1})
        good, bad = await examine([bot.token, "5:x"], api.url)
    assert (good.name, good.works) == ("@ida_bot", True)
    assert said in good.found
    assert "1 updates wait" in good.found
    assert (bad.name, bad.works) == ("5", False)
    [nobody] = await examine([bot.token], api.url)
    assert "cannot be reached" in nobody.found


async def test_a_person_is_known_by_id_whatever_the_name(world: TelegramWorld) -> None:
    await world.say("hello")
    message = world.write("hello") | {"from": user(11, "Somebody", last_name="Else")}
    await world.deliver("message", message)
    first, second = world.heard_of(Message)
    assert first.author.account == second.author.account
    assert second.author.name == "Somebody Else"
