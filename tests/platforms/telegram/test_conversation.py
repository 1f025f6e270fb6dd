"""Who is answered where, and what the engine is told of it."""

import re
from typing import Any

import pytest

from bot.messages import Command, Edit, Membership, Message
from bot.world import PlaceKind
from tests.platforms.contract import PERSONA
from tests.platforms.telegram.fake_chats import BOT_GROUP_ADMIN, SERVICE, Json, group
from tests.platforms.telegram.world import BOT, PEOPLE, ROOM, TelegramWorld

FORUM = -1001000000002


def last(world: TelegramWorld) -> Message:
    return world.heard_of(Message)[-1]


def photo(caption: str | None = None) -> Json:
    size = {"file_id": "p", "file_unique_id": "p", "width": 1, "height": 1}
    return {"photo": [size], "caption": caption}


@pytest.mark.parametrize("payload", ["", "private", "nobody", "link", "😀 (x)"])
async def test_start_greets_in_character(world: TelegramWorld, payload: str) -> None:
    await world.say(f"/start {payload}")
    assert world.seen() == ["Evening."]
    assert await world.events() == 0


async def test_a_link_may_name_the_persona_that_speaks_from_then_on(world: TelegramWorld) -> None:
    await world.say("/start mira")
    await world.say("hello")
    assert world.seen() == ["Mira:\nGood day.", "Mira:\nI heard: hello"]
    await world.say("/start")
    assert world.seen()[-1] == "Mira:\nGood day."
    await world.say("/start Ida")
    await world.say("hello")
    assert world.seen()[-2:] == ["Evening.", "I heard: hello"]


async def test_in_a_group_a_link_does_not_choose_who_speaks(world: TelegramWorld) -> None:
    await world.say("/start@ida_bot mira", room=True)
    await world.say("Ida, hello", room=True)
    assert world.seen(room=True) == ["Evening.", "I heard: Ida, hello"]


async def test_a_bot_with_a_persona_of_its_own_stays_that_one(world: TelegramWorld) -> None:
    await world.stop()
    world.plays = PERSONA.key
    await world.start()
    await world.say("/start mira")
    await world.say("hello")
    assert world.seen() == ["Evening.", "I heard: hello"]


async def test_a_link_may_carry_a_code_of_another_account(world: TelegramWorld) -> None:
    await world.say("/link", who="Ben")
    [code] = re.findall(r"Your code: (\w+)", world.seen(who="Ben")[-1])
    await world.say(f"/start link-{code}")
    assert "The other account is Ben" in world.seen()[-1]
    await world.say(f"/start@ida_bot link-{code}", room=True)
    await world.say(f"/start link-{code}")
    assert "void" in world.seen()[-1]


async def test_commands_for_another_bot_are_not_ours(world: TelegramWorld) -> None:
    await world.say("/help@otto_bot", room=True)
    await world.say("/nonsense", room=True)
    assert world.seen(room=True) == []
    assert world.heard == []


async def test_a_command_for_this_bot_is_run_wherever_its_name_is_written(
    world: TelegramWorld,
) -> None:
    await world.say("/about@Ida_Bot", room=True)
    assert "played by a program" in world.seen(room=True)[0]


async def test_what_is_wrong_with_a_command_is_said(world: TelegramWorld) -> None:
    await world.say("/forget nothing")
    await world.say("/nonsense")
    assert "/forget [this|hour|everything]" in world.seen()[0]
    assert "/help lists them" in world.seen()[1]


async def test_a_command_knows_the_message_it_replies_to(world: TelegramWorld) -> None:
    await world.say("hello")
    reply = world.newest(PEOPLE["Ana"]["id"])
    await world.deliver("message", world.write("/forget this", reply_to_message=reply))
    command = world.heard_of(Command)[0]
    assert command.reply_to == str(reply["message_id"])
    assert command.options == {"what": "this"}


async def test_a_mention_is_read_as_the_bots_name(world: TelegramWorld) -> None:
    await world.say("@IDA_bot, tea?", room=True)
    assert last(world).mentions_me
    assert last(world).text == "Ida, tea?"
    await world.say("@other_bot, tea?", room=True)
    assert not last(world).mentions_me


async def test_a_person_without_username_is_mentioned_by_account(world: TelegramWorld) -> None:
    entity = {"type": "text_mention", "offset": 4, "length": 3, "user": PEOPLE["Ben"]}
    await world.deliver("message", world.write("ask Ben", entities=[entity]))
    assert [author.name for author in last(world).mentions] == ["Ben"]


