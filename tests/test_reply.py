"""What the model wrote becomes what the persona says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reply import clean_reply, showable, unlabelled


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("Ida: Hello.", "Hello."),
        ("**Ida**: Hello.", "Hello."),
        ("Hello.\nAna: Nice to meet you\nIda: Same", "Hello."),
        ("Hello.<|im_end|>\n<|im_start|>user\nmore", "Hello."),
        ("<|im_start|>Hello.", "Hello."),
        ("First.\nIda: Second.", "First.\nSecond."),
        ("Ana: I speak for you", ""),
        ("Ana: hello\nIda: Good evening.", "Good evening."),
        ("Ana: hello\nBen: hi\n*Ida*: Good evening.\nAna: bye", "Good evening."),
        ("  ", ""),
        ("Ana, hello: tea?", "Ana, hello: tea?"),
    ],
)
def test_only_the_persona_speaks(raw: str, said: str) -> None:
    assert clean_reply(raw, "Ida", ["Ana"]) == said


def test_a_wrong_label_can_be_taken_off() -> None:
    assert unlabelled("Ana: I am well.", "Ida", ["Ana"]) == "I am well."
    assert unlabelled("Ana: I am well.\nAna: And you?", "Ida", ["Ana"]) == "I am well."


def test_a_label_is_not_shown_while_it_grows() -> None:
    shown = [showable("Ida: Hello there"[:n], "Ida", ["Ana"]) for n in range(1, 17)]
    assert not any(text.startswith(("I:", "Id", "Ida")) for text in shown)
    assert shown[-1] == "Hello there"


@given(st.text(alphabet="IdaAn: \nhe<|>", max_size=60), st.integers(0, 60))
def test_what_was_shown_is_never_taken_back(text: str, cut: int) -> None:
    earlier = showable(text[:cut], "Ida", ["Ana"])
    assert clean_reply(text, "Ida", ["Ana"]).startswith(earlier.rstrip())
