"""Long texts come out in parts that a platform takes, and nothing that belongs together is cut."""

import re

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.splitting import Unit, length, split

FENCE = re.compile(r"```")


def words(parts: list[str]) -> list[str]:
    """The words of all parts, without fences and the languages of opened ones."""
    found: list[str] = []
    for part in parts:
        for number, text in enumerate(part.split("```")):
            is_code = number % 2 == 1
            found += (re.sub(r"^[A-Za-z0-9_+#.-]{0,20}\n", "", text) if is_code else text).split()
    return found


def test_a_short_text_is_one_part() -> None:
    assert split("hello", limit=2000) == ["hello"]


@pytest.mark.parametrize("text", ["", "   ", "\n\n\t"])
def test_blank_text_has_no_parts(text: str) -> None:
    assert split(text, limit=2000) == []


def test_a_limit_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="needs room"):
        split("hello", limit=10)


def test_paragraphs_go_before_lines_and_lines_before_sentences() -> None:
    text = "One is here.\nTwo is here.\n\nThree is here. Four is here.\nFive"
    assert split(text, limit=45)[0] == "One is here.\nTwo is here."
    assert split(text.replace("\n\n", "\n"), limit=48)[0] == "One is here.\nTwo is here."
    assert split("One is here. Two is here. Three is here, and more", limit=40)[0] == (
        "One is here. Two is here."
    )


def test_a_fence_is_closed_and_opened_again_with_its_language() -> None:
    code = "\n".join(f"print({n})" for n in range(40))
    parts = split(f"Look:\n```python\n{code}\n```\nDone.", limit=200)
    assert len(parts) > 2
    for part in parts:
        assert len(part) <= 200
        assert len(FENCE.findall(part)) % 2 == 0
    assert all(part.startswith("```python\n") for part in parts[1:-1])
    assert [w for w in words(parts) if w.startswith("print")] == code.split()


def test_a_fence_that_ends_at_the_cut_is_not_opened_for_nothing() -> None:
    text = "```\n" + "x" * 188 + "\n```\n" + "after " * 20
    parts = split(text, limit=200)
    assert parts[0] == "```\n" + "x" * 188 + "\n```"
    assert parts[1].startswith("after")


@pytest.mark.parametrize(
    "whole",
    [
        "<@123456789012345678>",
        "<#123456789012345678>",
        "<:heron:123456789012345678>",
        "<t:1700000000:R>",
        "https://example.org/a/very/long/path?with=query&and=more",
    ],
)
@pytest.mark.parametrize("before", range(60, 100, 3))
def test_mentions_and_links_stay_whole(whole: str, before: int) -> None:
    text = "x" * before + whole + "y" * 80
    assert any(whole in part for part in split(text, limit=100))


def test_a_link_longer_than_a_message_is_cut_all_the_same() -> None:
    link = "https://example.org/" + "a" * 5000
    parts = split(link, limit=2000)
    assert "".join(parts) == link


def test_thousands_of_emoji_stay_whole_in_utf16() -> None:
    parts = split("😀" * 5000, limit=4096, unit=Unit.UTF16)
    assert "".join(parts) == "😀" * 5000
    assert [length(part, Unit.UTF16) for part in parts[:-1]] == [4096, 4096]
    for part in parts:
        part.encode("utf-8")


def test_families_of_emoji_are_not_parted() -> None:
    family = "👩‍👩‍👧‍👦"
    parts = split(family * 100, limit=100)
    assert all(set(regex.findall(r"\X", part)) == {family} for part in parts)


def test_endless_accents_are_cut_all_the_same() -> None:
    zalgo = "a" + "\u0301" * 5000
    parts = split(zalgo, limit=2000)
    assert "".join(parts) == zalgo
    assert max(map(len, parts)) <= 2000


def test_chinese_breaks_after_its_full_stops() -> None:
    parts = split("他在海邊走。" * 30, limit=100)
    assert all(part.endswith("。") for part in parts)


TEXTS = st.lists(
    st.sampled_from(
        [
            "word",
            " ",
            "\n",
            "\n\n",
            "```",
            "```py\n",
            "<@12345678901234567890>",
            "😀",
            "é́́",
            "https://example.org/x",
            ". ",
            "他。",
            "x" * 70,
        ]
    ),
    max_size=80,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, limit=st.integers(40, 120), unit=st.sampled_from(list(Unit)))
def test_no_part_is_too_long_or_blank_and_no_word_is_lost(
    text: str, limit: int, unit: Unit
) -> None:
    parts = split(text, limit=limit, unit=unit)
    for part in parts:
        assert 0 < length(part, unit) <= limit
        assert part.strip()
    kept, given_ = "".join(words(parts)), "".join(words([text.strip()]))
    assert kept == given_