async def test_topics_are_places_of_their_own(world: TelegramWorld) -> None:
    forum = world.api.chats.add(group(FORUM, "island", is_forum=True))
    opened = world.write(
        "",
        chat=forum,
        forum_topic_created={"name": "tides", "icon_color": 1},
        message_thread_id=7,
        is_topic_message=True,
    )
    said = world.write(
        "@ida_bot when?",
        chat=forum,
        message_thread_id=7,
        is_topic_message=True,
        reply_to_message=opened,
    )
    general = world.write("@ida_bot and here?", chat=forum)
    await world.deliver("message", said, general)
    in_topic, in_general = world.heard_of(Message)
    assert in_topic.where.key.thread == "7"
    assert (in_topic.where.name, in_topic.where.kind) == ("tides", PlaceKind.TOPIC)
    assert (in_topic.reply_to, in_topic.quoted) == (None, "")
    assert in_general.where.key.thread == ""
    assert in_topic.where.server == in_general.where.server == str(FORUM)
    threads = [call.params.get("message_thread_id") for call in world.api.called("sendMessage")]
    assert sorted(threads, key=str) == ["7", None]
    actions = [c.params.get("message_thread_id") for c in world.api.called("sendChatAction")]
    assert "7" in actions


async def test_a_chain_of_replies_outside_a_forum_is_no_topic(world: TelegramWorld) -> None:
    await world.deliver("message", world.write("Ida?", chat=world.room, message_thread_id=3))
    assert last(world).where.key.thread == ""
    assert "message_thread_id" not in world.api.called("sendMessage")[-1].params


async def test_an_album_is_one_message_with_all_captions(world: TelegramWorld) -> None:
    parts = [
        world.write("", media_group_id="77", **photo(caption))
        for caption in ("the lamp", None, "the stairs")
    ]
    await world.deliver("message", *parts)
    [album] = world.heard_of(Message)
    assert album.text == "the lamp\nthe stairs"
    assert [a.description for a in album.attachments] == ["photo"] * 3
    assert len(world.seen()) == 1


async def test_a_part_that_comes_late_changes_its_album(world: TelegramWorld) -> None:
    first, late = (world.write("", media_group_id="77", **photo(c)) for c in ("one", "two"))
    await world.deliver("message", first)
    await world.deliver("message", late)
    assert world.heard_of(Message)[0].text == "one"
    [edit] = world.heard_of(Edit)
    assert edit.message.text == "one\ntwo"
    assert edit.message.id == world.heard_of(Message)[0].id
    assert len(world.seen()) == 1


async def test_an_edited_caption_changes_the_whole_album(world: TelegramWorld) -> None:
    parts = [world.write("", media_group_id="77", **photo(c)) for c in ("one", "two")]
    await world.deliver("message", *parts)
    parts[1]["caption"] = "three"
    await world.deliver("edited_message", parts[1] | {"edit_date": world.api.chats.now()})
    assert world.heard_of(Edit)[0].message.text == "one\nthree"


async def test_what_is_said_after_an_album_is_read_after_it(world: TelegramWorld) -> None:
    album = world.write("", media_group_id="77", **photo("the lamp"))
    await world.deliver("message", album, world.write("what do you think?"))
    assert [message.text for message in world.heard_of(Message)] == [
        "the lamp",
        "what do you think?",
    ]
    assert world.seen() == ["I heard: what do you think?"]


async def test_forwarded_words_are_not_the_senders(world: TelegramWorld) -> None:
    origin = {"type": "hidden_user", "date": 1, "sender_user_name": "Cleo"}
    await world.deliver("message", world.write("the sea is rising", forward_origin=origin))
    assert last(world).forwarded
    await world.deliver("message", world.write("/help", forward_origin=origin))
    assert not world.heard_of(Command)


