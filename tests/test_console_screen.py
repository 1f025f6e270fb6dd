"""What the terminal shows, and that nothing shown can drive it."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from adapters.console.screen import LiveScreen, PlainScreen
from adapters.printable import printable
from bot.messages import Draft, Dropped, File, Reply, Thinking


class Plain:
    """A plain screen and what was written through it."""

    def __init__(self, files: Path) -> None:
        self.out = io.StringIO()
        self.err = io.StringIO()
        self.screen = PlainScreen(out=self.out, err=self.err, files=files)


@pytest.fixture
def plain(tmp_path: Path) -> Plain:
    return Plain(tmp_path / "files")


class TestPlainScreen:
    def test_further_lines_are_indented(self, plain: Plain) -> None:
        plain.screen.show(Reply(text="one\n\ntwo\r\nthree", nonce="n", speaker="Mara"))
        assert plain.out.getvalue() == "Mara: one\n\n  two\n  three\n"

    def test_the_programs_own_words_have_its_name(self, plain: Plain) -> None:
        plain.screen.show(Reply(text="Done.", nonce="n", private=True))
        assert plain.out.getvalue() == "Bower: Done.\n"

    def test_drafts_and_thinking_are_not_shown(self, plain: Plain) -> None:
        plain.screen.show(Thinking(speaker="Mara"))
        plain.screen.show(Draft(text="On", nonce="n"))
        plain.screen.show(Dropped(nonce="n"))
        assert plain.out.getvalue() == plain.err.getvalue() == ""

    def test_a_changed_reply_keeps_its_id(self, plain: Plain) -> None:
        [first] = plain.screen.show(Reply(text="one", nonce="n"))
        assert plain.screen.show(Reply(text="two", nonce="m", edit=(first,))) == [first]

    def test_files_are_written_for_the_owner_alone_and_never_over_another(
        self, plain: Plain, tmp_path: Path
    ) -> None:
        for content in (b"a", b"b"):
            plain.screen.show(
                Reply(text="Here.", nonce="n", files=(File(name="../x y.json", content=content),))
            )
        paths = sorted((tmp_path / "files").iterdir())
        assert [(p.name, p.read_bytes()) for p in paths] == [
            ("_x_y-2.json", b"b"),
            ("_x_y.json", b"a"),
        ]
        assert all(p.stat().st_mode & 0o777 == 0o600 for p in paths)
        assert str(paths[1]) in plain.out.getvalue()

    def test_a_label_cannot_forge_a_line(self, plain: Plain) -> None:
        plain.screen.show(Reply(text="hi", nonce="n", speaker="Mara: x\n\x1b[2JEve"))
        assert plain.out.getvalue().count("\n") == 1
        assert "\x1b" not in plain.out.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\link", "alink"),
        ("a\x1b[2", "a"),
        ("bell\x07 back\x08 \x9b31m", "bell back 31m"),
        ("over\u202eride", "override"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("half \ud83d", "half"),
    ],
)
def test_what_is_printed_cannot_drive_the_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_no_control_character_is_ever_printed(text: str) -> None:
    assert not any(ord(c) < 32 and c not in "\n\t" for c in printable(text))
    assert "\x1b" not in printable(text)
    printable(text).encode()


class TestLiveScreen:
    @pytest.fixture
    def out(self) -> io.StringIO:
        return io.StringIO()

    @pytest.fixture
    def screen(self, out: io.StringIO, tmp_path: Path) -> LiveScreen:
        console = Console(file=out, force_terminal=True, color_system=None, width=40)
        return LiveScreen(console, files=tmp_path)

    def test_a_draft_grows_into_its_reply(self, screen: LiveScreen, out: io.StringIO) -> None:
        screen.show(Thinking(speaker="Mara"))
        [first] = screen.show(Draft(text="The", nonce="n", speaker="Mara"))
        screen.show(Draft(text="The tide", nonce="n", speaker="Mara"))
        reply = Reply(text="The tide turns.", nonce="n", speaker="Mara", edit=(first,))
        assert screen.show(reply) == [first]
        assert out.getvalue() == "Mara …\r\x1b[2KMara: The tide turns.\n"

    def test_a_draft_that_is_taken_back_says_so(self, screen: LiveScreen, out: io.StringIO) -> None:
        screen.show(Draft(text="The", nonce="n", speaker="Mara"))
        screen.show(Dropped(nonce="n"))
        assert out.getvalue() == "Mara: The\n(taken back)\n"

    def test_private_and_changed_replies_are_marked(
        self, screen: LiveScreen, out: io.StringIO
    ) -> None:
        screen.show(Reply(text="Yours.", nonce="n", private=True))
        screen.show(Reply(text="New.", nonce="m", speaker="Mara", edit=("x",)), elsewhere="room")
        assert out.getvalue() == "Bower (only you): Yours.\nMara (room, changed): New.\n"

    def test_another_draft_waits_until_the_first_is_done(
        self, screen: LiveScreen, out: io.StringIO
    ) -> None:
        screen.show(Draft(text="One", nonce="a", speaker="Mara"))
        assert screen.show(Draft(text="Two", nonce="b", speaker="Otto")) == []
        screen.show(Reply(text="One.", nonce="a", speaker="Mara"))
        screen.show(Reply(text="Two.", nonce="b", speaker="Otto"))
        assert out.getvalue() == "Mara: One.\nOtto: Two.\n"

    def test_markup_and_long_lines_are_left_alone(
        self, screen: LiveScreen, out: io.StringIO
    ) -> None:
        text = "[bold]x[/bold] " + "word " * 30
        screen.show(Reply(text=text, nonce="n", speaker="Mara"))
        assert out.getvalue() == f"Mara: {text.strip()}\n"
