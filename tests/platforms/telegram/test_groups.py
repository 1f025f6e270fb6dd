"""Groups change: they move, and the bot comes, goes, and loses its rights."""

import pytest

from bot.messages import Command, Membership, Migrated, Press, Reply, Rights
from bot.world import PlaceKey
from tests.platforms.telegram.fake_bot_api import Fault
from tests.platforms.telegram.fake_chats import Json, group
from tests.platforms.telegram.world import ADMIN_RIGHTS, BOT, PEOPLE, ROOM, TelegramWorld

OLD, NEW = -5000, -1001000000005


@pytest.fixture
def small(world: TelegramWorld) -> Json:
    chats = world.api.chats
    chats.add(group(NEW, "garden"))
    for person in PEOPLE.values():
        world.member(OLD, person, "member")
    return chats.add(group(OLD, "garden"))


def key(chat: int) -> PlaceKey:
    return PlaceKey(platform="telegram", bot_account=str(BOT), chat=str(chat))


async def listen(world: TelegramWorld, chat: Json) -> None:
    await world.deliver("message", world.write("Ida, the key is under the mat", chat=chat))


async def prompts_know_the_key(world: TelegramWorld) -> bool:
    new = world.api.chats.chats[NEW]
    await world.deliver("message", world.write("Ida, where is the key?", chat=new))
    return "under the mat" in "\n".join(line.text for line in world.model.prompts[-1])


@pytest.mark.parametrize("sides", [("old",), ("new",), ("old", "new"), ("new", "old", "old")])
async def test_a_group_that_became_a_supergroup_keeps_its_memory(
    world: TelegramWorld, small: Json, sides: tuple[str, ...]
) -> None:
    await listen(world, small)
    told = {
        "old": world.write("", chat=small, migrate_to_chat_id=NEW),
        "new": world.write("", chat=world.api.chats.chats[NEW], migrate_from_chat_id=OLD),
    }
    world.api.chats.moved[OLD] = NEW
    for side in sides:
        await world.deliver("message", told[side])
    assert {(m.old.chat, m.new.chat) for m in world.heard_of(Migrated)} == {(str(OLD), str(NEW))}
    assert await prompts_know_the_key(world)


async def test_a_send_that_finds_the_group_moved_goes_to_the_new_one(
    world: TelegramWorld, small: Json
) -> None:
    await listen(world, small)
    world.api.chats.moved[OLD] = NEW
    ids = await world.platform.reach(key(OLD))(Reply(text="hello", nonce="n", reply_to="1"))
    assert world.api.chats.texts(NEW) == ["hello"]
    assert len(ids) == 1
    assert [(m.old, m.new) for m in world.heard_of(Migrated)] == [(key(OLD), key(NEW))]
    await world.platform.reach(key(OLD))(Reply(text="again", nonce="m"))
    assert len(world.heard_of(Migrated)) == 1
    assert await prompts_know_the_key(world)


async def test_ids_start_anew_in_a_moved_group_and_are_not_mixed_up(
    world: TelegramWorld, small: Json
) -> None:
    await listen(world, small)
    world.api.chats.moved[OLD] = NEW
    await world.deliver("message", world.write("", chat=small, migrate_to_chat_id=NEW))
    new = world.api.chats.chats[NEW]
    first = world.write("Ida, here?", chat=new)
    assert first["message_id"] == 1
    await world.deliver("message", first)
    assert world.api.chats.texts(NEW, sender=BOT) == ["I heard: Ida, here?"]


def status(kind: str, **more: object) -> Json:
    return {"user": {"id": BOT, "is_bot": True, "first_name": "Ida"}, "status": kind, **more}


FORBIDDEN = (
    "can_send_audios can_send_documents can_send_photos can_send_videos can_send_video_notes "
    "can_send_voice_notes can_send_polls can_send_other_messages can_add_web_page_previews "
    "can_react_to_messages can_edit_tag can_change_info can_invite_users can_pin_messages "
    "can_manage_topics can_send_messages"
)
RESTRICTED: Json = {"is_member": True, "until_date": 0}
RESTRICTED |= dict.fromkeys(FORBIDDEN.split(" "), False)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (status("left"), status("member"), ["joined"]),
        (status("member"), status("left"), ["left"]),
        (status("member"), status("kicked", until_date=0), ["left"]),
        (status("member"), status("restricted", **RESTRICTED), ["left"]),
        (
            status("restricted", **RESTRICTED),
            status("restricted", **RESTRICTED | {"can_send_messages": True}),
            ["joined"],
        ),
        (status("left"), status("kicked", until_date=0), []),
    ],
)
async def test_the_engine_is_told_when_the_bot_may_or_may_not_write(
    world: TelegramWorld, before: Json, after: Json, told: list[str]
) -> None:
    change = {
        "chat": world.room,
        "from": PEOPLE["Ana"],
        "date": world.api.chats.now(),
        "old_chat_member": before,
        "new_chat_member": after,
    }
    await world.deliver("my_chat_member", change)
    memberships = world.heard_of(Membership)
    assert [m.change.value for m in memberships] == told
    assert all(m.author.is_me and m.where.key == key(ROOM) for m in memberships)


async def changed(world: TelegramWorld, chat: Json, before: Json, after: Json) -> None:
    change = {
        "chat": chat,
        "from": PEOPLE["Ana"],
        "date": world.api.chats.now(),
        "old_chat_member": before,
        "new_chat_member": after,
    }
    await world.deliver("my_chat_member", change)


