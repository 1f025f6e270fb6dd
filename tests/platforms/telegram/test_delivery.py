"""A reply always arrives: whole, in its place, to whom it is for, within the limits."""

import asyncio

import pytest

from adapters.telegram.outbound.calls import Calls
from bot.errors import SendError, Undeliverable
from bot.messages import Button, Draft, Dropped, File, Press, Reply, Thinking
from bot.world import PlaceKey
from tests.fakes import FakeClock, until
from tests.platforms.telegram.fake_bot_api import Fault
from tests.platforms.telegram.world import BOT, PEOPLE, ROOM, TelegramWorld

HOSTILE = [
    "**bold *and `code** mixed*`",
    "| a | b |\n|---|---|\n| `x|y` | **z |\n",
    "```python\nprint('`')\n```\nand ``a ` b``",
    "[w](https://en.wikipedia.org/wiki/Foo_(bar)) _x_ [y](z)",
    "_*[]()~`>#+-=|{}.!\\ " * 20,
    "<b>not html</b> & <script>",
    "".join(f"灯塔在{chr(0x4E00 + n)}边亮着😀。" for n in range(1200)),
    "start " * 660 + "**" + "long bold " * 60 + "end**" + " tail" * 300,
    "*" * 500,
    ">" * 300 + "deep",
]


def place(chat: int, thread: str = "") -> PlaceKey:
    return PlaceKey(platform="telegram", bot_account=str(BOT), chat=str(chat), thread=thread)


def letters(text: str) -> str:
    return "".join(c for c in text if c.isalpha())


@pytest.mark.parametrize("text", HOSTILE)
async def test_whatever_the_model_writes_arrives(world: TelegramWorld, text: str) -> None:
    world.model.script = lambda _: text
    await world.say("说吧" if "灯" in text else "go on")  # the guard minds the language
    seen = "".join(world.seen())
    assert seen
    assert set(letters(seen)) <= set(letters(text))
    if "](" not in text and "```" not in text:
        assert letters(seen) == letters(text)
    assert not [f for f in world.api.failures if "not modified" not in f]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("chat", [11, ROOM])
async def test_whatever_grows_is_shown_as_far_as_it_has_come(
    quick: TelegramWorld, chat: int, text: str
) -> None:
    """Half of a Markdown text is rarely valid Markdown."""
    send = quick.platform.reach(place(chat))
    ids: list[str] = []
    for tenth in range(1, 10):
        beginning = text[: len(text) * tenth // 10]
        ids = [*await send(Draft(text=beginning, nonce="n", speaker="Ida"))]
        await quick.clock.sleep(1.5)
    await send(Reply(text=text, nonce="n", speaker="Ida", edit=tuple(ids)))
    assert not [f for f in quick.api.failures if "not modified" not in f]
    assert set(letters("".join(quick.seen(room=chat < 0)))) <= set(letters(text))


async def test_an_empty_answer_is_apologized_for(world: TelegramWorld) -> None:
    world.model.script = lambda _: "  "
    await world.say("hello")
    assert world.seen() == ["The lamp needs me; ask again."]


async def test_what_telegram_finds_empty_is_sent_as_a_sign(world: TelegramWorld) -> None:
    ids = await world.platform.reach(place(11))(Reply(text="\u2060\u200b", nonce="n"))
    assert len(ids) == 1
    assert world.seen() == ["…"]


async def test_refused_formatting_is_left_away(world: TelegramWorld) -> None:
    refused = "Bad Request: can't parse entities: unexpected end"
    world.api.faults.append(Fault(method="sendMessage", code=400, description=refused))
    world.model.script = lambda _: "**hello**"
    await world.say("hi")
    assert world.seen() == ["hello"]
    assert "entities" not in world.newest(11)


async def test_a_wait_that_telegram_asks_for_is_kept(world: TelegramWorld) -> None:
    flood = Fault(
        method="sendMessage", code=429, description="Too Many", parameters={"retry_after": 300}
    )
    world.api.faults.append(flood)
    before = world.clock.now()
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]
    assert (world.clock.now() - before).total_seconds() >= 300
    assert len(world.api.called("sendMessage")) == 2


async def test_a_wait_too_long_gives_the_send_up_without_asking_again(
    world: TelegramWorld,
) -> None:
    flood = Fault(
        method="sendMessage", code=429, description="Too Many", parameters={"retry_after": 9000}
    )
    world.api.faults.append(flood)
    send = world.platform.reach(place(11))
    for _ in range(2):
        with pytest.raises(SendError):
            await send(Reply(text="hello", nonce="n"))
    assert len(world.api.called("sendMessage")) == 1


async def test_many_replies_at_once_are_not_refused(quick: TelegramWorld) -> None:
    dm, room = quick.platform.reach(place(11)), quick.platform.reach(place(ROOM))
    sends = [dm(Reply(text=f"d{n}", nonce=f"d{n}")) for n in range(9)]
    sends += [room(Reply(text=f"r{n}", nonce=f"r{n}")) for n in range(9)]
    await asyncio.gather(*sends)
    assert quick.api.refused < len(sends)  # a busy machine may delay some; unpaced, most are
    assert len(quick.seen()) == len(quick.seen(room=True)) == 9


