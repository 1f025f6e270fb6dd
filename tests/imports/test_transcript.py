"""Reading plain transcripts: speakers, times in many spellings, lasting sources."""

import codecs
from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.errors import ImportFileError
from bot.imports.conversation import Conversation, Reading
from bot.imports.detect import read_conversations
from bot.memory import Precision

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def read(text: str | bytes, default_time: datetime = NOW) -> Reading:
    data = text.encode() if isinstance(text, str) else text
    return read_conversations(data, "chat.txt", default_time=default_time)


def conversation(text: str | bytes, default_time: datetime = NOW) -> Conversation:
    (only,) = read(text, default_time).conversations
    return only


def said(text: str | bytes) -> list[tuple[str, str]]:
    return [(line.speaker, line.text) for line in conversation(text).lines]


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def test_a_line_without_a_name_continues_the_line_before() -> None:
    text = "Ana: first\nsecond\n\nthird\nBen: yes\n"
    assert said(text) == [("Ana", "first\nsecond\n\nthird"), ("Ben", "yes")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system_are_read(end: str) -> None:
    assert said(f"Ana: hi{end}Ben: hey{end}") == [("Ana", "hi"), ("Ben", "hey")]


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + "Zoë: olá\nBen: hey".encode(),
        codecs.BOM_UTF16_LE + "Zoë: olá\nBen: hey".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "Zoë: olá\nBen: hey".encode("utf-16-be"),
        "Zoë: olá\nBen: hey".encode("utf-16-le"),
        "Zoë: olá\nBen: hey".encode("utf-16-be"),
        codecs.BOM_UTF32_LE + "Zoë: olá\nBen: hey".encode("utf-32-le"),
        "Zoë: olá\nBen: hey".encode("latin-1"),
    ],
    ids=["utf-8 mark", "utf-16 le", "utf-16 be", "le unmarked", "be unmarked", "32", "latin-1"],
)
def test_encodings_are_told_apart(data: bytes) -> None:
    assert said(data) == [("Zoë", "olá"), ("Ben", "hey")]


def test_another_encoding_than_utf8_is_said() -> None:
    assert any("Windows-1252" in warning for warning in read("Zoë: olá".encode("cp1252")).warnings)


def test_one_broken_character_does_not_spoil_a_utf8_file() -> None:
    data = ("Zoë: olá, ça va très bien, où étais-tu hier, chère Zoë? né à ça".encode()) + b"\xc3"
    reading = read(data)
    assert reading.conversations[0].speakers == ["Zoë"]
    assert any("broken" in warning for warning in reading.warnings)


@pytest.mark.parametrize(
    "line",
    [
        "[2024-03-01 18:05] Ana: hi",
        "2024-03-01 18:05 Ana: hi",
        "2024-03-01T18:05:00Z Ana: hi",
        "2024-03-01, 18:05 - Ana: hi",
        "(2024/03/01 18:05) Ana: hi",
        "[2024-03-01 6:05 PM] Ana: hi",
        "2024.03.01 18.05 - Ana: hi",
        "[2024-03-01 20:05+02:00] Ana: hi",
        "2024年3月1日 18:05 Ana\uff1ahi",
    ],
)
def test_a_time_before_the_name_is_read(line: str) -> None:
    (only,) = conversation(line).lines
    assert (only.speaker, only.text) == ("Ana", "hi")
    assert (only.at, only.precision) == (at(2024, 3, 1, 18, 5), Precision.MINUTE)


def test_a_time_without_a_zone_is_in_the_zone_of_the_default_time() -> None:
    zone = timezone(timedelta(hours=-3))
    (only,) = conversation("[2024-03-01 18:05] Ana: hi", NOW.astimezone(zone)).lines
    assert only.at == at(2024, 3, 1, 21, 5)


def test_a_date_without_a_time_is_exact_to_the_day_and_keeps_the_order() -> None:
    first, second = conversation("2024-03-01 Ana: a\n2024-03-01 Ana: b").lines
    assert first.at.date() == second.at.date() == at(2024, 3, 1).date()
    assert first.at < second.at
    assert first.precision is Precision.DAY


@pytest.mark.parametrize(
    "heading",
    [
        "2024-03-01",
        "--- 2024-03-01 ---",
        "# Friday, 1 March 2024",
        "March 1st, 2024",
        "1 de marzo de 2024",
        "1. März 2024",
        "== 01.03.2024 ==",
        "Date: 2024-03-01",
        "[2024-03-01]",
    ],
)
def test_a_date_on_its_own_line_counts_for_the_lines_below(heading: str) -> None:
    lines = conversation(f"{heading}\n18:05 Ana: hi\nBen: hey\n").lines
    assert [line.text for line in lines] == ["hi", "hey"]
    assert lines[0].at == at(2024, 3, 1, 18, 5)
    assert lines[0].at < lines[1].at < at(2024, 3, 2)


def test_lines_without_any_date_end_at_the_default_time_in_their_order() -> None:
    lines = conversation("Ana: a\nBen: b\nAna: c").lines
    times = [line.at for line in lines]
    assert times == sorted(set(times))
    assert times[-1] == NOW
    assert {line.precision for line in lines} == {Precision.DAY}


def test_lines_before_the_first_date_precede_it() -> None:
    text = "Ana: a\nBen: b\n# 1 March 2024\nAna: c\nBen: d"
    times = [line.at for line in conversation(text).lines]
    assert times == sorted(set(times))
    assert times[2] == at(2024, 3, 1)