@pytest.mark.parametrize(
    "gone",
    [
        status("left"),
        status("kicked", until_date=0),
        status("restricted", **RESTRICTED),
    ],
)
async def test_where_it_may_not_speak_it_sleeps_without_noise_and_wakes_again(
    world: TelegramWorld, caplog: pytest.LogCaptureFixture, gone: Json
) -> None:
    await world.say("Ida, hello", room=True)
    await changed(world, world.room, status("member"), gone)
    sends = len(world.api.called("sendMessage"))
    await world.say("Ida, are you there", room=True)
    assert len(world.api.called("sendMessage")) == sends
    await changed(world, world.room, gone, status("member"))
    await world.say("Ida, and now?", room=True)
    assert world.seen(room=True) == ["I heard: Ida, hello", "I heard: Ida, and now?"]
    assert not [r for r in caplog.records if r.levelname in ("WARNING", "ERROR")]


async def test_who_blocked_the_bot_is_answered_again_after_unblocking_it(
    world: TelegramWorld,
) -> None:
    await world.say("hello")
    private = world.api.chats.private(PEOPLE["Ana"])
    await changed(world, private, status("member"), status("kicked", until_date=0))
    place = await world.store.place(world.heard_of(Membership)[0].where)
    assert place.asleep
    await changed(world, private, status("kicked", until_date=0), status("member"))
    await world.say("again")
    assert world.seen() == ["I heard: hello", "I heard: again"]


async def test_a_group_that_moves_twice_is_still_one(world: TelegramWorld, small: Json) -> None:
    await listen(world, small)
    third = -1001000000006
    await world.deliver("message", world.write("", chat=small, migrate_to_chat_id=NEW))
    world.api.chats.add(group(third, "garden"))
    new = world.api.chats.chats[NEW]
    await world.deliver("message", world.write("", chat=new, migrate_to_chat_id=third))
    world.api.chats.moved |= {OLD: NEW, NEW: third}
    await world.platform.reach(key(OLD))(Reply(text="hello", nonce="n"))
    assert world.api.chats.texts(third) == ["hello"]
    there = world.api.chats.chats[third]
    await world.deliver("message", world.write("Ida, where is the key?", chat=there))
    assert "under the mat" in "\n".join(line.text for line in world.model.prompts[-1])


async def test_settings_move_along_with_a_group(world: TelegramWorld, small: Json) -> None:
    world.member(OLD, PEOPLE["Ana"], "creator")
    await world.deliver("message", world.write("/settings speak always", chat=small))
    await world.deliver("message", world.write("", chat=small, migrate_to_chat_id=NEW))
    new = world.api.chats.chats[NEW]
    await world.deliver("message", world.write("nobody in particular", chat=new))
    assert world.api.chats.texts(NEW, sender=BOT) == ["I heard: nobody in particular"]


@pytest.mark.parametrize(
    ("status_there", "rights"),
    [
        ("creator", Rights.ADMIN),
        ("administrator", Rights.ADMIN),
        ("member", Rights.MEMBER),
    ],
)
async def test_who_manages_a_group_is_asked_of_telegram(
    world: TelegramWorld, status_there: str, rights: Rights
) -> None:
    world.member(ROOM, PEOPLE["Ana"], status_there)
    await world.say("/about", room=True)
    await world.say("/about", room=True)
    assert [command.rights for command in world.heard_of(Command)] == [rights] * 2
    assert len(world.api.called("getChatMember")) == 1
    world.clock.pass_time(minutes=2)
    await world.say("/about", room=True)
    assert len(world.api.called("getChatMember")) == 2


async def test_where_telegram_does_not_say_nobody_is_an_admin(world: TelegramWorld) -> None:
    world.member(ROOM, PEOPLE["Ana"], "creator")
    world.api.faults.append(Fault(method="getChatMember"))
    await world.say("/about", room=True)
    assert world.heard_of(Command)[0].rights is Rights.MEMBER


async def test_an_anonymous_admin_is_one_only_as_the_group_itself(world: TelegramWorld) -> None:
    same = {"id": ROOM, "type": "supergroup", "title": "kitchen"}
    other = {"id": -1009, "type": "channel", "title": "kitchen"}
    for sender in (same, other):
        message = world.write("/about", chat=world.room, sender_chat=sender)
        await world.deliver("message", message)
    [command] = world.heard_of(Command)
    assert command.rights is Rights.ADMIN
    assert command.author.is_masked


def own_status(world: TelegramWorld, status_there: str) -> None:
    more = dict.fromkeys(ADMIN_RIGHTS, False) if status_there == "administrator" else {}
    found = {"user": world.bot.me, "status": status_there, **more}
    world.api.chats.members[ROOM, BOT] = found


@pytest.mark.parametrize(
    ("reads_all", "there", "said", "warned"),
    [
        (True, "member", "Privacy mode is off", False),
        (False, "administrator", "but the bot is an admin here", False),
        (False, "member", "Privacy mode is on: the bot sees here only", True),
    ],
)
async def test_admins_are_told_what_the_bot_hears(
    world: TelegramWorld, *, reads_all: bool, there: str, said: str, warned: bool
) -> None:
    world.bot.me["can_read_all_group_messages"] = reads_all
    own_status(world, there)
    world.member(ROOM, PEOPLE["Ana"], "creator")
    await world.restart()
    await world.command("/stats", room=True)
    assert said in world.seen()[-1]
    await world.command("/settings speak always", room=True)
    assert ("/setprivacy" in world.seen()[-1]) is warned


async def test_an_operator_is_told_in_private_what_the_bot_hears(world: TelegramWorld) -> None:
    await world.command("/stats", who="Olga")
    assert "Privacy mode is off" in world.seen(who="Olga")[-1]


async def test_in_a_private_chat_nobody_is_an_admin(world: TelegramWorld) -> None:
    await world.say("/privacy")
    await world.press_first()
    assert world.heard_of(Press)[0].rights is Rights.MEMBER
    assert not world.api.called("getChatMember")
