"""Persona files that come, change, break and go while the program runs."""

import json
import logging
import os
from pathlib import Path

import pytest

from bot.errors import PersonaError
from bot.persona_folder import Changes, PersonaFolder, read_personas
from tests.cards.makers import Data, v2

TOML = 'name = "{name}"\ndescription = "d"\ngreetings = ["{greeting}"]\napologies = ["a"]\n'

_ticks = iter(range(1, 1_000))


def put(path: Path, content: str) -> None:
    """Writes a file whose time differs from the one before, however coarse the clock is."""
    path.write_text(content, encoding="utf-8")
    moment = 1_700_000_000 + next(_ticks)
    os.utime(path, (moment, moment))


def put_toml(folder: Path, key: str, greeting: str = "Hi.") -> None:
    put(folder / f"{key}.toml", TOML.format(name=key.title(), greeting=greeting))


def put_card(folder: Path, key: str, card: Data) -> None:
    put(folder / f"{key}.card.json", json.dumps(card))


def test_both_kinds_of_files_are_read(tmp_path: Path) -> None:
    put_toml(tmp_path, "ana")
    put_card(tmp_path, "mirela", v2())
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "folder.toml").mkdir()
    personas, problems = read_personas(tmp_path)
    assert {key: persona.name for key, persona in personas.items()} == {
        "ana": "Ana",
        "mirela": "Mirela",
    }
    assert problems == []


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match="no such folder; set PERSONAS"):
        read_personas(tmp_path / "none")


def test_a_file_that_cannot_be_used_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    put_toml(tmp_path, "ana")
    put(tmp_path / "bad.toml", "name = ")
    put(tmp_path / "worse.card.json", "{")
    put(tmp_path / "BAD KEY.card.json", json.dumps(v2()))
    personas, problems = read_personas(tmp_path)
    assert list(personas) == ["ana"]
    assert ["not valid TOML" in problems[0], "not valid JSON" in problems[2]] == [True, True]
    assert "cannot be a persona's key" in problems[1]


def test_of_two_files_with_one_key_the_hand_written_one_is_used(tmp_path: Path) -> None:
    put_card(tmp_path, "ana", v2())
    put_toml(tmp_path, "ana")
    personas, problems = read_personas(tmp_path)
    assert personas["ana"].name == "Ana"
    assert "another file is named ana too" in problems[0]


def test_changes_are_taken_up(tmp_path: Path) -> None:
    put_toml(tmp_path, "ana")
    put_toml(tmp_path, "bea")
    folder = PersonaFolder(tmp_path)
    assert not folder.refresh()
    put_toml(tmp_path, "ana", "Hello.")
    put_card(tmp_path, "mirela", v2())
    (tmp_path / "bea.toml").unlink()
    assert folder.refresh() == Changes(added=("mirela",), changed=("ana",), removed=("bea",))
    assert folder["ana"].greetings == ("Hello.",)
    assert set(folder) == {"ana", "mirela"}
    assert not folder.refresh()


def test_an_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    put_toml(tmp_path, "ana")
    folder = PersonaFolder(tmp_path)
    before = folder["ana"]
    put_toml(tmp_path, "bea")
    folder.refresh()
    assert folder["ana"] is before


def test_a_broken_change_is_told_once_and_the_persona_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put_toml(tmp_path, "ana")
    folder = PersonaFolder(tmp_path)
    put(tmp_path / "ana.toml", "name = ")
    with caplog.at_level(logging.WARNING):
        assert not folder.refresh()
        assert not folder.refresh()
    assert folder["ana"].greetings == ("Hi.",)
    assert len(caplog.records) == 1
    assert "ana.toml: not valid TOML" in caplog.text
    assert "stays as it was" in caplog.text
    assert "not valid TOML" in " ".join(folder.problems)
    put_toml(tmp_path, "ana", "Mended.")
    assert folder.refresh() == Changes(changed=("ana",))
    assert not folder.problems


def test_the_default_persona_stays_when_its_file_goes(tmp_path: Path) -> None:
    put_toml(tmp_path, "ana")
    put_toml(tmp_path, "bea")
    folder = PersonaFolder(tmp_path, keep="ana")
    (tmp_path / "ana.toml").unlink()
    (tmp_path / "bea.toml").unlink()
    assert folder.refresh() == Changes(removed=("bea",))
    assert set(folder) == {"ana"}


def test_a_folder_that_goes_takes_nobody_along(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home = tmp_path / "personas"
    home.mkdir()
    put_toml(home, "ana")
    folder = PersonaFolder(home)
    home.rename(tmp_path / "elsewhere")
    with caplog.at_level(logging.WARNING):
        assert not folder.refresh()
        assert not folder.refresh()
    assert len(caplog.records) == 1
    assert set(folder) == {"ana"}
    (tmp_path / "elsewhere").rename(home)
    put_toml(home, "bea")
    assert folder.refresh() == Changes(added=("bea",))
