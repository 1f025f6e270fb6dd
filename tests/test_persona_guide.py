"""docs/personas.md says what is true: its examples load, its tables are complete."""

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from bot.errors import PersonaError
from bot.persona import (
    DepthNote,
    Example,
    Item,
    LoreEntry,
    LoreRules,
    Persona,
    SeedMemory,
    make_persona,
    read_persona,
)
from bot.persona_folder import read_personas
from bot.text import tokens

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "personas.md").read_text(encoding="utf-8")
MINIMAL, *FRAGMENTS = re.findall(r"^```toml\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
ERRORS = re.findall(r"^\| `(.+)` \| `(personas/.+)` \|$", GUIDE, re.MULTILINE)


def _keys_after(mark: str) -> list[str]:
    """The first column of the table that follows a heading or a line."""
    table = GUIDE.split(mark, 1)[1].split("| key |", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def test_the_minimal_file_works_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "nadia.toml"
    path.write_text(MINIMAL, encoding="utf-8")
    persona = read_persona(path)
    assert persona.key == "nadia"
    assert persona.memories[0].at.year - 1971 == 12
    assert 'ARGS="--persona nadia"' in GUIDE


@pytest.mark.parametrize("key", ["name", "description", "greetings", "apologies"])
def test_just_these_keys_are_required(key: str) -> None:
    data = tomllib.loads(MINIMAL)
    required = {name for name, field in Persona.model_fields.items() if field.is_required()}
    assert required == {"key", "name", "description", "greetings", "apologies"}
    del data[key]
    with pytest.raises(PersonaError, match=f"nadia.toml: {key}: "):
        make_persona(data, key="nadia", source="personas/nadia.toml")


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_every_further_example_fits_into_the_minimal_file(fragment: str) -> None:
    data = tomllib.loads(MINIMAL) | tomllib.loads(fragment)
    make_persona(data, key="nadia", source="the guide")


@pytest.mark.parametrize(
    ("mark", "model", "implied"),
    [
        ("## Every key", Persona, {"key"}),
        ("### A memory", SeedMemory, set()),
        ("### An example", Example, set()),
        ("### A thing in the scene", Item, set()),
        ("### Lore\n", LoreEntry, set()),
        ("`lore_rules` has these", LoreRules, set()),
        ("### A depth note", DepthNote, set()),
    ],
)
def test_each_key_is_explained_and_no_other(
    mark: str, model: type[BaseModel], implied: set[str]
) -> None:
    documented = _keys_after(mark)
    assert sorted(documented) == sorted(set(model.model_fields) - implied)


def test_the_guide_shows_several_errors() -> None:
    assert len(ERRORS) >= 5


@pytest.mark.parametrize(("written", "said"), ERRORS)
def test_errors_read_as_the_guide_says(written: str, said: str) -> None:
    data = tomllib.loads(MINIMAL) | tomllib.loads(written)
    with pytest.raises(PersonaError) as raised:
        make_persona(data, key="nadia", source="personas/nadia.toml")
    assert str(raised.value) == said


def test_the_figures_in_the_guide_are_those_of_the_code() -> None:
    rules = LoreRules()
    assert f"are searched; {rules.scan_depth} |" in GUIDE
    assert f"in tokens; {rules.budget} |" in GUIDE
    assert f"before the newest; {DepthNote(text='x').depth} |" in GUIDE
    assert f"higher; {LoreEntry(keys=('x',), text='x').order:g} if left out" in GUIDE
    assert f"{SeedMemory(when='1998', text='x').importance} if left out" in GUIDE
    assert 600 < tokens("x" * 2300) < 700


def test_the_personas_that_the_guide_names_do_what_it_says() -> None:
    personas, _ = read_personas(ROOT / "personas")
    named = re.search(r"bundle, (.+) do this", GUIDE)
    assert named is not None
    comforting = {key for key, p in personas.items() if p.recall_mode == "regulate"}
    assert set(re.findall(r"`(\w+)`", named[1])) == comforting
    assert f"{['', 'One', 'Two', 'Three', 'Four', 'Five'][len(personas)]} personas come" in GUIDE
