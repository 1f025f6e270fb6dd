"""How the fields of a card become those of a persona."""

import pytest

from bot.cards.convert import APOLOGIES, persona_from_card
from bot.cards.decorators import read_decorators
from bot.cards.examples import read_examples, write_examples
from bot.cards.reading import read_card
from bot.persona import Example, LoreEntry, LoreLogic, LorePosition, Persona
from tests.cards.makers import Data, book, entry, text, v2, v3


def persona_of(card: Data) -> tuple[Persona, str]:
    persona, warnings = persona_from_card(read_card(text(card))[0], "mirela")
    return persona, " ".join(warnings)


def lore_of(**fields: object) -> LoreEntry:
    persona, _ = persona_of(v2(character_book=book(entry(**fields))))
    (only,) = persona.lore
    return only


def test_the_nickname_is_what_the_persona_is_called() -> None:
    persona, _ = persona_of(v3(name="Mirela | umbrella mender v2", nickname="Mirela"))
    assert persona.name == "Mirela"
    assert persona.nicknames == ("Mirela | umbrella mender v2",)


def test_what_a_card_does_not_say_is_filled_with_something_plain() -> None:
    card: Data = {"spec": "chara_card_v2", "data": {"name": ""}}
    persona, warnings = persona_of(card)
    assert (persona.name, persona.description) == ("Mirela", "Mirela")
    assert (persona.greetings, persona.apologies) == (("Hello.",), APOLOGIES)
    assert "no greeting" in warnings


def test_a_card_described_by_its_personality_alone_says_it_once() -> None:
    persona, _ = persona_of(v2(description=""))
    assert (persona.description, persona.personality) == ("curious", "")


def test_texts_are_bounded_and_cleaned() -> None:
    persona, warnings = persona_of(
        v2(description="x" * 30_000, scenario="a\u202eb\0c", creator="c" * 500)
    )
    assert len(persona.description) == 20_000
    assert "description is longer" in warnings
    assert persona.scenario == "abc"
    assert len(persona.creator) == 200


@pytest.mark.parametrize(
    ("depth", "read_as"), [(2, 2), ("3", 3), ("", 4), (None, 4), (-1, 0), (10**9, 200), (1.5, 1)]
)
def test_the_depth_of_a_depth_prompt_is_read(depth: object, read_as: int) -> None:
    prompt = {"depth_prompt": {"prompt": "It is wet.", "depth": depth}}
    persona, _ = persona_of(v2(extensions=prompt))
    assert [note.depth for note in persona.depth_notes] == [read_as]


@pytest.mark.parametrize("prompt", [None, [], "x", {}, {"prompt": ""}, {"prompt": 3}])
def test_an_empty_depth_prompt_is_none(prompt: object) -> None:
    assert persona_of(v2(extensions={"depth_prompt": prompt}))[0].depth_notes == ()


@pytest.mark.parametrize(
    ("written", "language"),
    [
        ("She mends umbrellas.", "en"),
        ("傘を直す人です。", "ja"),
        ("她在电车站修伞。", "zh"),
        ("우산을 고치는 사람.", "ko"),
        ("Она чинит зонты.", "ru"),
        ("هي تصلح المظلات", "ar"),
        ("היא מתקנת מטריות", "he"),
        ("She says привет and mends umbrellas all day long.", "en"),
    ],
)
def test_the_language_is_guessed_from_the_script(written: str, language: str) -> None:
    card = v2(description=written, first_mes=written, personality="", alternate_greetings=[])
    assert persona_of(card)[0].language == language


def test_wrong_fields_of_our_own_are_left_out_one_by_one() -> None:
    own = {"bower": {"time_zone": "Mars/Olympus", "voice": "dry", "unheard": 1, "key": "other"}}
    persona, warnings = persona_of(v2(extensions=own))
    assert (persona.key, persona.time_zone, persona.voice) == ("mirela", "UTC", "dry")
    assert "bower.time_zone" in warnings
    assert "bower.unheard" in warnings


