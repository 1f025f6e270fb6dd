"""What the documentation names exists: links, commands, settings, personas."""

import re
from pathlib import Path

import pytest

from adapters.settings import Settings
from bot.commands import COMMANDS
from bot.persona_folder import read_personas

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_readme_names_every_member_command_and_only_real_ones() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    named = set(re.findall(r"`/([a-z]+)", text))
    assert named <= {spec.name for spec in COMMANDS}
    assert {"help", "about", "why", "memories", "forget", "export", "privacy", "correct"} <= named


def test_the_readme_lists_the_personas_that_ship() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    personas, problems = read_personas(ROOT / "personas")
    assert problems == []
    for key in personas:
        assert f"`{key}`" in text


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name != "patent.md"], ids=lambda page: page.name
)  # the patent's page names constants of the code
def test_settings_that_a_page_names_exist(page: Path) -> None:
    known = {name.upper() for name in Settings.model_fields}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for name in set(re.findall(r"`([A-Z]{3,}(?:_[A-Z]+)+)(?:=[^`]*)?`", page.read_text("utf-8"))):
        assert name in known or f"{name} ?=" in makefile, f"{page.name} names {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_main_that_a_page_names_exist(page: Path) -> None:
    source = (ROOT / "adapters" / "cli" / "commands.py").read_text("utf-8")
    source += "".join(p.read_text("utf-8") for p in (ROOT / "adapters" / "cli").glob("*.py"))
    known = set(re.findall(r'\.command\("([a-z-]+)"', source))
    for name in re.findall(r"main\.py ([a-z]+[a-z-]*)", page.read_text("utf-8")):
        assert name in known, f"{page.name} names main.py {name}"
