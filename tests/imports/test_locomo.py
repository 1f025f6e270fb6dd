"""Reading LoCoMo files: dated sessions, pictures, ids that evidence points to."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import ImportFileError
from bot.imports.locomo import is_locomo, read_locomo
from bot.memory import Precision

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def turn(speaker: str, text: str, dia_id: str = "", **more: str) -> dict[str, str]:
    return {"speaker": speaker, "text": text, **({"dia_id": dia_id} if dia_id else {}), **more}


def sample(**sessions: object) -> dict[str, object]:
    return {"sample_id": "conv-1", "conversation": {"speaker_a": "Ana", **sessions}}


def test_turns_are_dated_by_their_session_and_a_minute_each() -> None:
    document = sample(
        session_1_date_time="1:56 pm on 8 May, 2023",
        session_1=[turn("Ana", "Hi", "D1:1"), turn("Ben", "Hello", "D1:2")],
    )
    (conversation,) = read_locomo([document], "f", default_time=NOW).conversations
    assert [line.at for line in conversation.lines] == [
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        datetime(2023, 5, 8, 13, 57, tzinfo=UTC),
    ]
    assert conversation.speakers == ["Ana", "Ben"]


@pytest.mark.parametrize(
    ("written", "hour"), [("12:48 am on 1 February, 2023", 0), ("12:09 pm on 1 February, 2023", 12)]
)
def test_twelve_oclock_is_midnight_or_noon(written: str, hour: int) -> None:
    document = sample(session_1_date_time=written, session_1=[turn("Ana", "Hi", "D1:1")])
    (conversation,) = read_locomo(document, "f", default_time=NOW).conversations
    assert conversation.lines[0].at.hour == hour


def test_sessions_follow_their_numbers_not_their_place_in_the_file() -> None:
    document = sample(
        session_10_date_time="1:00 pm on 8 May, 2023",
        session_10=[turn("Ana", "tenth", "D10:1")],
        session_2_date_time="1:00 pm on 1 May, 2023",
        session_2=[turn("Ana", "second", "D2:1")],
    )
    (conversation,) = read_locomo(document, "f", default_time=NOW).conversations
    assert [line.text for line in conversation.lines] == ["second", "tenth"]


def test_the_source_holds_sample_and_dialogue_id() -> None:
    document = sample(session_8=[turn("Ana", "Hi", "D8:6")])
    (conversation,) = read_locomo(document, "f", default_time=NOW).conversations
    assert conversation.lines[0].source == "locomo:conv-1:D8:6"
    assert conversation.lines[0].source.split(":", 2)[2] == conversation.lines[0].origin == "D8:6"


def test_a_picture_becomes_part_of_the_text() -> None:
    document = sample(
        session_1=[
            turn("Ana", "Look!", "D1:1", blip_caption="a dog on a wall"),
            turn("Ben", "", "D1:2", blip_caption="a cat"),
        ]
    )
    (conversation,) = read_locomo(document, "f", default_time=NOW).conversations
    assert [line.text for line in conversation.lines] == [
        "Look! [picture: a dog on a wall]",
        "[picture: a cat]",
    ]


def test_turns_that_nobody_or_nothing_can_be_made_of_are_counted() -> None:
    document = sample(
        session_1=[turn("", "Hi", "D1:1"), turn("Ana", " ", "D1:2"), "x", turn("Ana", "Hi", "D1:3")]
    )
    reading = read_locomo(document, "f", default_time=NOW)
    assert reading.skipped == 3
    assert any("no speaker (first: sample 1, D1:1)" in warning for warning in reading.warnings)


def test_a_repeated_dialogue_id_is_left_out_and_said() -> None:
    document = sample(session_1=[turn("Ana", "a", "D1:1"), turn("Ana", "b", "D1:1")])
    reading = read_locomo(document, "f", default_time=NOW)
    assert len(reading.conversations[0].lines) == 1
    assert "came before" in reading.warnings[-1]


def test_a_session_without_a_date_follows_the_one_before() -> None:
    document = sample(
        session_1_date_time="1:00 pm on 8 May, 2023",
        session_1=[turn("Ana", "a", "D1:1")],
        session_2_date_time="soon",
        session_2=[turn("Ana", "b", "D2:1")],
    )
    reading = read_locomo(document, "f", default_time=NOW)
    first, second = reading.conversations[0].lines
    assert first.at < second.at
    assert (first.precision, second.precision) == (Precision.MINUTE, Precision.DAY)
    assert "session 2" in reading.warnings[0]


def test_a_sample_without_an_id_is_known_by_its_first_turn() -> None:
    body = {"session_1": [turn("Ana", "a", "D1:1"), turn("Ben", "b", "D1:2")]}
    longer = {**body, "session_2": [turn("Ana", "c", "D2:1")]}
    first = read_locomo(body, "one", default_time=NOW).conversations[0]
    second = read_locomo(longer, "two", default_time=NOW).conversations[0]
    assert is_locomo(body)
    assert first.archive == second.archive
    assert [line.source for line in first.lines] == [line.source for line in second.lines[:2]]


def test_samples_without_turns_are_an_error_with_the_file_in_it() -> None:
    with pytest.raises(ImportFileError, match=r"^chat\.json: line 1: "):
        read_locomo([{"conversation": {"session_1": []}}], "chat.json", default_time=NOW)


@pytest.mark.skipif("BOWER_DATA" not in os.environ, reason="BOWER_DATA names no folder")
def test_the_published_conversations_keep_their_evidence_ids() -> None:
    file = Path(os.environ["BOWER_DATA"]) / "locomo" / "locomo_dev.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    reading = read_locomo(document, file.name, default_time=NOW)
    lines = [line for conversation in reading.conversations for line in conversation.lines]
    sources = {line.source for line in lines}
    evidence = [
        f"locomo:{sample['sample_id']}:{dia_id}"
        for sample in document
        for question in sample["qa"]
        for dia_id in question.get("evidence", [])
    ]
    assert len(sources) == len(lines) == 3435
    assert (reading.skipped, reading.warnings) == (0, ())
    assert sum(dia_id in sources for dia_id in evidence) > 0.99 * len(evidence)
