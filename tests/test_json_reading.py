"""What a model meant to write is read; what it did not write is not invented."""

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.json_reading import MAX_CHARACTERS, MAX_DEPTH, Want, read_json
from bot.thoughts import ThoughtFilter, without_thoughts

CLAIM = '{"claims": [{"who": "Ann", "text": "moved to Porto"}]}'
READ: object = {"claims": [{"who": "Ann", "text": "moved to Porto"}]}


@pytest.mark.parametrize(
    "text",
    [
        CLAIM,
        f"```json\n{CLAIM}\n```",
        f"```\n{CLAIM}```",
        f"Sure! Here it is:\n\n{CLAIM}\n\nAnything else, {{name}}? [1]",
        f'<think>{{"claims": []}} or rather</think>\n{CLAIM}',
        f'So {{"claims": []}}, I think.</think>{CLAIM}',
        f"As {{persona}} said [see above]: {CLAIM}",
        f'{{"claims": ...}} is the form.\n{CLAIM}',
        f"[{CLAIM}]",
        "{'claims': [{'who': 'Ann', 'text': 'moved to Porto'}]}",
        "{claims: [{who: 'Ann', text: 'moved to Porto',},],}",
        "{“claims”: [{“who”: “Ann”, “text”: “moved to Porto”}]}",
        '{"claims": [{"who": "Ann" "text": "moved to Porto"}]',
        '{"claims": [/* one */ {"who": "Ann", "text": "moved to Porto"}] // all\n}',
        CLAIM + CLAIM.replace("Ann", "Bob"),
    ],
)
def test_what_the_model_meant_is_read(text: str) -> None:
    assert read_json(text, want="object") == READ


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": NaN, "b": -Infinity, "c": 1e999}', [None, None, None]),
        ('{"a": True, "b": None, "c": false}', [True, None, False]),
        ('{"it": "she said "hi" to me", "n": 1}', ['she said "hi" to me', 1]),
        ('so: {"it": "5" tall", "n": 1} ok?', ['5" tall', 1]),
        ("{'it': 'don\\'t', 'that': \"it's\"}", ["don't", "it's"]),
        ('{"line": "one\ntwo"}', ["one\ntwo"]),
        ('{"half": "\\ud83d"}', ["\ufffd"]),
        ('{"tag": "<think>kept</think>"}', ["<think>kept</think>"]),
        ('{"tag": "<think>kept</think>",}', ["<think>kept</think>"]),
    ],
)
def test_values_are_mended(text: str, value: list[object]) -> None:
    read = read_json(text)
    assert isinstance(read, dict)
    assert list(read.values()) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "whole", "b": "it is cut he', {"a": "whole"}),
        ('{"a": "whole"', {"a": "whole"}),
        ('{"a": "whole", "b": 12', {"a": "whole"}),
        ('{"a": "whole", "b', {"a": "whole"}),
        ('{"a": "whole", "b":', {"a": "whole"}),
        ('[{"a": 1}, {"a": 2}, {"a"', [{"a": 1}, {"a": 2}]),
        ('{"claims": [{"who": "Ann"}, {"who": "B', {"claims": [{"who": "Ann"}]}),
        ("```json\n[1, 2, 3", [1, 2]),
        ('{"a": ["x", "y", "z', {"a": ["x", "y"]}),
    ],
)
def test_of_a_cut_answer_what_is_complete_is_kept_and_nothing_guessed(
    text: str, value: object
) -> None:
    assert read_json(text) == value


@pytest.mark.parametrize("want", [None, "object", "array"])
@pytest.mark.parametrize(
    "text",
    ["", "no", "42", '"text"', "null", "{smile}", "[see above]", '{"a": tru', "<think>{}", "}{"],
)
def test_an_answer_without_json_is_refused(text: str, want: Want | None) -> None:
    with pytest.raises(ValueError, match="no JSON"):
        read_json(text, want=want)


def test_the_wanted_kind_is_unwrapped() -> None:
    assert read_json('{"items": [1, 2]}', want="array") == [1, 2]
    assert read_json('[{"a": 1}, {"a": 2}]', want="object") == {"a": 1}
    assert read_json("{}", want="object") == {}
    with pytest.raises(ValueError, match="no JSON array"):
        read_json('{"a": 1}', want="array")


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 2_000, MAX_CHARACTERS])
@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":', "}"), ("[{'a':", "}]")])
def test_deep_nesting_is_refused(opens: str, closes: str, depth: int) -> None:
    for text in (opens * depth, opens * depth + "1" + closes * depth):
        with pytest.raises(ValueError, match=r"nested too deep|no JSON"):
            read_json(text)


def test_nesting_within_the_bound_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert json.dumps(read_json(text)) == text