async def test_whose_words_come_from_elsewhere_is_known_where_it_is_shown(
    world: TelegramWorld,
) -> None:
    origin = {"type": "user", "date": 1, "sender_user": PEOPLE["Ben"]}
    await world.deliver("message", world.write("the sea is rising", forward_origin=origin))
    forwarded_from = last(world).forwarded_from
    assert forwarded_from is not None
    assert forwarded_from.account.user == str(PEOPLE["Ben"]["id"])
    quoting = world.write(
        "is it?",
        external_reply={"origin": origin},
        quote={"text": "the sea is rising", "position": 0},
    )
    await world.deliver("message", quoting)
    assert last(world).quoted_from == forwarded_from
    passed_on = world.write("the sea is rising", who="Ana", forward_origin=origin)
    await world.deliver("message", world.write("is it?", reply_to_message=passed_on))
    assert last(world).quoted_from == forwarded_from


async def test_a_reply_carries_what_it_answers(world: TelegramWorld) -> None:
    earlier = world.write("the key is under the mat", who="Ben", chat=world.room)
    reply = world.write("Ida, true?", chat=world.room, reply_to_message=earlier)
    await world.deliver("message", reply)
    assert last(world).quoted == "the key is under the mat"
    who = last(world).quoted_from
    assert who is not None
    assert who.name == "Ben"
    assert last(world).reply_to == str(earlier["message_id"])
    quote = {"text": "under the mat", "position": 11}
    await world.deliver(
        "message",
        world.write("Ida?", chat=world.room, reply_to_message=earlier, quote=quote),
    )
    assert last(world).quoted == "under the mat"


@pytest.mark.parametrize(
    "content",
    [
        {"sender_chat": {"id": ROOM, "type": "supergroup", "title": "kitchen"}},
        {"sender_chat": {"id": -1009, "type": "channel", "title": "News"}},
        {
            "sender_chat": {"id": -1009, "type": "channel", "title": "News"},
            "is_automatic_forward": True,
            "from": {"id": SERVICE, "is_bot": False, "first_name": "Telegram"},
        },
        {"from": {"id": BOT_GROUP_ADMIN, "is_bot": True, "first_name": "Group"}},
        {"via_bot": {"id": 5, "is_bot": True, "first_name": "gif", "username": "gif"}},
    ],
)
async def test_who_is_no_person_is_not_answered(
    world: TelegramWorld, content: dict[str, Any]
) -> None:
    message = world.write("Ida, hello", chat=world.room) | content
    await world.deliver("message", message)
    assert last(world).author.is_masked
    assert world.seen(room=True) == []
    assert await world.events() == 0


async def test_a_moving_location_is_no_edit(world: TelegramWorld) -> None:
    where = {"latitude": 1.0, "longitude": 2.0}
    message = world.write("", location=where)
    await world.deliver("message", message)
    await world.deliver("edited_message", message | {"edit_date": 1})
    assert last(world).attachments[0].description == "location"
    assert not world.heard_of(Edit)


async def test_a_small_text_file_is_read_in_a_private_chat(world: TelegramWorld) -> None:
    world.api.chats.files["f1"] = b"tide at six"
    file = {"file_id": "f1", "file_unique_id": "f1", "file_name": "log.txt", "file_size": 11}
    await world.deliver("message", world.write("", document=file, caption="read it"))
    assert last(world).attachments[0].text == "tide at six"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"voice": {"file_id": "v", "file_unique_id": "v", "duration": 12}}, "voice message, 12 s"),
        ({"dice": {"emoji": "🎲", "value": 4}}, "🎲 that shows 4"),
        ({"contact": {"phone_number": "+1555", "first_name": "Cleo"}}, 'contact "Cleo"'),
        (
            {
                "sticker": {
                    "file_id": "s",
                    "file_unique_id": "s",
                    "type": "regular",
                    "width": 1,
                    "height": 1,
                    "is_animated": False,
                    "is_video": False,
                    "emoji": "😀",
                }
            },
            "sticker 😀",
        ),
    ],
)
async def test_what_is_no_text_is_described(world: TelegramWorld, content: Json, said: str) -> None:
    await world.deliver("message", world.write("", **content))
    assert [a.description for a in last(world).attachments] == [said]


async def test_who_came_and_left_is_told(world: TelegramWorld) -> None:
    ben = PEOPLE["Ben"]
    await world.deliver(
        "message",
        world.write("", chat=world.room, new_chat_members=[ben, world.bot.me]),
        world.write("", chat=world.room, left_chat_member=ben),
    )
    told = world.heard_of(Membership)
    assert [(m.author.name, m.change.value) for m in told] == [("Ben", "joined"), ("Ben", "left")]
    assert all(m.author.account.user != str(BOT) for m in told)
