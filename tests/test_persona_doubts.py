"""What `doctor` finds odd in a persona that can be used."""

from pathlib import Path

import pytest

from bot.persona import Persona, SeedMemory
from bot.persona_doubts import doubts
from tests.fakes import NOON, a_persona


def said(folder: Path, **fields: object) -> list[str]:
    return list(doubts({"ida": a_persona().model_copy(update=fields)}, folder, NOON))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"nicknames": ("the",)}, "ida: nicknames: 'the' stands in nearly every message"),
        ({"avatar": "ida.png"}, "ida: avatar: there is no"),
        ({"memories": (SeedMemory(when="2999", text="x"),)}, "memories.1: 2999 is in the future"),
        ({"memories": (SeedMemory(when="1999", text="sea " * 300),)}, "memories.1: longer than"),
        (
            {
                "memories": (
                    SeedMemory(when="1998", text="Rain."),
                    SeedMemory(when="1999", text="rain"),
                )
            },
            "memories.2: says the same as memories.1",
        ),
    ],
)
def test_each_doubt_names_its_key(tmp_path: Path, fields: dict[str, object], reason: str) -> None:
    (found,) = said(tmp_path, **fields)
    assert reason in found


def test_a_sound_persona_and_an_avatar_that_is_there_raise_none(tmp_path: Path) -> None:
    (tmp_path / "ida.png").touch()
    assert said(tmp_path, avatar="ida.png") == []
    assert said(tmp_path, avatar="https://example.org/ida.png") == []


def test_two_files_of_one_name_are_told(tmp_path: Path) -> None:
    two: dict[str, Persona] = {"ida": a_persona(), "otto": a_persona("otto", "Ida")}
    assert [text.partition(":")[0] for text in doubts(two, tmp_path, NOON)] == ["ida", "otto"]