@pytest.mark.parametrize(("chat", "in_a_minute"), [(11, 60), (ROOM, 20)])
async def test_sends_keep_the_pace_of_their_chat(chat: int, in_a_minute: int) -> None:
    clock = FakeClock()
    times: list[float] = []

    async def moved(old: int, new: int) -> None:
        raise AssertionError

    async def act(_: int) -> None:
        times.append(clock.now().timestamp())

    calls = Calls(clock, moved)
    for _ in range(in_a_minute + 10):
        await calls.call(chat, act)
    for n, at in enumerate(times):
        assert sum(at <= other < at + 3 for other in times[n:]) <= 3
        assert sum(at <= other < at + 60 for other in times[n:]) <= in_a_minute


async def test_a_reply_that_broke_off_goes_on_where_it_stopped(world: TelegramWorld) -> None:
    text = "word " * 2000
    world.model.script = lambda _: text
    world.api.faults.append(Fault(method="sendMessage", skip=1))
    await world.say("go on")
    assert len(world.api.called("sendMessage")) == 4
    assert " ".join(" ".join(world.seen()).split()) == text.strip()


@pytest.mark.parametrize(
    "refusal",
    [
        (403, "Forbidden: bot was blocked by the user"),
        (403, "Forbidden: bot was kicked from the supergroup chat"),
        (400, "Bad Request: not enough rights to send text messages to the chat"),
        (400, "Bad Request: chat not found"),
    ],
)
async def test_what_can_never_arrive_is_said_so(
    world: TelegramWorld, refusal: tuple[int, str]
) -> None:
    code, description = refusal
    world.api.faults.append(Fault(method="sendMessage", code=code, description=description))
    with pytest.raises(Undeliverable, match=description.split(": ")[1][1:]):
        await world.platform.reach(place(11))(Reply(text="hello", nonce="n"))


@pytest.mark.parametrize(
    "fault", [Fault(method="sendMessage", reset=True), Fault(method="sendMessage", body=b"{")]
)
async def test_a_broken_connection_is_tried_again(world: TelegramWorld, fault: Fault) -> None:
    world.api.faults.append(fault)
    await world.say("hello")
    assert world.seen() == ["I heard: hello"]


async def test_a_reply_whose_answer_was_lost_may_arrive_twice(world: TelegramWorld) -> None:
    """The one doubtful moment: Telegram knows no idempotency key."""
    world.api.faults.append(Fault(method="sendMessage", after=True, reset=True))
    await world.say("hello")
    assert world.seen() == ["I heard: hello", "I heard: hello"]


# -- growing replies -----------------------------------------------------------------------
async def grow(world: TelegramWorld, chat: int, *, words: int) -> list[str]:
    """A reply that grows by a word a second, and ends."""
    send = world.platform.reach(place(chat))
    text, ids = "", []
    for n in range(words):
        text = f"{text} word{n}".strip()
        ids = [*await send(Draft(text=text, nonce="n", speaker="Ida"))]
        await world.clock.sleep(1)
    return [*await send(Reply(text=text, nonce="n", speaker="Ida", edit=tuple(ids)))]


async def test_in_private_a_reply_grows_as_a_draft_and_ends_as_a_message(
    quick: TelegramWorld,
) -> None:
    await grow(quick, 11, words=8)
    assert len(quick.api.chats.drafts) >= 3
    assert quick.api.chats.drafts[-1][1].startswith("word0")
    assert len(quick.seen()) == 1
    drafts = {call.params["draft_id"] for call in quick.api.called("sendMessageDraft")}
    assert len(drafts) == 1
    assert "0" not in drafts


async def test_in_groups_a_placeholder_is_edited_at_a_slow_pace(quick: TelegramWorld) -> None:
    ids = await grow(quick, ROOM, words=12)
    assert len(ids) == 1
    [text] = quick.seen(room=True)
    assert text.endswith("word11")
    edits = quick.api.called("editMessageText")
    assert 1 <= len(edits) <= 6
    assert quick.api.refused == 0


async def test_a_server_without_drafts_gets_no_more_of_them(quick: TelegramWorld) -> None:
    quick.api.methods.knows_drafts = False
    await grow(quick, 11, words=6)
    assert len(quick.api.called("sendMessageDraft")) == 1
    assert len(quick.seen()) == 1


async def test_edits_slow_down_when_telegram_asks(quick: TelegramWorld) -> None:
    quick.api.faults.append(
        Fault(method="editMessageText", code=429, description="", parameters={"retry_after": 5})
    )
    await grow(quick, ROOM, words=14)
    assert quick.seen(room=True)[0].endswith("word13")
    assert len(quick.api.called("editMessageText")) <= 5


async def test_a_draft_that_gets_no_reply_is_taken_back(world: TelegramWorld) -> None:
    send = world.platform.reach(place(ROOM))
    await send(Draft(text="words and words and words", nonce="n"))
    await until(lambda: bool(world.seen(room=True)))
    await send(Dropped(nonce="n"))
    assert world.seen(room=True) == []