def test_a_phone_export_is_read_with_its_notices_left_out() -> None:
    text = (
        "25/03/2024, 18:05 - Messages are end-to-end encrypted. Tap to learn more.\n"
        "25/03/2024, 18:05 - Ana: hi\n"
        "Note: buy milk\n"
        "26/03/2024\n"
        "25/03/2024, 18:06 - Ben: <Media omitted>\n"
        "25/03/2024, 18:07 - Ben: This message was deleted\n"
        "25/03/2024, 18:07 - Ben: yes <This message was edited>\n"
    )
    assert said(text) == [
        ("Ana", "hi\nNote: buy milk\n26/03/2024"),
        ("Ben", "[Media omitted]"),
        ("Ben", "yes"),
    ]
    assert read(text).skipped == 2


def test_invisible_marks_of_a_phone_export_are_taken_off() -> None:
    text = "\u200e[3/25/24, 6:05:01\u202fPM] ~\u202fAna B: \u200eimage omitted"
    (only,) = conversation(text).lines
    assert (only.speaker, only.text) == ("Ana B", "image omitted")
    assert only.at == datetime(2024, 3, 25, 18, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("dates", "month", "words"),
    [
        (("03/04/2024", "25/04/2024"), 4, "day/month/year, as 25/04/2024"),
        (("03/04/2024", "03/25/2024"), 3, "month/day/year, as 03/25/2024"),
        (("03/04/2024", "04/04/2024", "05/04/2024"), 4, "nothing in the file proves it"),
        (("11/01/2024", "12/01/2024", "01/02/2024"), 1, "day/month/year, as time then runs"),
        (("01/11/2024", "01/12/2024", "02/01/2024"), 1, "month/day/year, as time then runs"),
    ],
)
def test_day_and_month_are_told_apart_over_the_whole_file(
    dates: tuple[str, ...], month: int, words: str
) -> None:
    text = "\n".join(f"{date}, 18:05 - Ana: hi" for date in dates)
    reading = read(text)
    assert reading.conversations[0].lines[0].at.month == month
    assert any(words in warning for warning in reading.warnings)


def test_undecidable_dates_with_am_and_pm_are_american() -> None:
    (only,) = conversation("3/4/24, 6:05 PM - Ana: hi").lines
    assert only.at == at(2024, 3, 4, 18, 5)


def test_a_date_that_can_be_read_one_way_only_needs_no_warning() -> None:
    assert read("25/03/2024, 18:05 - Ana: hi").warnings == ()


def test_a_date_that_no_calendar_has_is_text() -> None:
    assert said("Ana: a\n2024-02-31 18:00 Ben: b") == [("Ana", "a\n2024-02-31 18:00 Ben: b")]


def test_a_link_or_a_sentence_with_a_colon_names_nobody() -> None:
    text = "Ana: look\nhttps://example.org\nand then he said: no\nWell, you know: yes\nBen: ok"
    assert [speaker for speaker, _ in said(text)] == ["Ana", "Ben"]


def test_a_name_written_in_two_cases_is_one_speaker_and_a_numbered_one_is_another() -> None:
    assert conversation("Ana: a\nana: b\nAna#2: c").speakers == ["Ana", "Ana#2"]


def test_equal_texts_are_different_lines() -> None:
    lines = conversation("Ana: ok\nBen: ok\nAna: ok\nAna: ok").lines
    assert len({line.source for line in lines}) == 4


DATED = "[2024-03-01 18:00] Ana: hi\n[2024-03-01 18:01] Ben: hey\n[2024-03-01 18:02] Ana: so?\n"


def sources(text: str) -> list[str]:
    return [line.source for line in conversation(text).lines]


def test_sources_do_not_depend_on_name_time_or_encoding_of_the_file() -> None:
    other = read_conversations(
        codecs.BOM_UTF16_LE + DATED.replace("\n", "\r\n").encode("utf-16-le"),
        "elsewhere/copy.log",
        default_time=NOW + timedelta(days=3),
    )
    assert [line.source for line in other.conversations[0].lines] == sources(DATED)


@pytest.mark.parametrize("text", [DATED, "Ana: hi\nBen: hey\nAna: so?\n"], ids=["dated", "undated"])
def test_a_longer_file_keeps_the_sources_of_its_beginning(text: str) -> None:
    longer = text + text.splitlines()[-1].replace("so?", "well") + "\n"
    assert sources(longer)[:3] == sources(text)
    assert conversation(longer).archive == conversation(text).archive


def test_a_dated_file_that_lost_its_beginning_keeps_the_sources_of_the_rest() -> None:
    assert sources(DATED.split("\n", 1)[1]) == sources(DATED)[1:]


def test_a_later_proof_of_the_order_of_dates_changes_no_source() -> None:
    text = "03/04/2024, 18:00 - Ana: hi\n"
    assert sources(text + "03/25/2024, 18:00 - Ana: hey\n")[0] == sources(text)[0]


def test_two_conversations_share_no_source() -> None:
    assert not set(sources("Ana: hi\nBen: ok")) & set(sources("Ana: hello\nBen: ok"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\xff\xfe \x00\n\x00", "empty"),
        (b"just some prose\nand more", r"line 1: no line reads as 'Name: text'"),
        (b"PK\x03\x04rest", "ZIP"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x01\x02\x03\x00\x00" * 9, "not a text file"),
    ],
)
def test_a_file_without_a_conversation_is_refused_with_a_sentence(data: bytes, words: str) -> None:
    with pytest.raises(ImportFileError, match=rf"^chat\.txt: .*{words}"):
        read(data)
