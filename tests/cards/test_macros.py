"""Macros: what they stand for, and what they can never do."""

import random
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.macros import MOST_CHARACTERS, Filling, expand, filling_for
from bot.persona import Persona

NOW = datetime(2026, 3, 4, 18, 5, 9, tzinfo=UTC)


def filling(
    *,
    user: str = "Ana",
    char: str = "Mirela",
    seed: str = "s",
    number: int = 1,
    texts: dict[str, str] | None = None,
) -> Filling:
    return Filling(
        char=char,
        user=user,
        now=NOW,
        rng=random.Random(number),
        seed=seed,
        original="as before",
        texts=texts or {},
    )


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("Hi {{user}}, I am {{char}}.", "Hi Ana, I am Mirela."),
        ("{{ USER }} {{Char}}", "Ana Mirela"),
        ("<USER> <user> <BOT> <Char>", "Ana Ana Mirela Mirela"),
        ("{{{char}}}", "{Mirela}"),
        ("{{{{char}}}}", "{{Mirela}}"),
        ("{{random:only}} {{random::only}} {{random only}}", "only only only"),
        ("{{random: {{user}} }}", "Ana"),
        (r"{{random:a\,b}}", "a,b"),
        ("{{random}}", ""),
        ("{{roll:1}} {{roll:d1}} {{roll:3d1}} {{roll 2d1+4}}", "1 1 3 6"),
        ("{{roll:many}} {{roll:0d6}} {{roll:101d6}}", "{{roll:many}} {{roll:0d6}} {{roll:101d6}}"),
        ("{{time}} {{isotime}} {{date}}", "18:05 18:05 4 March 2026"),
        ("{{isodate}} {{weekday}}", "2026-03-04 Wednesday"),
        ("{{time_UTC+2}} {{time_UTC-3}}", "20:05 15:05"),
        ("{{datetimeformat DD.MM.YY [at] h:mm a}}", "04.03.26 at 6:05 pm"),
        ("a{{// not {{user}} }}b{{//x}}c{{comment: d}}e{{hidden_key:f}}", "abce"),
        ("a\n\n{{trim}}\n\nb", "ab"),
        ("a\n{{trim}}{{// x}}\nb", "ab"),
        ("a{{newline}}b{{space}}c{{noop}}", "a\nb c"),
        ("{{original}}|{{original}}", "as before|"),
        ("{{reverse:{{user}}}}", "anA"),
        ("{{getvar::x}}{{setvar::x::1}}{{lastMessage}}{{persona}}", ""),
        ("{{unheard::{{user}}}}", "{{unheard::Ana}}"),
        ("{{ }} {{}} {{:}}", "{{ }} {{}} {{:}}"),
        ("{{user", "{{user"),
        ("}}{{user}}", "}}Ana"),
        ("{{user {{char}}", "{{user Mirela"),
        ("{user} $user", "{user} $user"),
    ],
)
def test_macros_are_filled_in(text: str, filled: str) -> None:
    assert expand(text, filling()) == filled


def test_a_name_that_looks_like_a_macro_is_only_a_name() -> None:
    odd = filling(user="{{char}}::x}}", char="{{user}}<user>")
    assert expand("{{user}} and {{char}}", odd) == "{{char}}::x}} and {{user}}<user>"
    assert expand("{{random::{{user}}::{{user}}}}", odd) == "{{char}}::x}}"
    assert expand("{{char}} {{unheard {{user}}}}", odd).count("{{char}}") == 1


def test_random_changes_and_takes_every_choice() -> None:
    found = {expand("{{random::a::b::c}}", filling(number=number)) for number in range(50)}
    assert found == {"a", "b", "c"}


def test_only_the_choice_that_is_taken_is_rolled() -> None:
    one = filling()
    expand("{{random::x::x}}{{roll:6}}", one)
    assert expand("{{roll:1}}", one) == "1"


def test_pick_is_the_same_each_time_but_not_in_every_place() -> None:
    text = "{{pick::a::b::c::d}}"
    assert len({expand(text, filling(number=number)) for number in range(20)}) == 1
    assert len({expand(text, filling(seed=str(number))) for number in range(40)}) == 4
    assert len(set(expand(text * 40, filling()))) == 4


def test_rolls_stay_within_their_dice() -> None:
    rolls = [int(expand("{{roll:2d6+1}}", filling(number=number))) for number in range(200)]
    assert (min(rolls), max(rolls)) == (3, 13)


def test_texts_of_the_author_may_call_each_other_but_not_themselves() -> None:
    texts = {"description": "D({{personality}})", "personality": "P({{description}})"}
    assert expand("{{description}}", filling(texts=texts)) == "D(P())"


@pytest.mark.parametrize(
    "text",
    [
        "{{" * 10_000 + "}}" * 10_000,
        "{{" * 20_000,
        "{{random::" * 3_000 + "x" + "}}" * 3_000,
        "{{description}}" * 1_300,
        "{{user}}" * 5_000,
        "{{trim}}\n" * 4_000,
        "{{// " * 4_000 + "}}" * 4_000,
        "{{roll:100d1000000}}" * 1_000,
        "<user>" * 10_000,
    ],
)
def test_no_text_grows_or_takes_long(text: str) -> None:
    texts = {
        "description": "{{personality}}" * 1_300,
        "personality": "{{scenario}}" * 1_600,
        "scenario": "{{// }}" * 2_800,
    }
    started = time.process_time()
    filled = expand(text, filling(user="A" * 40, texts=texts))
    assert time.process_time() - started < 5
    assert len(filled) <= MOST_CHARACTERS + len(text)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["{{", "}}", "{", "}", "::", ":", ",", "\\", " ", "\n", "user", "char", "random",
             "pick", "roll", "d6", "trim", "//", "description", "original", "reverse",
             "datetimeformat", "x", "<user>", "time_UTC+99", "é", "雨"]
        ),
        max_size=30,
    ).map("".join)
)  # fmt: skip
def test_nothing_crashes_the_expander(text: str) -> None:
    texts = {"description": text, "personality": "", "scenario": ""}
    one = expand(text, filling(user="{{random::1::2}}", texts=texts))
    assert one == expand(text, filling(user="{{random::1::2}}", texts=texts))
    assert len(one) <= MOST_CHARACTERS + 4 * len(text)


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_characters="{<"), max_size=60))
def test_text_without_macros_is_left_alone(text: str) -> None:
    assert expand(text, filling()) == text


def test_a_persona_speaks_in_its_own_zone_to_a_cleaned_name() -> None:
    persona = Persona(
        key="m",
        name="Mirela",
        time_zone="Europe/Bucharest",
        description="{{char}} likes {{user}}.",
        greetings=("Hi",),
        apologies=("No",),
    )
    one = filling_for(persona, user="A:na\n", now=NOW, rng=random.Random(1))
    assert expand("{{description}} {{time}}", one) == "Mirela likes Ana. 20:05"
    other = filling_for(persona, user="B", now=NOW, rng=random.Random(2))
    text = "{{pick::a::b::c::d}}" * 9
    assert expand(text, one) == expand(text, other)
