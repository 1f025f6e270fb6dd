"""Reading Telegram's export: rich texts, media, forwards, services, accounts, damage."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.errors import ImportFileError
from bot.imports.conversation import Conversation, Reading
from bot.imports.detect import read_conversations
from bot.memory import Precision
from bot.world import AccountKey

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def message(
    number: int, text: object = "hi", sender: object = "Ana", **more: object
) -> dict[str, object]:
    return {
        "id": number,
        "type": "message",
        "date": "2023-10-15T14:30:00",
        "date_unixtime": "1697373000",
        "from": sender,
        "from_id": f"user{sum(str(sender).encode())}",
        "text": text,
        **more,
    }


def chat(*messages: object, **more: object) -> dict[str, object]:
    return {"name": "Family", "type": "private_group", "id": 77, "messages": list(messages), **more}


def read(document: object, default_time: datetime = NOW) -> Reading:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return read_conversations(data, "result.json", default_time=default_time)


def conversation(*messages: object, **more: object) -> Conversation:
    (only,) = read(chat(*messages, **more)).conversations
    return only


def text_of(**more: object) -> str:
    return conversation(message(1, **more)).lines[0].text


def test_a_single_chat_is_read_with_ids_and_exact_times() -> None:
    family = conversation(message(5), message(6, "yes", "Ben", reply_to_message_id=5))
    first, second = family.lines
    assert family.archive == "Family (Telegram chat77)"
    assert first.at == datetime(2023, 10, 15, 12, 30, tzinfo=UTC)
    assert (first.source, second.source) == ("telegram:chat77:5", "telegram:chat77:6")
    assert (second.origin, second.reply_to, second.text) == ("6", "5", "yes")


def test_a_full_export_has_all_its_chats() -> None:
    full = {
        "about": "…",
        "contacts": {"list": [{"first_name": "Cem"}]},
        "chats": {"list": [chat(message(1)), chat(message(1), id=78, name="Work")]},
        "left_chats": {"list": [chat(message(1), id=79, name="Old", type="public_supergroup")]},
    }
    archives = [each.archive for each in read(full).conversations]
    assert archives == [
        "Family (Telegram chat77)",
        "Work (Telegram chat78)",
        "Old (Telegram channel79)",
    ]


def test_a_group_that_becomes_public_stays_the_same_conversation() -> None:
    private = conversation(message(1), type="private_supergroup")
    public = conversation(message(1), type="public_supergroup")
    assert private.lines[0].source == public.lines[0].source


def test_saved_messages_have_no_name_of_their_own() -> None:
    document = chat(message(1), type="saved_messages")
    del document["name"]
    assert read(document).conversations[0].archive == "Saved Messages (Telegram user77)"


def test_a_text_of_parts_is_joined() -> None:
    parts = [
        "see ",
        {"type": "link", "text": "example.org"},
        {"type": "bold", "text": " now"},
        3,
        None,
    ]
    assert text_of(text=parts) == "see example.org now3"
    entities = [{"type": "plain", "text": "only here"}]
    assert text_of(text="", text_entities=entities) == "only here"


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"photo": "photos/a.jpg"}, "[photo]"),
        ({"media_type": "sticker", "file": "a.webp", "sticker_emoji": "🙂"}, "[sticker 🙂]"),
        (
            {"media_type": "voice_message", "file": "a.ogg", "duration_seconds": 12},
            "[voice message, 12 s]",
        ),
        ({"media_type": "video_file", "file": "a.mp4"}, "[video]"),
        ({"media_type": "audio_file", "performer": "P", "title": "T"}, "[audio: P, T]"),
        ({"file": "files/plan.pdf"}, "[file: plan.pdf]"),
        ({"file": "(File not included.)"}, "[file]"),
        ({"location_information": {"latitude": 1.5, "longitude": 2}}, "[location]"),
        ({"place_name": "Pier", "location_information": {}}, "[place: Pier]"),
        ({"contact_information": {"first_name": "Cem", "phone_number": "+1"}}, "[contact: Cem]"),
        (
            {"poll": {"question": "When?", "answers": [{"text": "Mon"}, {"text": "Tue"}]}},
            "[poll: When? Mon / Tue]",
        ),
        ({"game_title": "Chess"}, "[game: Chess]"),
    ],
)
def test_media_become_short_descriptions(more: dict[str, object], text: str) -> None:
    assert text_of(text="", **more) == text
    assert text_of(text="look", **more) == f"look\n{text}"


def test_forwarded_text_is_not_the_senders_word() -> None:
    lines = conversation(
        message(1, "it burns", forwarded_from="News"),
        message(2, "x", forwarded_from=None),
        message(3),
    ).lines
    assert [line.text for line in lines] == [
        "[forwarded from News] it burns",
        "[forwarded from someone] x",
        "hi",
    ]
    assert [line.forwarded for line in lines] == [True, True, False]


def test_services_empty_and_repeated_messages_are_left_out_and_counted() -> None:
    service = {"id": 2, "type": "service", "actor": "Ana", "action": "create_group", "text": ""}
    reading = read(
        chat(message(1), service, message(3, ""), message(1, "again"), {"type": "unsupported"})
    )
    assert [line.text for line in reading.conversations[0].lines] == ["hi"]
    assert reading.skipped == 4
    assert "1 line left out: a notice of Telegram (first: message 2 in Family)." in reading.warnings


def test_accounts_are_known_and_namesakes_told_apart() -> None:
    family = conversation(
        message(1, sender="Alex", from_id="user10"),
        message(2, sender="Alex", from_id="user20"),
        message(3, sender="Alex", from_id="user10"),
        message(4, sender="News", from_id="channel30"),
        message(5, sender="Old", from_id=40),
        message(6, sender="Group", from_id=4294967297),
    )
    assert [line.speaker for line in family.lines[:3]] == ["Alex", "Alex#2", "Alex"]
    assert family.accounts == {
        "Alex": AccountKey(platform="telegram", user="10"),
        "Alex#2": AccountKey(platform="telegram", user="20"),
        "Old": AccountKey(platform="telegram", user="40"),
    }


def test_one_account_with_two_names_is_one_speaker() -> None:
    family = conversation(
        message(1, sender="Ana", from_id="user1"), message(2, sender="Ana B", from_id="user1")
    )
    assert family.speakers == ["Ana"]


def test_deleted_accounts_have_a_label_each() -> None:
    family = conversation(
        message(1, sender=None, from_id="user1"),
        message(2, sender=None, from_id="user2"),
    )
    assert family.speakers == ["Deleted account", "Deleted account#2"]


def test_the_other_side_of_a_chat_with_a_bot_is_a_bot() -> None:
    talk = conversation(
        message(1, sender="Ana", from_id="user1"),
        message(2, sender="Mira", from_id="user77"),
        type="bot_chat",
        name="Mira",
    )
    assert talk.bots == {"Mira"}
    assert set(talk.accounts) == {"Ana"}


def test_without_the_exact_time_the_local_one_counts() -> None:
    zone = timezone(timedelta(hours=2))
    document = chat(message(1, date_unixtime=None))
    (line,) = read(document, NOW.astimezone(zone)).conversations[0].lines
    assert line.at == datetime(2023, 10, 15, 12, 30, tzinfo=UTC)


def test_a_message_without_a_date_follows_the_one_before() -> None:
    family = conversation(
        message(1),
        message(2, date="soon", date_unixtime="x"),
        message(3, date=None, date_unixtime="9" * 30),
    )
    first, second, third = family.lines
    assert first.at < second.at < third.at < first.at + timedelta(minutes=1)
    assert second.precision is Precision.DAY


def test_the_exporters_own_escapes_are_read() -> None:
    data = json.dumps(chat(message(1, "a@b"))).replace("a@b", r"a\x1Fb \\x1F").encode()
    assert read(data).conversations[0].lines[0].text == r"ab \x1F"


def test_halves_of_characters_and_controls_never_reach_the_text() -> None:
    assert text_of(text="a\ud83d\u0000b\u202ec\r\nd") == "abc\nd"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (json.dumps(chat(message(1))).encode()[:-40], r"line 1, column \d+: not valid JSON"),
        (b'{"messages": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"id": ' + b"9" * 5000 + b"}", "number that no chat has"),
        (json.dumps(chat()).encode(), "none of its 1 chats"),
        (b'{"hello": 1}', "an export that Bower reads"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_a_sentence(data: bytes, words: str) -> None:
    with pytest.raises(ImportFileError, match=rf"^result\.json: .*{words}"):
        read(data)
