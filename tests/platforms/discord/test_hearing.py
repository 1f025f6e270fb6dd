"""Talking on Discord: where it happens, and what is read."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from bot.messages import Delete, Described, Edit, Membership, Message, Rename
from bot.ports import Line
from bot.world import AccountKey, PlaceKind
from tests.fakes import dialogue_end, until
from tests.platforms.discord import fake_payloads as make
from tests.platforms.discord.conftest import MakeWorld
from tests.platforms.discord.world import QUICK_DRAFTS, DiscordWorld


def last_heard(world: DiscordWorld) -> Message:
    return next(one for one in reversed(world.heard) if isinstance(one, Message))


# -- places --------------------------------------------------------------------------------
async def test_a_place_is_told_as_it_is(world: DiscordWorld) -> None:
    red = world.fake.add_channel(world.home, "red", nsfw=True)
    await world.restart()
    await world.say("a", channel=world.hall)
    hall = last_heard(world).where
    assert (hall.kind, hall.name, hall.server_name) == (PlaceKind.CHANNEL, "hall", "Home")
    assert not hall.private
    assert not hall.age_restricted
    await world.say("b", channel=world.attic)
    assert last_heard(world).where.private
    await world.say("c", channel=red)
    assert last_heard(world).where.age_restricted
    await world.say("d")
    dm = last_heard(world).where
    assert (dm.kind, dm.server, dm.private) == (PlaceKind.DM, "", False)


@pytest.mark.parametrize("known", [True, False])
async def test_a_thread_is_a_place_of_its_own(world: DiscordWorld, known: bool) -> None:
    thread = world.fake.add_thread(world.hall, "tea", known=known)
    secret = world.fake.add_thread(world.hall, "secret", private=True, known=known)
    await world.restart()
    await world.say("Ida, hello", channel=thread)
    where = last_heard(world).where
    assert (where.kind, where.name, where.private) == (PlaceKind.THREAD, "tea", False)
    assert where.parent == world.hall
    assert where.key == world.key(thread)
    assert world.fake.texts(thread) == ["I heard: Ida, hello"]
    await world.say("Ida, psst", channel=secret)
    assert last_heard(world).where.private


async def test_a_channel_that_becomes_private_is_told_at_once(world: DiscordWorld) -> None:
    channel = world.fake.channels[world.hall]
    hidden = {"id": world.home["id"], "type": 0, "allow": "0", "deny": make.VIEW_CHANNEL}
    world.fake.tell("CHANNEL_UPDATE", {**channel, "permission_overwrites": [hidden]})
    await world.settle()
    assert isinstance(world.heard[-1], Described)
    assert world.heard[-1].where.private
    assert world.heard[-1].where.key == world.key(world.hall)


async def test_all_channels_become_private_with_the_role_of_everybody(world: DiscordWorld) -> None:
    nothing = {"guild_id": world.home["id"], "role": make.role(world.home["id"], "@everyone", "0")}
    world.fake.tell("GUILD_ROLE_UPDATE", nothing)
    await world.settle()
    told = {one.where.name: one.where.private for one in world.heard if isinstance(one, Described)}
    assert told == {"room": True, "hall": True, "attic": True}


async def test_coming_to_and_leaving_a_server_is_told(world: DiscordWorld) -> None:
    guild = world.fake.add_guild("Elsewhere", "Ana")
    world.fake.tell("GUILD_CREATE", {k: v for k, v in guild.items() if k != "unavailable"})
    world.fake.tell("GUILD_DELETE", {"id": guild["id"]})
    await world.settle()
    told = [one for one in world.heard if isinstance(one, Membership)]
    assert [(one.change.value, one.author.is_me) for one in told] == [
        ("joined", True),
        ("left", True),
    ]
    assert told[0].where.server == guild["id"]


async def test_a_server_that_is_away_for_a_while_was_not_left(world: DiscordWorld) -> None:
    world.fake.tell("GUILD_DELETE", {"id": world.home["id"], "unavailable": True})
    await world.settle()
    assert not [one for one in world.heard if isinstance(one, Membership)]


# -- what is read --------------------------------------------------------------------------
async def test_names_stand_for_ids(world: DiscordWorld) -> None:
    ben = world.fake.user("Ben")["id"]
    text = f"tell <@{ben}> in <#{world.room}> <:heron:123> <@&{world.home['id']}> <@!999>"
    await world.say(text, mention=True, channel=world.hall)
    heard = last_heard(world)
    assert heard.text == "tell @Ben in #room :heron: @@everyone @someone"
    assert heard.mentions_me
    assert [one.name for one in heard.mentions] == ["Ben"]


async def test_a_bare_mention_is_answered_too(world: DiscordWorld) -> None:
    await world.fake.say(world.hall, "Ana", f"<@{make.BOT}>")
    await world.settle()
    assert world.fake.texts(world.hall) == ["I heard: @bower"]


async def test_a_small_text_file_is_read_and_a_large_one_named(world: DiscordWorld) -> None:
    await world.fake.say(
        world.fake.dm_of("Ana"),
        "Ana",
        "look",
        files=[
            ("poem.txt", "The herón waits.".encode(), "text/plain; charset=utf-8"),
            ("code.py", b"print(1)", None),
            ("large.txt", b"x" * 40_000, "text/plain"),
            ("binary.txt", b"\x00\x01", "text/plain"),
            ("photo.png", b"png", "image/png"),
        ],
    )
    await world.settle()
    found = last_heard(world).attachments
    assert [one.description for one in found] == [
        'file "poem.txt"',
        'file "code.py"',
        'file "large.txt"',
        'file "binary.txt"',
        'image "photo.png"',
    ]
    assert [one.text for one in found] == ["The herón waits.", "print(1)", "", "", ""]
    assert "The herón waits." in dialogue_end(world.model.prompts[-1])


async def test_voice_stickers_polls_and_embeds_are_described(world: DiscordWorld) -> None:
    dm = world.fake.dm_of("Ana")
    url = world.fake.store_file("1", "v.ogg", b"ogg")
    voice = make.attachment("1", "v.ogg", 3, url, "audio/ogg")
    await world.fake.say(
        dm, "Ana", "", attachments=[{**voice, "duration_secs": 3.7, "waveform": "AA=="}], flags=8192
    )
    await world.fake.say(
        dm, "Ana", "", sticker_items=[{"id": "5", "name": "wave", "format_type": 1}]
    )
    poll = {
        "question": {"text": "Tea?"},
        "answers": [
            {"answer_id": 1, "poll_media": {"text": "yes"}},
            {"answer_id": 2, "poll_media": {"text": "no"}},
        ],
        "expiry": "2026-03-02T12:00:00+00:00",
        "allow_multiselect": False,
        "layout_type": 1,
    }
    await world.fake.say(dm, "Ana", "", poll=poll)
    await world.fake.say(dm, "Ana", "", embeds=[{"type": "rich", "title": "News\n[system]"}])
    await world.settle()
    heard = [one for one in world.heard if isinstance(one, Message)]
    assert [one.attachments[0].description for one in heard] == [
        "voice message, 4 s",
        'sticker "wave"',
        'poll "Tea?": "yes", "no"',
        'embed "News (system)"',
    ]
    assert len(world.fake.texts(dm)) >= 1


async def test_an_event_that_cannot_be_read_stops_nothing(
    world: DiscordWorld, caplog: pytest.LogCaptureFixture
) -> None:
    broken: dict[str, object] = {
        "question": {"text": "Tea?"},
        "answers": [],
        "expiry": None,
        "layout_type": 1,
    }
    with caplog.at_level(logging.ERROR):
        await world.fake.say(world.fake.dm_of("Ana"), "Ana", "", poll=broken)
        await world.say("hello")
    assert world.seen() == ["I heard: hello"]
    assert "MESSAGE_CREATE" in caplog.text
    assert len(world.fake.identified) == 1


async def test_what_is_forwarded_is_not_the_senders_own(world: DiscordWorld) -> None:
    snapshot = make.message("1", "2", world.fake.user("Ben"), "the tide is high", world.clock.now())
    await world.fake.say(
        world.fake.dm_of("Ana"),
        "Ana",
        "",
        message_snapshots=[{"message": snapshot}],
        message_reference={"type": 1, "message_id": "1", "channel_id": "2"},
    )
    await world.settle()
    heard = last_heard(world)
    assert heard.forwarded
    assert heard.text == "the tide is high"
    assert not heard.replies_to_me
    assert heard.forwarded_from is None


async def test_whose_words_are_forwarded_is_looked_up(world: DiscordWorld) -> None:
    said = await world.say("the tide is high", who="Ben", channel=world.hall)
    await world.fake.say(
        world.fake.dm_of("Ana"),
        "Ana",
        "",
        message_snapshots=[{"message": world.fake.messages[said]}],
        message_reference={"type": 1, "message_id": said, "channel_id": world.hall},
    )
    await world.settle()
    who = last_heard(world).forwarded_from
    assert who is not None
    assert who.name == "Ben"


async def test_quoted_words_of_somebody_who_opted_out_reach_no_model(world: DiscordWorld) -> None:
    await world.store.opt_out(
        AccountKey(platform="discord", user=world.fake.user("Ben")["id"]), world.clock.now()
    )
    said = await world.say("the tide is high", who="Ben", channel=world.hall)
    await world.fake.say(world.hall, "Ana", "Ida, is it?", reply_to=said)
    await world.settle()
    assert world.fake.texts(world.hall) == ["I heard: Ida, is it?"]
    assert not any("tide" in line.text for prompt in world.model.prompts for line in prompt)


@pytest.mark.parametrize("kind", [6, 7, 8, 18, 21, 46])
async def test_notices_of_discord_are_nobodys_words(world: DiscordWorld, kind: int) -> None:
    await world.fake.say(world.fake.dm_of("Ana"), "Ana", "", type=kind)
    await world.settle()
    assert world.heard == []


async def test_a_reply_says_what_it_answers(world: DiscordWorld) -> None:
    said = await world.say("the tide is high", who="Ben", channel=world.hall)
    await world.fake.say(world.hall, "Ana", "Ida, is it?", reply_to=said)
    await world.settle()
    assert last_heard(world).quoted == "the tide is high"
    who = last_heard(world).quoted_from
    assert who is not None
    assert (who.name, who.account.user) == ("Ben", world.fake.user("Ben")["id"])
    assert last_heard(world).reply_to == said
    assert not last_heard(world).replies_to_me


async def test_a_reply_is_looked_up_where_discord_does_not_show_it(world: DiscordWorld) -> None:
    await world.say("Ida, hello", channel=world.hall)
    reply = next(reversed(world.fake.messages))
    reference = {"type": 0, "message_id": reply, "channel_id": world.hall}
    await world.fake.say(world.hall, "Ana", "and?", type=19, message_reference=reference)
    await world.settle()
    assert last_heard(world).replies_to_me


# -- edits and deletes ---------------------------------------------------------------------
async def test_a_link_preview_is_no_edit(world: DiscordWorld) -> None:
    message = await world.say("see https://example.org")
    embeds = [{"type": "link", "title": "Example"}]
    world.fake.told("MESSAGE_UPDATE", {**world.fake.messages[message], "embeds": embeds})
    await world.settle()
    assert not [one for one in world.heard if isinstance(one, Edit)]


async def test_many_deletes_at_once_are_one(world: DiscordWorld) -> None:
    first = await world.say("one")
    second = await world.say("two")
    assert await world.events() == 4
    world.fake.bulk_delete(world.fake.dm_of("Ana"), [first, second])
    await world.settle()
    deletes = [one for one in world.heard if isinstance(one, Delete)]
    assert [set(one.ids) for one in deletes] == [{first, second}]
    assert await world.events() == 0


async def test_what_is_deleted_while_it_is_answered_gets_no_reply(make_world: MakeWorld) -> None:
    world = await make_world(pace=QUICK_DRAFTS)
    go_on = asyncio.Event()

    async def slow(lines: Sequence[Line]) -> str:
        del lines
        await go_on.wait()
        return "too late"

    world.model.script = slow
    message = await world.fake.say(world.fake.dm_of("Ana"), "Ana", "hello")
    await until(lambda: bool(world.model.prompts))
    world.fake.delete(message)
    await until(lambda: any(isinstance(one, Delete) for one in world.heard))
    await asyncio.sleep(0.05)
    go_on.set()
    await world.settle()
    assert world.seen() == []
    assert await world.events() == 0


async def test_names_are_followed(world: DiscordWorld) -> None:
    ana = world.fake.user("Ana")
    await world.say("hello")
    renamed = {**make.member(ana, nick="Anouk"), "guild_id": world.home["id"]}
    world.fake.tell("GUILD_MEMBER_UPDATE", renamed)
    await world.settle()
    globally = {**ana, "global_name": "Ana Maria"}
    world.fake.tell("GUILD_MEMBER_UPDATE", {**make.member(globally), "guild_id": world.home["id"]})
    await world.settle()
    renames = [one for one in world.heard if isinstance(one, Rename)]
    assert (renames[0].name, renames[0].server) == ("Anouk", world.home["id"])
    assert ("Ana Maria", "") in {(one.name, one.server) for one in renames}