def test_what_goes_beyond_the_bound_counts_as_cut() -> None:
    items = [{"n": n} for n in range(MAX_CHARACTERS)]
    read = read_json(json.dumps(items))
    assert isinstance(read, list)
    assert read == items[: len(read)]
    assert len(read) > MAX_CHARACTERS / 20


TOKENS = st.sampled_from(
    [
        *"{}[]()\"'`,:;\\/#“”<>-+.e5 \n\t\x00",
        "true",
        "None",
        "NaN",
        "//",
        "/*",
        "*/",
        "```json\n",
        '{"a":',
        '{"a": 1}',
        "<think>",
        "</think>",
        "\\u",
        "\\ud800",
        "key",
        "'s",
        "é",
        "\U0001f600",
    ]
)


@settings(max_examples=600, deadline=1000)
@given(st.lists(TOKENS, max_size=60).map("".join), st.sampled_from([None, "object", "array"]))
def test_nothing_but_value_error_is_raised(text: str, want: Want | None) -> None:
    try:
        read = read_json(text, want=want)
    except ValueError:
        return
    assert isinstance(read, {"object": dict, "array": list}.get(want or "", (dict, list)))
    json.dumps(read, allow_nan=False).encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])), inner
    ),
    max_leaves=20,
).filter(lambda value: isinstance(value, dict | list))  # fmt: skip


@settings(max_examples=100)
@given(JSON)
def test_whatever_is_json_is_read_as_it_is(value: object) -> None:
    assert read_json(json.dumps(value)) == value


@settings(max_examples=100, deadline=1000)
@given(st.lists(st.dictionaries(st.text(), st.text()), min_size=1), st.data())
def test_a_cut_list_is_a_beginning_of_the_whole(
    value: list[dict[str, str]], data: st.DataObject
) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text)))
    try:
        read = read_json(text[:cut], want="array")
    except ValueError:
        return
    assert isinstance(read, list)
    for got, whole in zip(read, value, strict=False):
        assert got.items() <= whole.items()
    assert read[:-1] == value[: max(len(read) - 1, 0)]


@pytest.mark.parametrize(
    "part",
    [
        '{"a":',
        "[",
        '"',
        "'",
        "{'a",
        '{"a":1} ',
        '{"a":1, ',
        "\\",
        "/*",
        "```",
        '"x',
        '[":',
        "{ ",
        '"}{"a":"',
        "don't ",
        "<think>",
        "</think>",
        "<",
        '{"a":[1],"a":[1],',
        "#",
        "\n",
    ],
)
def test_time_grows_no_faster_than_the_text(part: str) -> None:
    def took(length: int) -> float:
        text = ('{"k":"v",' + part * length)[:length]
        began = time.process_time()
        with suppress(ValueError):
            read_json(text)
        return time.process_time() - began

    took(100)
    short = took(MAX_CHARACTERS // 8)
    assert took(MAX_CHARACTERS) < max(8 * 4 * short, 0.5)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Hello.", "Hello."),
        ("<think>She is sad.</think>\n\nOh no.", "Oh no."),
        ("<think>\n\n</think>\n\nOh no.", "Oh no."),
        ("<THINKING>a <b> c</thinking>Oh <3 no", "Oh <3 no"),
        ("Oh <think>hm</think>no, <thought>x</thought>you <thi", "Oh no, you <thi"),
        ("<think>I never stop", ""),
        ("<", "<"),
    ],
)
def test_thoughts_are_kept_back_wherever_pieces_break(text: str, answer: str) -> None:
    assert without_thoughts(text) == answer
    for size in range(1, len(text) + 1):
        thoughts = ThoughtFilter()
        pieces = [thoughts.feed(text[at : at + size]) for at in range(0, len(text), size)]
        assert "".join([*pieces, thoughts.end()]) == answer
        assert not thoughts.unopened


def test_a_thought_that_was_never_opened_is_noticed() -> None:
    text = "She is sad.</think>Oh no."
    assert without_thoughts(text) == "Oh no."
    thoughts = ThoughtFilter()
    assert thoughts.feed(text) == "She is sad.Oh no."
    assert thoughts.unopened


@pytest.mark.parametrize(
    ("text", "answer"),
    [("sad.</think> Oh no.", "Oh no."), ("Oh no.", "Oh no."), ("<think>a</think>Oh no.", "Oh no.")],
)
def test_a_text_that_begins_within_a_thought(text: str, answer: str) -> None:
    for size in range(1, len(text) + 1):
        thoughts = ThoughtFilter(inside=True)
        pieces = [thoughts.feed(text[at : at + size]) for at in range(0, len(text), size)]
        assert "".join([*pieces, thoughts.end()]) == answer