async def test_it_types_until_the_reply_is_there(world: TelegramWorld) -> None:
    send = world.platform.reach(place(11))
    await send(Thinking())
    await until(lambda: len(world.api.called("sendChatAction")) > 2)
    await send(Reply(text="hello", nonce="n"))
    signs = len(world.api.called("sendChatAction"))
    await asyncio.sleep(0.06)
    assert len(world.api.called("sendChatAction")) <= signs + 1


async def test_a_reply_made_anew_replaces_the_old_one(world: TelegramWorld) -> None:
    await world.say("hello")
    world.model.script = lambda _: "another"
    await world.say("/reroll")
    assert world.seen() == ["another"]


async def test_a_message_that_is_gone_is_sent_anew(world: TelegramWorld) -> None:
    send = world.platform.reach(place(11))
    await send(Reply(text="hello", nonce="n", edit=("4711",)))
    assert world.seen() == ["hello"]


async def test_edits_cover_parts_and_surplus_is_taken_away(world: TelegramWorld) -> None:
    send = world.platform.reach(place(11))
    ids = await send(Reply(text="word " * 1500, nonce="a"))
    assert len(ids) == 2
    assert await send(Reply(text="short", nonce="b", edit=tuple(ids))) == [ids[0]]
    assert world.seen() == ["short"]


async def test_another_personas_words_bear_its_name(world: TelegramWorld) -> None:
    send = world.platform.reach(place(11))
    await send(Reply(text="*hello*", nonce="a", speaker="Mira"))
    assert world.seen() == ["Mira:\nhello"]
    kinds = [(e["type"], e["offset"], e["length"]) for e in world.newest(11)["entities"]]
    assert kinds == [("bold", 0, 5), ("italic", 6, 5)]


async def test_the_programs_own_words_are_not_formatted(world: TelegramWorld) -> None:
    await world.platform.reach(place(11))(Reply(text="/forget *this*", nonce="a"))
    assert world.seen() == ["/forget *this*"]


# -- for one person alone -------------------------------------------------------------------
async def test_a_private_answer_goes_to_the_private_chat(world: TelegramWorld) -> None:
    await world.say("Ida, I keep bees", room=True)
    await world.command("/export", room=True)
    assert world.seen()[-1] == "bower-export.json"
    assert len(world.seen(room=True)) == 1


async def test_without_a_private_chat_the_group_sees_only_how_to_open_one(
    world: TelegramWorld,
) -> None:
    await world.say("Ida, I keep bees", room=True)
    world.api.chats.blocked.add(PEOPLE["Ana"]["id"])
    await world.command("/memories", room=True)
    assert world.seen() == []
    said = world.seen(room=True)[-1]
    assert said == "Ana, I can only answer that in private: open a chat with me first."
    [[button]] = world.newest(ROOM)["reply_markup"]["inline_keyboard"]
    assert button["url"] == "https://t.me/ida_bot?start=private"


async def test_an_anonymous_admin_is_told_why_there_is_no_private_answer(
    world: TelegramWorld,
) -> None:
    sender = {"id": ROOM, "type": "supergroup", "title": "kitchen"}
    await world.deliver("message", world.write("/memories", chat=world.room, sender_chat=sender))
    assert "without being anonymous" in world.seen(room=True)[-1]


async def test_a_button_in_private_is_about_the_group_that_was_asked_in(
    world: TelegramWorld,
) -> None:
    await world.say("a secret for you alone")
    await world.say("Ida, I keep bees", room=True)
    await world.command("/forget this", room=True)
    await world.press_first()
    assert world.heard_of(Press)[0].where.key.chat == str(ROOM)
    assert world.heard_of(Press)[0].where.name == "kitchen"
    assert "Forgotten" in world.seen()[-1]
    assert await world.events() == 2  # the private exchange


async def test_a_button_that_nobody_knows_any_more_is_answered(world: TelegramWorld) -> None:
    await world.say("/forget")
    shown = world.newest(11) if world.seen() else {}
    await world.press(shown, "gone:1", number="old")
    assert "out of date" in world.seen()[-1]
    assert "old" in world.bot.answered


async def test_a_press_too_old_for_telegram_does_no_harm(world: TelegramWorld) -> None:
    await world.say("/privacy")
    world.bot.answered.add("q9")
    await world.press(world.newest(11), "privacy:out", number="q9")
    assert "nothing you write is kept" in world.seen()[-1]


async def test_buttons_and_files_come_with_the_last_part(world: TelegramWorld) -> None:
    reply = Reply(
        text="word " * 1000,
        nonce="n",
        buttons=(Button(label="Yes", data="y", danger=True), Button(label="No", data="n")),
        files=(File(name="a.txt", content=b"hello"),),
    )
    ids = await world.platform.reach(place(11))(reply)
    assert len(ids) == 3
    newest = world.newest(11)
    assert newest["document"]["file_name"] == "a.txt"
    [[yes, no]] = newest["reply_markup"]["inline_keyboard"]
    assert (yes["text"], yes["style"], no["callback_data"]) == ("Yes", "danger", "n")
