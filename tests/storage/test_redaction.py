"""What is taken out of texts that stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.forgetting.redaction import without_names, without_passages


@pytest.mark.parametrize(
    ("names", "text", "expected"),
    [
        (["Ana"], "Ask Ana about it", "Ask [someone] about it"),
        (["Ana"], "ANA, ana's and @Ana", "[someone], [someone]'s and @[someone]"),
        (["Ana"], "Anabel likes bananas", None),
        (["Ana", "Ana Lopez"], "Ana  Lopez came", "[someone] came"),
        (["猫小姐"], "我喜欢猫小姐吗", "我喜欢[someone]吗"),
        (["Ana"], "我喜欢Ana吗", "我喜欢[someone]吗"),
        (["A"], "A letter", None),
        (["x.y*z"], "who is x.y*z?", "who is [someone]?"),
        (["x.y*z"], "who is xAy*z?", None),
        (["Ana!"], "Ana! said Ana", "[someone] said Ana"),
        (["  Ana  "], "Ana", "[someone]"),
        (["Ana"], "", None),
    ],
)
def test_names_are_redacted_as_whole_words(
    names: list[str], text: str, expected: str | None
) -> None:
    redact = without_names(names)
    assert (redact(text) if redact else None) == expected


def test_without_a_name_of_two_characters_there_is_nothing_to_redact() -> None:
    assert without_names(["", " ", "A"]) is None


REMOVED = "My sister Eva lives in Lyon with three cats"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I heard: my sister, Eva, lives in Lyon!", "I heard: […]!"),
        ("Did you say MY SISTER EVA LIVES IN lyon WITH three cats? Yes.", "Did you say […]? Yes."),
        ("Eva lives in Lyon", None),  # four words
        ("lives in Lyon with three and lives in Lyon with three", "[…] and […]"),
        ("Nothing of the kind was ever said here", None),
    ],
)
def test_passages_of_five_words_are_redacted(text: str, expected: str | None) -> None:
    redact = without_passages([REMOVED])
    assert redact is not None
    assert redact(text) == expected


def test_passages_of_eight_characters_are_redacted_in_scripts_without_spaces() -> None:
    redact = without_passages(["我的妹妹住在里昂和三只猫"])
    assert redact is not None
    assert redact("听说你的妹妹住在里昂和三只猫, 是吗") == "听说你[…], 是吗"
    assert redact("妹妹住在里昂") is None


def test_short_texts_leave_no_passage() -> None:
    assert without_passages(["hi", "yes of course", "好的"]) is None


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_can_be_compared(removed: str, text: str) -> None:
    redact = without_passages([removed])
    changed = redact(text) if redact else None
    assert changed is None or "[…]" in changed


@given(st.text(min_size=1, max_size=20), st.text(max_size=100))
def test_any_name_can_be_redacted(name: str, text: str) -> None:
    redact = without_names([name])
    changed = redact(text) if redact else None
    assert changed is None or "[someone]" in changed
