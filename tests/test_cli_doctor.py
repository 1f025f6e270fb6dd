"""The command line: what `doctor` finds."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.cli.root import DatabaseReport
from adapters.settings import Settings
from adapters.telegram import BotReport
from bot.errors import ModelDown, ModelRefused, StorageError
from tests.cli_house import PERSONA, House, Said, entry, house, quiet_again, run, typed
from tests.fakes import ScriptedChat

__all__ = ["house", "quiet_again", "typed"]  # fixtures


class TestDoctor:
    def states(self, house: House, capsys: Said, code: int = 0) -> dict[str, str]:
        assert run(house.root(), ["doctor", "--json"]) == code
        said = capsys.readouterr()
        assert said.out.count("\n") == 1
        return {c["name"]: c["state"] for c in json.loads(said.out)["checks"]}

    def test_all_is_well_and_nothing_is_made(
        self, house: House, capsys: Said, tmp_path: Path
    ) -> None:
        states = self.states(house, capsys)
        assert set(states.values()) == {"ok"}
        assert {"python", "settings", "personas", "database", "encoder", "model"} <= set(states)
        assert not (tmp_path / "data").exists()

    def test_plain_lines_say_the_state_first(self, house: House, capsys: Said) -> None:
        assert run(house.root(), ["doctor"]) == 0
        assert all(line.startswith("ok  ") for line in capsys.readouterr().out.splitlines())

    def test_a_wrong_setting_fails(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CONTEXT_TOKENS", "few")
        assert self.states(house, capsys, code=1)["settings"] == "fail"

    def test_a_sick_database_fails(self, house: House, capsys: Said) -> None:
        house.database_error = StorageError("A page is torn; restore the last backup.")
        assert self.states(house, capsys, code=1)["database"] == "fail"

    def test_a_slow_search_is_a_warning(self, house: House, capsys: Said) -> None:
        house.report = DatabaseReport(state="version 1", driver="sqlite3", slow="NumPy searches.")
        assert self.states(house, capsys)["database"] == "warn"

    def test_an_endpoint_that_does_not_answer_fails(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("MODEL", "m")
        house.endpoint_error = ModelDown("Nobody answers at the address; start the server.")
        assert self.states(house, capsys, code=1)["endpoint"] == "fail"

    def test_a_model_that_is_not_offered_is_a_warning(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("MODEL", "other")
        assert self.states(house, capsys)["endpoint"] == "warn"

    def test_a_model_that_refuses_fails(self, house: House, capsys: Said) -> None:
        house.model = ScriptedChat(lambda _: ModelRefused("The key is wrong; set another."))
        assert self.states(house, capsys, code=1)["model"] == "fail"

    def test_a_broken_persona_and_a_foreign_one_are_warnings(
        self, house: House, capsys: Said, tmp_path: Path
    ) -> None:
        (tmp_path / "personas" / "bad.toml").write_text("name = ", encoding="utf-8")
        (tmp_path / "personas" / "li.toml").write_text(
            PERSONA.format(name="Li") + 'language = "zh"\n', encoding="utf-8"
        )
        assert run(house.root(), ["doctor"]) == 0
        lines = [x for x in capsys.readouterr().out.splitlines() if x.startswith("warn")]
        assert len(lines) == 2
        assert any("bad.toml" in line for line in lines)
        assert any("multilingual" in line for line in lines)

    def test_each_bot_is_asked_about(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def examine(_: Settings) -> list[BotReport]:
            return [
                BotReport(name="@ida_bot", works=True, found="Privacy mode is on."),
                BotReport(name="5", works=False, found="The token is refused."),
            ]

        house.platforms = [replace(entry([]), name="telegram", examine=examine)]
        monkeypatch.setenv("DISCORD_TOKEN", "t")
        assert run(house.root(), ["doctor"]) == 1
        lines = [x for x in capsys.readouterr().out.splitlines() if " telegram: " in x]
        assert lines == [
            "ok    telegram: @ida_bot: Privacy mode is on.",
            "fail  telegram: 5: The token is refused.",
        ]

    def test_a_service_without_token_is_not_asked(self, house: House, capsys: Said) -> None:
        async def examine(settings: Settings) -> list[BotReport]:
            raise AssertionError(settings)

        house.platforms = [replace(entry([]), examine=examine)]
        assert set(self.states(house, capsys).values()) == {"ok"}

    def test_a_token_without_owners_is_a_warning(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        house.platforms = [entry([])]
        monkeypatch.setenv("DISCORD_TOKEN", "t")
        assert self.states(house, capsys)["platforms"] == "warn"