def test_an_entry_is_read_with_all_its_conditions() -> None:
    assert lore_of(
        secondary_keys=["night"],
        selective=True,
        case_sensitive=True,
        constant=True,
        priority=5,
        position="before_char",
        extensions={
            "selectiveLogic": 2,
            "match_whole_words": True,
            "scan_depth": 1,
            "probability": 50,
            "useProbability": True,
            "exclude_recursion": True,
            "prevent_recursion": True,
        },
    ) == LoreEntry(
        keys=("depot",),
        text="The depot has one dry corner.",
        secondary_keys=("night",),
        logic=LoreLogic.NOT_ANY,
        constant=True,
        case_sensitive=True,
        whole_words=True,
        position=LorePosition.BEFORE,
        order=10,
        priority=5,
        scan_depth=1,
        chance=0.5,
        calls_lore=False,
        called_by_lore=False,
    )


def test_secondary_keys_count_only_where_they_are_switched_on() -> None:
    assert lore_of(secondary_keys=["night"]).secondary_keys == ()


def test_an_entry_at_a_depth_stands_between_the_lines() -> None:
    assert lore_of(extensions={"position": 4, "depth": 2}).depth == 2
    assert lore_of(extensions={"position": 1, "depth": 2}).depth is None


def test_keys_are_regular_expressions_where_the_card_means_it() -> None:
    assert lore_of(use_regex=True, keys=["dep[oô]t"]).regex
    assert not lore_of(use_regex=True, keys=["C++"], extensions={"display_index": 0}).regex


@pytest.mark.parametrize(
    "fields", [{"enabled": False}, {"content": " "}, {"keys": []}, {"keys": ["", " "]}]
)
def test_entries_that_can_never_be_told_are_no_lore(fields: Data) -> None:
    persona, _ = persona_of(v2(character_book=book(entry(**fields))))
    assert persona.lore == ()


def test_a_key_that_is_no_regular_expression_is_told() -> None:
    persona, warnings = persona_of(v2(character_book=book(entry(keys=["/(/", "depot"]))))
    assert persona.lore[0].keys == ("depot",)
    assert "no regular expression" in warnings


def test_settings_of_the_book_are_bounded() -> None:
    card = v2(character_book=book(scan_depth=10**9, token_budget=-5, recursive_scanning=True))
    rules = persona_of(card)[0].lore_rules
    assert (rules.scan_depth, rules.budget, rules.recursive) == (200, 0, True)


def test_a_huge_book_is_used_as_far_as_it_goes() -> None:
    persona, warnings = persona_of(v2(character_book=book(*[entry()] * 2_100)))
    assert len(persona.lore) == 2_000
    assert "2100 entries" in warnings


def test_decorators_are_followed_and_taken_off() -> None:
    kept = lore_of(
        content="@@depth 3\n@@scan_depth 9\n@@exclude_keys dry, sun\n@@role system\n\nIt drips."
    )
    assert (kept.text, kept.depth, kept.scan_depth) == ("It drips.", 3, 9)
    assert kept.exclude_keys == ("dry", "sun")


def test_a_fallback_counts_where_the_first_choice_is_unknown() -> None:
    assert read_decorators("@@unheard 1\n@@@depth 2\nx").depth == 2
    assert read_decorators("@@depth 1\n@@@depth 2\nx").depth == 1
    assert read_decorators("@@depth many\n@@@depth 2\nx").depth == 2


def test_decorators_switch_entries_on_and_off() -> None:
    assert lore_of(keys=[], content="@@activate\nAlways.").constant
    persona, _ = persona_of(v2(character_book=book(entry(content="@@dont_activate\nNever."))))
    assert persona.lore == ()


def test_text_that_only_looks_like_a_decorator_stays() -> None:
    assert read_decorators("Write to\n@@depth 3").text == "Write to\n@@depth 3"


def test_samples_are_read_with_several_lines_and_speakers() -> None:
    written = """<START>
{{user}}: Hello
there
{{char}}: *looks up*
Shut the door.
{{char}}: It rains in.
<start>
Mirela: No umbrella?
<START>
Only a mood."""
    assert read_examples(written, "Mirela") == [
        Example(user="Hello\nthere", reply="*looks up*\nShut the door."),
        Example(user="", reply="It rains in."),
        Example(user="", reply="No umbrella?"),
        Example(user="", reply="Only a mood."),
    ]


@pytest.mark.parametrize("written", ["", "<START>", "<START>\n{{user}}: Hello", "{{char}}:"])
def test_samples_without_an_answer_are_none(written: str) -> None:
    assert read_examples(written, "Mirela") == []


def test_samples_come_back_from_a_card() -> None:
    examples = [Example(user="Hi", reply="a\nb"), Example(user="", reply="c")]
    assert read_examples(write_examples(examples), "X") == examples
