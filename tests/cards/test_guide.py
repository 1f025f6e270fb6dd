"""docs/cards.md says what is true."""

import json
import random
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.cards.convert import persona_from_card
from bot.cards.model import CardData
from bot.cards.reading import read_card
from bot.macros import Filling, expand
from bot.persona import Persona
from tests.cards.makers import text, v2

GUIDE = (Path(__file__).parent.parent.parent / "docs" / "cards.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+) \| (.+) \|$", GUIDE, re.MULTILINE)
MACROS = [macro for first, _ in ROWS for macro in re.findall(r"`(\{\{.+?\}\}|<\w+>)`", first)]


@pytest.mark.parametrize("macro", MACROS)
def test_every_macro_of_the_guide_is_filled_in(macro: str) -> None:
    filling = Filling(
        char="Mirela",
        user="Ana",
        now=datetime(2026, 3, 4, 18, 5, tzinfo=UTC),
        rng=random.Random(1),
        texts={"description": "d", "personality": "p", "scenario": "s"},
    )
    assert macro not in expand(f"[{macro}]", filling)


def test_the_guide_names_fields_that_exist() -> None:
    fields = [row for row in ROWS if "`" in row[1] and "{{" not in row[0] and "<" not in row[0]]
    ours = {name for _, right in fields for name in re.findall(r"`(\w+)`", right)}
    theirs = {name for left, _ in fields for name in re.findall(r"`(\w+)[.`]", left)}
    assert len(ours) > 12
    assert ours <= set(Persona.model_fields)
    assert theirs <= set(CardData.model_fields)


def test_the_example_of_our_own_fields_works() -> None:
    (written,) = re.findall(r"```json\n(.+?)```", GUIDE, re.DOTALL)
    card, _ = read_card(text(v2(**json.loads(written))))
    persona, warnings = persona_from_card(card, "mirela")
    assert warnings == []
    assert (persona.time_zone, persona.apologies) == ("Europe/Rome", ("Wait, the kettle.",))
