"""Reading SillyTavern chats: headers, chosen answers, dates of many versions, damage."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.errors import ImportFileError
from bot.imports.conversation import Conversation, Reading
from bot.imports.detect import read_conversations
from bot.imports.sillytavern_dates import send_date
from bot.memory import Precision

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
HEADER: dict[str, object] = {
    "user_name": "Ana",
    "character_name": "Mira",
    "create_date": "2023-7-4 @15h 07m 10s 123ms",
}


def message(
    name: str, mes: str, send_date: object = "2023-07-04T15:07:10.123Z", **more: object
) -> dict[str, object]:
    return {"name": name, "is_user": name == "Ana", "mes": mes, "send_date": send_date, **more}


def jsonl(*entries: dict[str, object]) -> str:
    return "\n".join(json.dumps(entry) for entry in entries)


def read(text: str) -> Reading:
    return read_conversations(text.encode(), "chat.jsonl", default_time=NOW)


def conversation(*entries: dict[str, object]) -> Conversation:
    (only,) = read(jsonl(*entries)).conversations
    return only


def test_a_chat_is_read_with_its_speakers() -> None:
    chat = conversation(HEADER, message("Mira", "Hello."), message("Ana", "Hi!"))
    assert [(line.speaker, line.text) for line in chat.lines] == [
        ("Mira", "Hello."),
        ("Ana", "Hi!"),
    ]
    assert chat.archive.startswith("Mira (SillyTavern ")


@pytest.mark.parametrize(
    "written",
    [
        1688483230123,
        "1688483230123",
        1688483230,
        "2023-07-04T15:07:10.123Z",
        "2023-07-04T17:07:10+02:00",
        "July 4, 2023 3:07pm",
        "July 4, 2023 3:07 PM",
        "4 July 2023 15:07",
        "Juli 4, 2023 3:07pm",
        "7月 4, 2023 3:07pm",
        "июль 4, 2023 3:07pm",
        "2023-7-4 @15h 07m 10s 123ms",
        "2023-07-04@15h07m10s",
    ],
)
def test_a_date_is_read_in_every_spelling(written: object) -> None:
    moment = send_date(written, UTC)
    assert moment is not None
    assert moment.replace(second=0, microsecond=0) == datetime(2023, 7, 4, 15, 7, tzinfo=UTC)


def test_a_date_without_a_zone_is_local() -> None:
    moment = send_date("July 4, 2023 3:07pm", timezone(timedelta(hours=2)))
    assert moment == datetime(2023, 7, 4, 13, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    ["", "soon", None, True, [], 1e300, "1e999", "2023-13-4 @15h 07m 10s", "July 40, 2023 3:07pm",
     "2023-7-4 @25h 07m 10s 123ms", "July 4, 2023 3:77pm", "9" * 400],
)  # fmt: skip
def test_a_date_that_is_none_is_not_guessed(written: object) -> None:
    assert send_date(written, UTC) is None


def test_a_message_without_a_date_follows_the_one_before_and_it_is_said() -> None:
    text = jsonl(
        HEADER, message("Mira", "a"), message("Ana", "b", "soon"), message("Mira", "c", "")
    )
    reading = read(text)
    times = [line.at for line in reading.conversations[0].lines]
    assert times == sorted(set(times))
    assert reading.conversations[0].lines[1].precision is Precision.DAY
    assert "2 lines without a readable date follow the line before them (first: line 3)." in (
        reading.warnings
    )


def test_of_several_answers_the_chosen_one_is_read() -> None:
    chat = conversation(HEADER, message("Mira", "two", swipes=["one", "two", "three"], swipe_id=2))
    assert [line.text for line in chat.lines] == ["three"]


@pytest.mark.parametrize("swipe_id", [7, -1, None, "x"])
def test_a_choice_that_is_none_leaves_the_message_as_it_stands(swipe_id: object) -> None:
    chat = conversation(HEADER, message("Mira", "as is", swipes=["one"], swipe_id=swipe_id))
    assert chat.lines[0].text == "as is"


def test_a_group_chat_without_a_header_has_all_its_speakers() -> None:
    chat = conversation(message("Ana", "Hi"), message("Mira", "Hello"), message("Tom", "Hey"))
    assert chat.speakers == ["Ana", "Mira", "Tom"]
    assert chat.archive.startswith("Ana and Mira (")


def test_a_header_with_unused_names_names_nobody() -> None:
    header: dict[str, object] = {
        "chat_metadata": {},
        "user_name": "unused",
        "character_name": "unused",
    }
    chat = conversation(header, message("Mira", "Hello"), message("", "Hm", is_user=True))
    assert chat.speakers == ["Mira", "User"]


def test_notices_and_narration_are_left_out_but_hidden_messages_stay() -> None:
    text = jsonl(
        HEADER,
        message("SillyTavern System", "Welcome!", is_system=True),
        message("Help", "Commands", is_system=True, extra={"type": "help"}),
        message("Narrator", "Night falls.", extra={"type": "narrator"}),
        message("Mira", "Hidden from the prompt", is_system=True),
    )
    reading = read(text)
    assert [line.text for line in reading.conversations[0].lines] == ["Hidden from the prompt"]
    assert reading.skipped == 3


def test_attachments_become_short_descriptions() -> None:
    chat = conversation(
        HEADER,
        message("Ana", "Look", extra={"image": "/user/images/a.png"}),
        message("Ana", "", extra={"file": {"name": "notes.txt"}}),
    )
    assert [line.text for line in chat.lines] == ["Look [picture]", "[file: notes.txt]"]


def test_a_cut_last_line_is_said_and_the_rest_is_read() -> None:
    reading = read(jsonl(HEADER, message("Mira", "Hello"), message("Ana", "Hi"))[:-30])
    assert [line.text for line in reading.conversations[0].lines] == ["Hello"]
    assert any("Line 3, the last one, is cut off" in warning for warning in reading.warnings)


def test_broken_lines_are_skipped_and_counted() -> None:
    lines = [jsonl(HEADER), '{"name": "Mira", "mes": ', "[" * 5000, jsonl(message("Ana", "Hi"))]
    reading = read("\n".join(lines))
    assert [line.text for line in reading.conversations[0].lines] == ["Hi"]
    assert "2 lines left out: not valid JSON (first: line 2)." in reading.warnings


def test_a_chat_without_messages_is_refused_with_a_sentence() -> None:
    with pytest.raises(ImportFileError, match=r"^chat\.jsonl: line 1: no message"):
        read(jsonl(HEADER))


def test_sources_stay_when_the_chat_grows_and_equal_messages_differ() -> None:
    entries = [message("Mira", "Hello"), message("Ana", "ok"), message("Ana", "ok")]
    short = conversation(HEADER, *entries)
    long = conversation(HEADER, *entries, message("Mira", "Good."))
    assert [line.source for line in long.lines[:3]] == [line.source for line in short.lines]
    assert len({line.source for line in long.lines}) == 4


def test_two_chats_with_one_character_share_no_source() -> None:
    other = {**HEADER, "create_date": "2024-1-1 @10h 00m 00s 000ms"}
    first, second = (
        conversation(HEADER, message("Mira", "Hi")),
        conversation(other, message("Mira", "Hi")),
    )
    assert first.lines[0].source != second.lines[0].source
    assert first.archive != second.archive


def test_the_mark_of_a_chat_counts_more_than_its_names() -> None:
    marked: dict[str, object] = {"chat_metadata": {"integrity": "3f-a:b"}, "user_name": "Ana"}
    (line,) = conversation(marked, message("Mira", "Hi")).lines
    assert line.source.startswith("sillytavern:3f-a%3Ab:")
