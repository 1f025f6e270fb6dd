"""No file, however broken, makes the readers raise anything but an ImportFileError."""

import copy
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import ImportFileError
from bot.imports.conversation import Format, Reading
from bot.imports.detect import read_conversations

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)

TELEGRAM = {
    "name": "Family",
    "type": "bot_chat",
    "id": 77,
    "messages": [
        {
            "id": 1,
            "type": "message",
            "date_unixtime": "1697373000",
            "from": "Ana",
            "from_id": "user1",
            "text": ["see ", {"type": "link", "text": "there"}],
            "forwarded_from": "News",
            "poll": {"question": "When?", "answers": [{"text": "Mon"}]},
            "media_type": "voice_message",
            "duration_seconds": 3,
        },
        {"id": 2, "type": "message", "date": "2023-10-15T14:30:00", "from": "Ben", "text": "hi"},
    ],
}
DISCORD = {
    "guild": {"id": "9", "name": "Harbour"},
    "channel": {"id": "55", "type": "GuildTextChat", "name": "pier"},
    "messages": [
        {
            "id": "1",
            "type": "Default",
            "timestamp": "2023-07-04T15:07:10+02:00",
            "content": "<@2> hi",
            "author": {"id": "1", "name": "ana", "nickname": "Ana", "isBot": False},
            "attachments": [{"fileName": "a.png"}],
            "embeds": [{"title": "T"}],
            "mentions": [{"id": "2"}],
            "stickers": [{"name": "s"}],
            "reference": {"type": "Forward"},
            "forwardedMessage": {"content": "x"},
        },
    ],
}
LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "hi", "blip_caption": "a dog"}
            ],
        },
    }
]
SILLYTAVERN = [
    {"user_name": "Ana", "character_name": "Mira", "chat_metadata": {"integrity": "x"}},
    {
        "name": "Mira",
        "is_user": False,
        "is_system": False,
        "mes": "Hello",
        "swipes": ["a", "b"],
        "swipe_id": 1,
        "send_date": "July 4, 2023 3:07pm",
        "extra": {"type": "", "file": {"name": "f"}},
    },
    {"name": "Ana", "is_user": True, "mes": "Hi", "send_date": 1688483230123},
]
DOCUMENTS = {Format.TELEGRAM: TELEGRAM, Format.DISCORD: DISCORD, Format.LOCOMO: LOCOMO}


def read(data: bytes) -> Reading | None:
    """What was read, None where the file was refused with a sentence."""
    try:
        return read_conversations(data, "file", default_time=NOW)
    except ImportFileError as error:
        refusal = str(error)
    assert refusal.startswith("file: ")
    assert refusal[-1] in ".?"
    return None


def check(reading: Reading | None) -> None:
    """What every reading promises, whatever it was made from."""
    if reading is None:
        return
    lines = [line for conversation in reading.conversations for line in conversation.lines]
    assert all(line.text.strip() and line.speaker.strip() for line in lines)
    assert all(line.at.tzinfo is UTC for line in lines)
    assert all(line.source.split(":", 2)[0] == reading.format for line in lines)
    for conversation in reading.conversations:
        assert len({line.source for line in conversation.lines}) == len(conversation.lines)
        conversation.archive.encode()
    "".join(line.text + line.speaker + line.source for line in lines).encode()


@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    check(read(data))


@given(st.text(max_size=400), st.sampled_from(["utf-8", "utf-16", "utf-16-le", "utf-32", "cp1252"]))
def test_any_text_in_any_encoding(text: str, encoding: str) -> None:
    check(read(text.encode(encoding, "replace")))


STAMPS = [
    "[2024-03-01 18:00] ",
    "31/12/2024, 6:05 PM - ",
    "12/31/24, 18:05 - ",
    "18:05 ",
    "# 1 May 2024",
    "",
]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(STAMPS),
            st.sampled_from(["Ana: ", "Ben: ", "", "Ana#2: ", "\u200e~ Cem: "]),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
        ),
        max_size=12,
    )
)
def test_any_transcript(rows: list[tuple[str, str, str]]) -> None:
    text = "\n".join("".join(row) for row in rows)
    reading = read(text.encode())
    check(reading)
    again = read(text.encode())
    assert reading == again


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """The paths to all values within a document."""
    found = [path] if path else []
    children = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, child in children:
        found += places(child, (*path, key))
    return found


def with_value(document: object, path: tuple[object, ...], value: object) -> object:
    changed = copy.deepcopy(document)
    target: object = changed
    for key in path[:-1]:
        target = target[key]  # type: ignore[index]
    target[path[-1]] = value  # type: ignore[index]
    return changed


@settings(max_examples=300)
@given(st.data())
def test_an_export_with_anything_in_any_place(data: st.DataObject) -> None:
    document = data.draw(st.sampled_from(list(DOCUMENTS.values())))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(document)))
        document = with_value(document, path, data.draw(ANYTHING))
        if not places(document):
            break
    check(read(json.dumps(document).encode()))


@settings(max_examples=200)
@given(st.data())
def test_a_chat_file_with_anything_in_any_place(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(places(SILLYTAVERN)))
    document = with_value(SILLYTAVERN, path, data.draw(ANYTHING))
    assert isinstance(document, list)
    text = "\n".join(json.dumps(entry) for entry in document)
    check(read(text[: data.draw(st.integers(0, len(text)))].encode()))


@pytest.mark.parametrize("form", DOCUMENTS)
def test_each_export_is_told_by_its_content_and_cut_short_is_refused(form: Format) -> None:
    data = json.dumps(DOCUMENTS[form]).encode()
    reading = read(data)
    assert reading is not None
    assert reading.format is form
    assert [read(data[:end]) for end in range(0, len(data) - 1, 7)] == [None] * len(
        range(0, len(data) - 1, 7)
    )


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"messages":', b'{"mes":"x","name":'])
def test_a_nesting_bomb_is_refused(opening: bytes) -> None:
    assert read(opening * 200_000) is None


def test_a_file_beyond_the_limit_is_refused() -> None:
    class Huge(bytes):
        def __len__(self) -> int:
            return 600_000_000

    with pytest.raises(ImportFileError, match="has 600 MB"):
        read_conversations(Huge(), "file", default_time=NOW)


def test_a_line_that_no_one_can_have_said_is_left_out() -> None:
    reading = read(b"Ana: hi\nBen: " + b"x" * 1_000_001)
    assert reading is not None
    assert reading.skipped == 1
    assert reading.conversations[0].speakers == ["Ana"]
