"""Reading DiscordChatExporter's JSON: authors, mentions, attachments, forwards, damage."""

import json
from datetime import UTC, datetime

import pytest

from bot.errors import ImportFileError
from bot.imports.conversation import Conversation, Reading
from bot.imports.detect import read_conversations
from bot.world import AccountKey

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def author(
    user: str = "1", name: str = "ana", nickname: str | None = "Ana", *, bot: bool = False
) -> dict[str, object]:
    return {"id": user, "name": name, "nickname": nickname, "discriminator": "0000", "isBot": bot}


def message(number: int, content: str = "hi", **more: object) -> dict[str, object]:
    return {
        "id": str(number),
        "type": "Default",
        "timestamp": "2023-07-04T15:07:10.123+02:00",
        "content": content,
        "author": author(),
        "attachments": [],
        "embeds": [],
        "stickers": [],
        "mentions": [],
        **more,
    }


def export(*messages: object, **more: object) -> dict[str, object]:
    return {
        "guild": {"id": "9", "name": "Harbour"},
        "channel": {"id": "55", "type": "GuildTextChat", "name": "pier"},
        "messages": list(messages),
        **more,
    }


def read(document: object) -> Reading:
    return read_conversations(json.dumps(document).encode(), "pier.json", default_time=NOW)


def conversation(*messages: object, **more: object) -> Conversation:
    (only,) = read(export(*messages, **more)).conversations
    return only


def text_of(content: str = "", **more: object) -> str:
    return conversation(message(1, content, **more)).lines[0].text


def test_a_channel_is_read_with_ids_times_and_replies() -> None:
    reference = {"messageId": "1", "channelId": "55", "guildId": "9"}
    pier = conversation(message(1), message(2, "yes", type="Reply", reference=reference))
    first, second = pier.lines
    assert pier.archive == "Harbour, #pier (Discord 55)"
    assert first.at == datetime(2023, 7, 4, 13, 7, 10, 123000, tzinfo=UTC)
    assert (first.source, second.source) == ("discord:55:1", "discord:55:2")
    assert (second.origin, second.reply_to) == ("2", "1")


def test_a_direct_conversation_is_named_by_its_people() -> None:
    direct = conversation(
        message(1),
        guild={"id": "0", "name": "Direct Messages"},
        channel={"id": "56", "type": "DirectTextChat", "name": "Ben"},
    )
    assert direct.archive == "Ben (Discord 56)"


def test_the_nickname_is_shown_and_the_account_is_the_identity() -> None:
    pier = conversation(
        message(1, author=author("1", "alex1", "Alex")),
        message(2, author=author("2", "alex2", "Alex")),
        message(3, author=author("1", "alex1", "Captain")),
        message(4, author=author("3", "cem", None)),
    )
    assert [line.speaker for line in pier.lines] == ["Alex", "Alex#2", "Alex", "cem"]
    assert pier.accounts["Alex#2"] == AccountKey(platform="discord", user="2")


def test_bots_and_each_name_of_a_webhook_are_speakers_without_accounts() -> None:
    pier = conversation(
        message(1, author=author("7", "Mira", None, bot=True)),
        message(2, author=author("7", "Tom", None, bot=True)),
        message(3),
    )
    assert pier.speakers == ["Mira", "Tom", "Ana"]
    assert pier.bots == {"Mira", "Tom"}
    assert set(pier.accounts) == {"Ana"}


def test_mentions_and_emoji_are_written_as_people_read_them() -> None:
    mentions = [author("2", "ben", "Ben")]
    text = text_of("<@2> and <@!3> <:wave:123> <a:dance:4>", mentions=mentions)
    assert text == "@Ben and @someone :wave: :dance:"


def test_what_is_shown_becomes_a_short_description() -> None:
    text = text_of(
        "look",
        attachments=[{"fileName": "Boat.PNG"}, {"fileName": "plan.pdf"}, {}],
        stickers=[{"name": "Wave"}],
        embeds=[{"title": "Tides", "description": "High\nwater"}, {"title": ""}],
    )
    assert text.splitlines() == [
        "look",
        "[picture: Boat.PNG]",
        "[file: plan.pdf]",
        "[file: unnamed]",
        "[sticker: Wave]",
        "[link: Tides High water]",
    ]


def test_a_forwarded_message_is_not_the_senders_word() -> None:
    (line,) = conversation(
        message(
            1,
            "",
            reference={"type": "Forward", "messageId": "99"},
            forwardedMessage={"content": "storm", "attachments": [{"fileName": "map.jpg"}]},
        )
    ).lines
    assert line.text == "[forwarded] storm\n[picture: map.jpg]"
    assert (line.forwarded, line.reply_to) == (True, "")


def test_notices_empty_and_repeated_messages_are_left_out_and_counted() -> None:
    reading = read(
        export(
            message(1),
            message(2, "Joined the server.", type="GuildMemberJoin"),
            message(3, ""),
            message(1, "again"),
            "nonsense",
        )
    )
    assert [line.text for line in reading.conversations[0].lines] == ["hi"]
    assert reading.skipped == 4
    assert "1 line left out: a notice of Discord (first: message 2)." in reading.warnings


def test_a_message_with_a_broken_time_follows_the_one_before() -> None:
    first, second = conversation(message(1), message(2, timestamp="soon")).lines
    assert first.at < second.at


def test_a_channel_without_messages_is_refused_with_a_sentence() -> None:
    with pytest.raises(ImportFileError, match=r"^pier\.json: line 1: the channel has no message"):
        read(export())
