"""Nothing that a card holds is lost on its way through both versions."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cards.convert import card_from_persona, persona_from_card
from bot.cards.model import Card, JsonObject, card_text, to_v2, to_v3
from bot.cards.reading import read_card
from bot.persona import (
    DepthNote,
    Example,
    LoreEntry,
    LoreLogic,
    LorePosition,
    LoreRules,
    Persona,
    RecallMode,
)
from tests.cards.makers import Data, book, data, entry, v2, v3

words = st.text(
    st.characters(exclude_categories=["Cs"], include_characters="{}<>@:\n\u202e\0"), max_size=30
)
numbers = st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False)
anything = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
unknown = st.dictionaries(words.map(lambda name: f"x_{name}"), anything, max_size=3)
entries = st.builds(
    lambda more, fields: {**entry(), **fields, **more},
    unknown,
    st.fixed_dictionaries(
        {"keys": st.lists(words, max_size=3), "content": words, "extensions": unknown},
        optional={
            "enabled": st.booleans(),
            "insertion_order": numbers,
            "case_sensitive": st.booleans(),
            "constant": st.booleans(),
            "selective": st.booleans(),
            "secondary_keys": st.lists(words, max_size=2),
            "position": st.sampled_from(["before_char", "after_char"]),
            "priority": numbers,
            "name": words,
            "comment": words,
            "id": anything,
        },
    ),
)
books = st.builds(
    lambda of, more, fields: {**book(*of), **fields, **more},
    st.lists(entries, max_size=3),
    unknown,
    st.fixed_dictionaries(
        {"extensions": unknown},
        optional={
            "scan_depth": numbers,
            "token_budget": numbers,
            "recursive_scanning": st.booleans(),
            "name": words,
        },
    ),
)
fields = st.fixed_dictionaries(
    {
        "name": words,
        "description": words,
        "first_mes": words,
        "alternate_greetings": st.lists(words, max_size=3),
        "tags": st.lists(words, max_size=3),
        "extensions": unknown,
    },
    optional={"character_book": books, "creator": words},
)
v2_cards = st.builds(
    lambda known, more, beside: {**beside, **v2(**known, **more)}, fields, unknown, unknown
)
of_v3 = st.fixed_dictionaries(
    {},
    optional={
        "nickname": words,
        "source": st.lists(words, max_size=2),
        "creation_date": st.integers(0, 2**40),
        "creator_notes_multilingual": st.dictionaries(st.sampled_from(["en", "it"]), words),
        "assets": st.lists(
            st.fixed_dictionaries({"type": words, "uri": words, "name": words, "ext": words}),
            max_size=2,
        ),
    },
)


def through(card: Data, *steps: str) -> JsonObject:
    """The card after it was written and read again in each of these versions."""
    read, _ = read_card(card_text(card))
    written: JsonObject = {}
    for step in steps:
        written = to_v2(read) if step == "v2" else to_v3(read)
        read, _ = read_card(card_text(written))
    return written


@settings(max_examples=120, deadline=None)
@given(v2_cards)
def test_v2_through_v3_and_back_is_equal(card: Data) -> None:
    assert through(card, "v3", "v2") == card
    assert through(card, "v2") == card


@settings(max_examples=80, deadline=None)
@given(fields, of_v3, unknown)
def test_v3_through_v2_and_back_is_equal(known: Data, new: Data, more: Data) -> None:
    card = v3(**known, **new, **more)
    for one in book_entries(card):
        one["use_regex"] = False
    assert through(card, "v2", "v3") == card


def book_entries(card: Data) -> list[Data]:
    whole = card["data"]
    assert isinstance(whole, dict)
    return list(whole.get("character_book", {}).get("entries", []))


def test_v3_demands_are_filled_in() -> None:
    written = through(v2(character_book=book(entry())), "v3")
    whole = written["data"]
    assert isinstance(whole, dict)
    assert (written["spec"], written["spec_version"]) == ("chara_card_v3", "3.0")
    assert whole["group_only_greetings"] == []
    assert whole["character_book"]["entries"][0]["use_regex"] is False


def test_a_card_that_lacks_fields_is_completed_when_it_is_written() -> None:
    written = through({"spec": "chara_card_v2", "data": {"name": "A"}}, "v2")
    assert written == {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {**{name: type(value)() for name, value in data().items()}, "name": "A"},
    }


def test_what_v3_adds_stays_in_v2_when_it_says_something() -> None:
    written = through(v3(nickname="Mi", character_book=book(entry(use_regex=True))), "v2")
    whole = written["data"]
    assert isinstance(whole, dict)
    assert whole["nickname"] == "Mi"
    assert whole["character_book"]["entries"][0]["use_regex"] is True
    assert "group_only_greetings" not in whole


plain = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=40).map(
    str.strip
)
filled = plain.filter(bool)
said = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=20)
lore_entries = st.builds(
    LoreEntry,
    keys=st.lists(said, min_size=1, max_size=3).map(tuple),
    text=filled,
    secondary_keys=st.lists(said, max_size=2).map(tuple),
    logic=st.sampled_from(LoreLogic),
    exclude_keys=st.lists(said, max_size=2).map(tuple),
    constant=st.booleans(),
    regex=st.booleans(),
    case_sensitive=st.booleans(),
    whole_words=st.booleans(),
    position=st.sampled_from(LorePosition),
    depth=st.none() | st.integers(0, 200),
    order=st.floats(-1e6, 1e6) | st.integers(0, 100).map(float),
    priority=st.none() | st.floats(-1e6, 1e6),
    scan_depth=st.none() | st.integers(0, 200),
    chance=st.floats(0, 1),
    calls_lore=st.booleans(),
    called_by_lore=st.booleans(),
)
personas = st.builds(
    Persona,
    key=st.just("p"),
    name=filled,
    nicknames=st.lists(filled, max_size=2).map(tuple),
    description=filled,
    personality=plain,
    voice=plain,
    instructions=plain,
    instructions_last=plain,
    depth_notes=st.lists(
        st.builds(DepthNote, text=filled, depth=st.integers(0, 200)), max_size=2
    ).map(tuple),
    greetings=st.lists(filled, min_size=1, max_size=3).map(tuple),
    group_greetings=st.lists(filled, max_size=2).map(tuple),
    apologies=st.lists(filled, min_size=1, max_size=2).map(tuple),
    examples=st.lists(st.builds(Example, user=plain, reply=filled), max_size=2).map(tuple),
    knows=st.lists(filled, max_size=2).map(tuple),
    temperament=st.just({"joy": 4.0}),
    recall_mode=st.sampled_from(RecallMode),
    lore=st.lists(lore_entries, max_size=2).map(tuple),
    lore_rules=st.builds(
        LoreRules,
        scan_depth=st.integers(0, 200),
        budget=st.integers(0, 100_000),
        recursive=st.booleans(),
    ),
)


@settings(max_examples=100, deadline=None)
@given(personas)
def test_a_persona_through_a_card_is_the_same_persona(persona: Persona) -> None:
    for form in (to_v3, to_v2):
        read, _ = read_card(json.dumps(form(card_from_persona(persona))))
        assert persona_from_card(read, "p")[0] == persona


def test_a_card_of_a_persona_says_what_other_programs_can_use() -> None:
    persona = Persona(
        key="p", name="P", description="d", greetings=("g",), apologies=("a",), voice="dry",
        knows=("silk",), lore=(LoreEntry(keys=("silk",), text="From Como."),),
    )  # fmt: skip
    card: Card = card_from_persona(persona)
    assert card.data.personality == "dry\n\n{{char}} knows well: silk."
    assert card.data.character_book is not None
    assert card.data.character_book.entries[0].content == "From Como."
    own = card.data.extensions["bower"]
    assert isinstance(own, dict)
    assert set(own) == {"personality", "voice", "apologies", "knows"}
