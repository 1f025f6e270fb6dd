"""The command line: usage, errors, chat and the platforms."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.cli.presence import presence
from adapters.settings import Settings
from bot.cast import choose_default, find_persona
from bot.clock import Clock
from bot.engine import Engine
from bot.errors import SettingsError, StorageError
from bot.parts import Parts
from bot.ports import Handler, Platform
from tests.cli_house import House, Said, Typed, entry, house, quiet_again, run, typed
from tests.fakes import ListPlatform, ScriptedChat, a_persona

__all__ = ["house", "quiet_again", "typed"]  # fixtures


class TestUsage:
    def test_help_names_the_commands(self, house: House, capsys: Said) -> None:
        assert run(house.root(), ["--help"]) == 0
        shown = capsys.readouterr().out
        for command in ("chat", "recall", "backup", "restore", "reembed", "doctor"):
            assert command in shown

    @pytest.mark.parametrize("command", ["chat", "recall", "backup", "restore", "doctor"])
    def test_each_command_explains_itself(self, house: House, capsys: Said, command: str) -> None:
        assert run(house.root(), [command, "--help"]) == 0
        assert len(capsys.readouterr().out.splitlines()) > 5

    def test_version(self, house: House, capsys: Said) -> None:
        assert run(house.root(), ["--version"]) == 0
        assert capsys.readouterr().out == "Bower 9.9\n"

    @pytest.mark.parametrize(
        "arguments",
        [
            ["dance"],
            ["--loud"],
            ["recall"],
            ["recall", "x", "--limit", "0"],
            ["recall", "x", "--limit", "few"],
            ["recall", "x", "--strategy", "magic"],
            ["recall", "x", "--mode", "loud"],
            ["chat", "--persona"],
            ["chat", "--persona", "nobody"],
            ["backup"],
            ["backup", "here.db"],
            ["restore", "nowhere.db"],
            ["recall", "x", "--as", "discord:"],
            ["recall", "x", "--as", "Nobody"],
            [],
        ],
    )
    def test_wrong_usage_is_a_sentence_and_code_2(
        self, house: House, capsys: Said, arguments: list[str]
    ) -> None:
        assert run(house.root(), arguments) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert "Traceback" not in said.err

    def test_a_wrong_setting_is_a_sentence_and_code_2(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("REPLY_TOKENS", "many")
        assert run(house.root(), ["chat"]) == 2
        assert capsys.readouterr().err.startswith("REPLY_TOKENS cannot be used")

    def test_no_personas_at_all(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PERSONAS", str(tmp_path / "nothing"))
        assert run(house.root(), ["chat"]) == 1
        assert "set PERSONAS" in capsys.readouterr().err

    def test_a_broken_persona_that_is_asked_for_is_the_error(
        self, house: House, capsys: Said, tmp_path: Path
    ) -> None:
        (tmp_path / "personas" / "bad.toml").write_text("name = ", encoding="utf-8")
        assert run(house.root(), ["chat", "--persona", "bad"]) == 1
        assert "bad.toml: not valid TOML" in capsys.readouterr().err.splitlines()[-1]

    def test_a_broken_file_is_told_at_the_start_and_the_others_play(
        self, house: House, capsys: Said, tmp_path: Path, typed: Typed
    ) -> None:
        (tmp_path / "personas" / "bad.toml").write_text("nam = 'x'", encoding="utf-8")
        typed("Hello\n")
        assert run(house.root(), ["chat"]) == 0
        assert "bad.toml: nam: " in capsys.readouterr().err

    def test_a_folder_with_a_broken_file_alone_says_what_is_wrong(
        self, house: House, capsys: Said, tmp_path: Path
    ) -> None:
        for file in (tmp_path / "personas").iterdir():
            file.unlink()
        (tmp_path / "personas" / "bad.toml").write_text("name = ", encoding="utf-8")
        assert run(house.root(), ["chat"]) == 1
        assert "bad.toml: not valid TOML" in capsys.readouterr().err

    def test_a_failure_is_a_sentence_and_code_1(self, house: House, capsys: Said) -> None:
        house.model = ScriptedChat()
        Path("data").mkdir()
        Path("data/bower.db").write_bytes(b"this is no database at all" * 100)
        assert run(house.root(), ["recall", "x"]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1

    def test_the_unexpected_has_a_traceback_only_at_debug(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch, typed: Typed
    ) -> None:
        class Broken(House):
            @asynccontextmanager
            async def parts(self, settings: Settings, clock: Clock) -> AsyncIterator[Parts]:
                raise ZeroDivisionError("never")
                yield

        typed("hello\n")
        assert run(Broken().root(), ["chat"]) == 1
        assert "Traceback" not in capsys.readouterr().err
        monkeypatch.setenv("LOG_LEVEL", "DEBUG")
        assert run(Broken().root(), ["chat"]) == 1
        assert "Traceback" in capsys.readouterr().err

    def test_interrupted_is_130(self, capsys: Said) -> None:
        class Interrupted(House):
            @asynccontextmanager
            async def parts(self, settings: Settings, clock: Clock) -> AsyncIterator[Parts]:
                raise KeyboardInterrupt
                yield

        assert run(Interrupted().root(), ["chat"]) == 130
        assert capsys.readouterr().err == ""


class TestChat:
    def test_three_lines_have_three_replies(self, house: House, capsys: Said, typed: Typed) -> None:
        typed("one\ntwo\nthree\n")
        assert run(house.root(), ["chat", "--as", "Ana"]) == 0
        assert capsys.readouterr().out.splitlines() == [
            "Ida: I heard: one",
            "Ida: I heard: two",
            "Ida: I heard: three",
        ]

    def test_how_to_connect_a_model_is_said_once_on_stderr(
        self, house: House, capsys: Said, typed: Typed
    ) -> None:
        typed("")
        assert run(house.root(), ["chat"]) == 0
        first = capsys.readouterr()
        assert "OPENAI_BASE_URL=" in first.err
        assert "MODEL=" in first.err
        assert first.out == ""
        typed("")
        assert run(house.root(), ["chat"]) == 0
        assert capsys.readouterr().err == ""

    def test_a_second_terminal_leaves_alone_what_the_first_is_answering(
        self, house: House, capsys: Said, typed: Typed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        resumed: list[str] = []

        async def resume(engine: Engine, platform: Platform) -> int:
            resumed.append(platform.name)
            return 0

        monkeypatch.setattr(Engine, "resume", resume)
        typed("")
        with presence(Path("data/bower.db"), "terminal") as first:
            first.make_room()
            assert run(house.root(), ["chat"]) == 0
        assert resumed == []
        typed("")
        assert run(house.root(), ["chat"]) == 0
        assert resumed == ["terminal"]

    def test_the_persona_is_found_by_name(self, house: House, capsys: Said, typed: Typed) -> None:
        typed("hello\n")
        assert run(house.root(), ["chat", "--persona", "OTTO"]) == 0
        assert capsys.readouterr().out.startswith("Otto: ")

    def test_in_a_room_only_what_is_addressed_is_answered(
        self, house: House, capsys: Said, typed: Typed
    ) -> None:
        typed("Ana: hello all\nBen: @Ida how are you?\n")
        assert run(house.root(), ["chat", "--group"]) == 0
        assert capsys.readouterr().out.count("\n") == 1

    def test_several_personas_share_a_room(self, house: House, capsys: Said, typed: Typed) -> None:
        typed("Ana: Otto, hello\nAna: @Ida hello\nAna: @reply and you\n@dm Ana\nhello\n")
        house.model = ScriptedChat(lambda _: "Aye.")
        assert run(house.root(), ["chat", "--group", "--persona", "ida,otto"]) == 0
        assert capsys.readouterr().out.splitlines() == [
            "Otto: Aye.",
            "Ida: Aye.",
            "Ida: Aye.",
            "Ida: Aye.",
        ]

    def test_a_line_that_could_not_be_dealt_with_makes_it_fail(
        self, house: House, capsys: Said, typed: Typed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def full(*_: object) -> None:
            raise StorageError("The disk is full; make room.")

        monkeypatch.setattr(Engine, "handle", full)
        typed("hello\n")
        assert run(house.root(), ["chat"]) == 1
        assert "The disk is full; make room.\n" in capsys.readouterr().err


class TestRunning:
    def test_told_to_stop_it_ends_well(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        class Runs(ListPlatform):
            ended = False

            async def run(self, handle: Handler) -> None:
                os.kill(os.getpid(), signal.SIGTERM)
                try:
                    await asyncio.Event().wait()
                finally:
                    self.ended = True

        platform = Runs()
        house.platforms = [entry([platform])]
        monkeypatch.setenv("DISCORD_TOKEN", "t")
        assert run(house.root(), []) == 0
        assert platform.ended

    def test_a_second_process_is_refused(
        self, house: House, monkeypatch: pytest.MonkeyPatch, capsys: Said, tmp_path: Path
    ) -> None:
        house.platforms = [entry([ListPlatform()])]
        monkeypatch.setenv("DISCORD_TOKEN", "t")
        with presence(tmp_path / "data" / "bower.db", "platforms") as first:
            assert first.alone
            assert run(house.root(), []) == 2
        assert "Another process" in capsys.readouterr().err

    def test_a_platform_that_fails_ends_it_with_a_sentence(
        self, house: House, monkeypatch: pytest.MonkeyPatch, capsys: Said
    ) -> None:
        class Fails(ListPlatform):
            async def run(self, handle: Handler) -> None:
                raise SettingsError("DISCORD_TOKEN is refused; copy it again.")

        house.platforms = [entry([Fails()])]
        monkeypatch.setenv("DISCORD_TOKEN", "t")
        assert run(house.root(), []) == 2
        assert capsys.readouterr().err.endswith("DISCORD_TOKEN is refused; copy it again.\n")

    def test_without_a_token_it_says_what_to_do(self, house: House, capsys: Said) -> None:
        house.platforms = [entry([])]
        assert run(house.root(), []) == 2
        said = capsys.readouterr().err
        assert "DISCORD_TOKEN" in said
        assert "main.py chat" in said

    def test_it_starts_what_has_a_token_until_all_have_ended(
        self, house: House, monkeypatch: pytest.MonkeyPatch, capsys: Said
    ) -> None:
        class Ends(ListPlatform):
            ran = False

            async def run(self, handle: Handler) -> None:
                self.ran = True

        platform = Ends()
        house.platforms = [entry([platform])]
        monkeypatch.setenv("DISCORD_TOKEN", "t")
        assert run(house.root(), []) == 0
        assert platform.ran
        assert "Traceback" not in capsys.readouterr().err


def test_the_default_persona_is_the_wanted_the_usual_or_the_first() -> None:
    two = {"otto": a_persona("otto", "Otto"), "ida": a_persona()}
    assert choose_default(two, None) == "ida"
    assert choose_default(two, "Otto") == "otto"
    assert choose_default({**two, "senga": a_persona("senga", "Senga")}, None) == "senga"


def test_a_persona_is_found_by_key_name_or_nickname() -> None:
    ida = {"ida": a_persona(nicknames=["Keeper"])}
    assert [find_persona(ida, w) for w in ("ida", " IDA ", "keeper")] == ["ida"] * 3
