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


CLAIMS = {
    "1": "3-5", "2": "7-9", "3": "11-14", "4": "16-19", "5": "21-24", "6": "26", "7": "28-30",
    "8": "32-35", "9": "37-40", "10": "42-46", "11": "48-50", "-": "beyond the claims",
}  # fmt: skip
"""The patent's claims, with the paragraphs that they refer to."""


def test_each_claim_of_the_patent_has_its_paragraphs_modules_and_tests() -> None:
    page = (ROOT / "docs" / "patent.md").read_text("utf-8").replace("\u2013", "-")
    rows = [row.strip("|").split(" | ") for row in page.splitlines() if row.startswith("| ")][1:]
    assert {row[0].strip(): row[1] for row in rows} == CLAIMS
    for claim, _, _, here, shown_by in rows:
        modules = re.findall(r"`([a-z_/]+\.py)`(?: \(([^)]*)\))?", here)
        assert modules, f"claim {claim} names no module"
        for module, words in modules:
            source = (ROOT / module).read_text("utf-8")
            for name in re.findall(r"`(\w+)`", words):
                assert re.search(rf"\b{name}\b", source), f"{module} has no {name}"
        shown = re.findall(r"`(tests/[a-z_/]+\.py)`: ((?:`test_\w+`(?:, )?)+)", shown_by)
        assert shown, f"claim {claim} names no test"
        assert len(re.findall(r"`test_\w+`", shown_by)) == sum(s.count("`test_") for _, s in shown)
        for file, names in shown:
            source = (ROOT / file).read_text("utf-8")
            for name in re.findall(r"`(test_\w+)`", names):
                assert re.search(rf"def {name}\(", source), f"{file} has no {name}"
