"""Lines of the terminal: how they arrive, who says them, and what they mean."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.console.keyboard import PipedLines
from adapters.console.script import LineError, Say, read_act, read_moment, split_speaker
from adapters.console.session import author_named, dm_of, room_named

Write = Callable[[bytes], Coroutine[None, None, None]]
Pipe = tuple[int, Write]


class TestWhoSpeaks:
    @pytest.mark.parametrize(
        ("line", "speaker", "text"),
        [
            ("Ana: hello", "Ana", "hello"),
            ("Alex#2: hi", "Alex#2", "hi"),
            ("Dr. No: good evening", "Dr. No", "good evening"),
            ("小明\uff1a你好", "小明", "你好"),
            ("Ana: see: this", "Ana", "see: this"),
            ("https://example.org: a page", "", "https://example.org: a page"),
            ("at 10:30 we left", "", "at 10:30 we left"),
            ("10: 30", "", "10: 30"),
            ("What I wanted to tell you: no", "", "What I wanted to tell you: no"),
            ("Well, Ana: hello", "", "Well, Ana: hello"),
            ("@Mara: hello", "", "@Mara: hello"),
            ("/forget: all", "", "/forget: all"),
            (f"{'x' * 41}: hello", "", f"{'x' * 41}: hello"),
            ("Ana:", "", "Ana:"),
            ("plain", "", "plain"),
        ],
    )
    def test_a_name_before_the_text(self, line: str, speaker: str, text: str) -> None:
        assert split_speaker(line) == (speaker, text)

    def test_a_number_makes_another_person_of_the_same_name(self) -> None:
        one, two = author_named("Alex"), author_named("alex #2")
        assert (one.account.user, one.name) == ("alex", "Alex")
        assert (two.account.user, two.name) == ("alex#2", "alex")

    @given(st.text())
    def test_any_line_is_read_or_refused(self, line: str) -> None:
        name, text = split_speaker(line)
        assert line.endswith(text)
        assert len(name) <= 40
        with contextlib.suppress(LineError):
            read_act(text, is_mention=lambda _: False)


class TestWhere:
    def test_a_dm_belongs_to_one_person_and_one_persona(self) -> None:
        key = dm_of(author_named("Ana"), "mara").key
        assert (key.platform, key.bot_account, key.chat) == ("terminal", "terminal", "dm:ana:mara")

    def test_a_private_room_is_another_room(self) -> None:
        private, open_ = room_named("Kitchen", private=True), room_named("kitchen")
        assert private.key != open_.key
        assert private.private
        assert not open_.private
        assert private.server == open_.server == "terminal"


def test_moments_are_read_in_the_zone_unless_they_have_their_own() -> None:
    now, zone = datetime(2026, 1, 1, tzinfo=UTC), ZoneInfo("Asia/Tokyo")
    assert read_moment("2026-03-01 18:00", now, zone).astimezone(UTC).hour == 9
    assert read_moment("2026-03-01T18:00+00:00", now, zone).astimezone(UTC).hour == 18
    assert read_moment("2026-03-01", now, zone).astimezone(UTC).day == 28
    assert read_moment("+2 hours", now, zone) == now + timedelta(hours=2)
    assert read_moment("+ 1 week", now, zone) == now + timedelta(weeks=1)


class TestPipes:
    @pytest.fixture
    def pipe(self) -> Iterator[Pipe]:
        reader, writer = os.pipe()

        async def write(content: bytes) -> None:
            def fill() -> None:
                with os.fdopen(writer, "wb") as out:
                    out.write(content)

            await asyncio.to_thread(fill)

        yield reader, write
        os.close(reader)

    async def lines(self, pipe: Pipe, content: bytes) -> list[str]:
        reader, write = pipe
        writing = asyncio.create_task(write(content))
        lines, found = PipedLines(reader), []
        while (line := await lines.next("")) is not None:
            found.append(line)
        await writing
        return found

    async def test_lines_end_as_on_any_system(self, pipe: Pipe) -> None:
        content = b"\xef\xbb\xbfone\r\ntwo\n\nlast"
        assert await self.lines(pipe, content) == ["one", "two", "", "last"]

    async def test_wrong_bytes_are_replaced(self, pipe: Pipe) -> None:
        assert await self.lines(pipe, b"caf\xe9 \xff\n") == ["caf\ufffd \ufffd"]

    async def test_a_line_of_a_megabyte(self, pipe: Pipe) -> None:
        content = b"x" * 1_000_000 + b"\nshort\n"
        assert [len(line) for line in await self.lines(pipe, content)] == [1_000_000, 5]

    async def test_no_line_at_all(self, pipe: Pipe) -> None:
        assert await self.lines(pipe, b"") == []


def test_say_is_what_is_left() -> None:
    assert read_act("  hello ", is_mention=lambda _: False) == Say(text="hello")
