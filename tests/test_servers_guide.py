"""docs/servers.md tells admins and operators what the table of commands really offers."""

import re
from pathlib import Path
from typing import Final

import pytest

from bot.commands import COMMANDS, CommandSpec
from bot.commands.table import find
from bot.house.table import SETTINGS
from bot.messages import Rights

GUIDE: Final = (Path(__file__).resolve().parent.parent / "docs" / "servers.md").read_text("utf-8")
ADMINS, _, OPERATORS = GUIDE.partition("## What operators can do besides")
TYPED: Final = [
    line for row in re.findall(r"^\| (`/.*?) \|", GUIDE, re.MULTILINE) for line in row.split(", ")
]


@pytest.mark.parametrize("line", TYPED)
def test_each_command_of_the_guide_can_be_typed(line: str) -> None:
    name, *words = line.strip("`/").split()
    spec = find(name)
    assert spec is not None
    lowercase = [word for word in words if word.islower()]
    offered = {choice for option in spec.options for choice in option.choices}
    assert set(lowercase) <= offered, f"{line} is not in the table"


@pytest.mark.parametrize(
    "spec", [one for one in COMMANDS if one.rights is not Rights.MEMBER], ids=lambda one: one.name
)
def test_each_command_of_admins_and_operators_is_in_its_part_of_the_guide(
    spec: CommandSpec,
) -> None:
    part = ADMINS if spec.rights is Rights.ADMIN else OPERATORS
    assert any(f"`/{spec.name}" in row for row in part.splitlines() if row.startswith("|"))


def test_each_setting_is_in_the_guide_and_no_other() -> None:
    table = GUIDE.partition("### The settings")[2].partition("\n### ")[0]
    named = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert named == list(SETTINGS)


def test_the_values_of_a_setting_are_those_it_takes() -> None:
    table = GUIDE.partition("### The settings")[2]
    for spec in SETTINGS.values():
        words = spec.form.split("|")
        if not all(word.islower() for word in words) or spec.name == "strategy":
            continue
        row = next(line for line in table.splitlines() if line.startswith(f"| `{spec.name}`"))
        assert row.split("|")[2].strip() == ", ".join(words)


def test_what_everybody_may_see_is_what_the_guide_says() -> None:
    public = {
        spec.name for spec in COMMANDS if spec.rights is not Rights.MEMBER and not spec.private
    }
    said = GUIDE.partition("those that everybody should see:")[2].partition(".")[0]
    assert set(re.findall(r"`/(\w+)`", said)) == public | {"scene"}
