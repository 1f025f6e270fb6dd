"""Markdown of every sort becomes a text and spans that Telegram takes."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.splitting import Unit, length
from adapters.telegram.outbound.cutting import LIMIT, cut
from adapters.telegram.outbound.entities import entities_of
from adapters.telegram.outbound.formatting import styled
from adapters.telegram.outbound.spans import Styled
from tests.platforms.telegram.fake_methods import check_entities


def shown(text: Styled) -> list[tuple[str, str]]:
    return [(span.style, text.text[span.start : span.end]) for span in text.spans]


@pytest.mark.parametrize(
    ("markdown", "text", "spans"),
    [
        ("*smiles* Hello.", "smiles Hello.", [("italic", "smiles")]),
        ("**bold *and* more**", "bold and more", [("bold", "bold and more"), ("italic", "and")]),
        ("**open *bold `code", "**open *bold `code", []),
        ("~~gone~~", "gone", [("strikethrough", "gone")]),
        ("# Head\ntext", "Head\n\ntext", [("bold", "Head")]),
        ("> one\n> two", "one\ntwo", [("blockquote", "one\ntwo")]),
        ("a\nb", "a\nb", []),
        ("snake_case_name 2*3*4", "snake_case_name 2*3*4", []),
        ("a < b & <b>c</b> <script>", "a < b & <b>c</b> <script>", []),
        ("``a ` b``", "a ` b", [("code", "a ` b")]),
        ("```py\nx = `1`\n```", "x = `1`", [("pre", "x = `1`")]),
        ("````\n```\nin\n```\n````", "```\nin\n```", [("pre", "```\nin\n```")]),
        ("- a\n- b\n  1. c", "• a\n• b\n  1. c", []),
        ("3. three\n4. four", "3. three\n4. four", []),
        ("\\*not bold\\*", "*not bold*", []),
        ("    a verse", "a verse", []),
        ("[Note]: not a definition", "[Note]: not a definition", []),
        ("**a `b` c**", "a b c", [("bold", "a "), ("code", "b"), ("bold", " c")]),
        ("😀 **粗体** 😀", "😀 粗体 😀", [("bold", "粗体")]),
    ],
)
def test_markdown_looks_as_it_is_meant(
    markdown: str, text: str, spans: list[tuple[str, str]]
) -> None:
    made = styled(markdown)
    assert made.text == text
    assert shown(made) == spans


def test_links_keep_parentheses_and_only_go_where_links_may_go() -> None:
    made = styled("[w](https://en.wikipedia.org/wiki/Foo_(bar)) [x](javascript:alert(1))")
    assert made.text == "w [x](javascript:alert(1))"
    assert [span.url for span in made.spans] == ["https://en.wikipedia.org/wiki/Foo_(bar)"]
    assert styled("[file](ftp://a/b)").text == "file (ftp://a/b)"
    assert styled("![heron](http://x/y.png)").spans[0].url == "http://x/y.png"


def test_code_keeps_its_language() -> None:
    assert styled("```python title\npass\n```").spans[0].language == "python"


def test_a_table_stands_in_columns() -> None:
    made = styled("| name | 数 |\n|---|---|\n| a | **x** |\n\nend")
    assert made.text == "name | 数\n-----+---\na    | x\n\nend"
    assert shown(made)[0][0] == "pre"


@pytest.mark.parametrize("markdown", ["```\n```", "**", "`" * 99, "[](http://x)", "***", ">", "- "])
def test_what_says_something_never_comes_out_empty(markdown: str) -> None:
    assert styled(markdown).text.strip()


@pytest.mark.parametrize("markdown", ["", "   \n\t "])
def test_what_says_nothing_has_no_parts(markdown: str) -> None:
    assert cut(styled(markdown)) == []


def test_quotes_too_deep_to_show_stay_as_typed() -> None:
    deep = ">" * 200 + "x"
    assert styled(deep).text == deep


def test_ten_thousand_characters_of_chinese_with_emoji_are_cut_between_sentences() -> None:
    text = "灯塔在海边亮着😀。" * 1200
    parts = cut(styled(text))
    assert "".join(part.text for part in parts) == text
    assert all(length(part.text, Unit.UTF16) <= LIMIT for part in parts)
    assert all(part.text.endswith("。") for part in parts)


def test_a_span_that_fits_is_not_cut() -> None:
    bold = " ".join(["bold words"] * 30)
    text = "word " * 790 + "**" + bold + "**"
    first, second = cut(styled(text), limit=4096)
    assert first.spans == ()
    assert shown(second) == [("bold", bold)]


def test_a_span_longer_than_a_message_goes_on_in_the_next() -> None:
    parts = cut(styled("```py\n" + "x = 1  # 😀\n" * 1000 + "```"))
    assert len(parts) > 2
    for part in parts:
        assert shown(part) == [("pre", part.text)]
        assert part.spans[0].language == "py"
        check_entities(part.text, [entity.to_dict() for entity in entities_of(part)])


def test_more_spans_than_telegram_takes_are_left_plain() -> None:
    [part] = cut(styled("*a* " * 300))
    assert len(part.spans) == 100


_PIECES = [*"*_`~[]()>#-|\\!<>& \n1.a你😀", "```", "**", "\n\n", "- ", "1. ", "](http://x.y/(z))"]
_PIECES += ["| a | b |\n|-|-|\n", "> ", "  ", "__", "~~", "word"]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_no_markdown_breaks_it_and_no_word_is_lost(seed: int) -> None:
    dice = random.Random(seed)
    markdown = "".join(dice.choice(_PIECES) for _ in range(dice.randint(0, 80)))
    made = styled(markdown)
    assert bool(made.text) == bool(markdown.strip())
    if "```" not in markdown:  # what stands after it there is dropped with the language
        languages = " ".join(span.language for span in made.spans)
        assert (made.text + languages).count("word") >= markdown.count("word")
    parts = cut(made, limit=40)
    joined = "".join("".join(part.text.split()) for part in parts)
    assert joined == "".join(made.text.split())
    for part in [made, *parts]:
        check_entities(part.text, [entity.to_dict() for entity in entities_of(part)])
    assert all(length(part.text, Unit.UTF16) <= 40 for part in parts)
