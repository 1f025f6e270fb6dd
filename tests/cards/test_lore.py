"""Which lore what was said calls up."""

import random
import time

import pytest

from bot.lore import active_lore, key_pattern
from bot.persona import LoreEntry, LoreLogic, LoreRules

RULES = LoreRules(scan_depth=4, budget=1_000)


def called(
    entries: list[LoreEntry],
    *lines: str,
    rules: LoreRules = RULES,
    budget: int = 1_000,
    seed: int = 1,
) -> list[str]:
    found = active_lore(entries, lines, rules=rules, budget=budget, rng=random.Random(seed))
    return [entry.text for entry in found]


def lore(*keys: str, text: str = "told", **fields: object) -> LoreEntry:
    return LoreEntry.model_validate({"keys": keys, "text": text, **fields})


@pytest.mark.parametrize(
    ("key", "line", "fits"),
    [
        ("cat", "The CAT sat.", True),
        ("cat", "a location", False),
        ("swing  bridge", "the swing\nbridge", True),
        ("雨", "今日は雨です", True),
        ("비", "비가 온다", True),
        ("ความรัก", "ฉันความรักเธอ", True),
        ("лёд", "Синий ЛЁД.", True),
        ("straße", "STRASSE 3", True),
        ("جسر", "هذا جسر قديم", True),
        ("🦊", "look 🦊!", True),
        ("C++", "I write C++ daily", True),
        ("a.b", "axb", False),
    ],
)
def test_a_key_is_found_as_a_word_of_its_own(key: str, line: str, fits: bool) -> None:
    assert bool(called([lore(key)], line)) is fits


def test_a_key_may_be_a_part_of_a_word_or_mind_its_case() -> None:
    assert called([lore("drag", whole_words=False)], "dragons")
    assert called([lore("May", case_sensitive=True)], "In May")
    assert not called([lore("May", case_sensitive=True)], "you may")


@pytest.mark.parametrize(
    ("logic", "night", "both"),
    [
        (LoreLogic.ANY, True, True),
        (LoreLogic.ALL, False, True),
        (LoreLogic.NOT_ANY, False, False),
        (LoreLogic.NOT_ALL, True, False),
    ],
)
def test_secondary_keys_decide_by_their_logic(logic: LoreLogic, night: bool, both: bool) -> None:
    entry = lore("bell", secondary_keys=["night", "rain"], logic=logic)
    assert bool(called([entry], "a bell at night")) is night
    assert bool(called([entry], "a bell at night in rain")) is both
    assert bool(called([entry], "a bell")) is (logic in {LoreLogic.NOT_ANY, LoreLogic.NOT_ALL})
    assert not called([entry], "night and rain")


def test_an_excluded_key_keeps_the_entry_out() -> None:
    assert called([lore("bell", exclude_keys=["door"])], "the bell")
    assert not called([lore("bell", exclude_keys=["door"])], "the door bell")


def test_only_the_newest_lines_are_searched() -> None:
    lines = ["bell", "one", "two", "three", "four"]
    assert not called([lore("bell")], *lines)
    assert called([lore("bell")], *lines[:4])
    assert called([lore("bell", scan_depth=5)], *lines)
    assert not called([lore("four", scan_depth=0)], *lines)


def test_constant_entries_need_no_key() -> None:
    assert called([lore(constant=True)]) == ["told"]


def test_lower_order_stands_higher() -> None:
    entries = [lore("a", text="late", order=20), lore("a", text="early", order=3)]
    assert called(entries, "a") == ["early", "late"]


def test_lower_priority_is_left_out_first() -> None:
    entries = [
        lore("a", text="w" * 40, order=1, priority=1),
        lore("a", text="x" * 40, order=2, priority=9),
        lore(text="y" * 40, order=3, constant=True),
    ]
    assert called(entries, "a", budget=30) == ["x" * 40, "y" * 40]
    assert called(entries, "a", rules=LoreRules(budget=30)) == ["x" * 40, "y" * 40]
    assert called(entries, "a", budget=0) == []


def test_an_entry_too_long_does_not_keep_out_shorter_ones() -> None:
    entries = [lore("a", text="w" * 400, priority=9), lore("a", text="short", priority=1)]
    assert called(entries, "a", budget=20) == ["short"]


def test_lore_calls_lore_where_the_rules_say_so() -> None:
    chain = [lore("a", text="b"), lore("b", text="c"), lore("c", text="d")]
    assert called(chain, "a") == ["b"]
    assert called(chain, "a", rules=LoreRules(recursive=True)) == ["b", "c", "d"]


def test_lore_that_calls_itself_in_a_circle_is_told_once() -> None:
    circle = [lore("a", text="b"), lore("b", text="a")]
    assert called(circle, "a", rules=LoreRules(recursive=True)) == ["b", "a"]


def test_recursion_is_bounded() -> None:
    chain = [lore(f"k{number}", text=f"k{number + 1}") for number in range(50)]
    assert len(called(chain, "k0", rules=LoreRules(recursive=True))) == 6


def test_entries_may_stay_out_of_recursion() -> None:
    silent = [lore("a", text="b", calls_lore=False), lore("b", text="c")]
    deaf = [lore("a", text="b"), lore("b", text="c", called_by_lore=False)]
    rules = LoreRules(recursive=True)
    assert called(silent, "a", rules=rules) == ["b"]
    assert called(deaf, "a", rules=rules) == ["b"]


def test_an_entry_may_come_by_chance() -> None:
    entry = lore("a", chance=0.5)
    came = [bool(called([entry], "a", seed=seed)) for seed in range(40)]
    assert 8 < sum(came) < 32
    assert not called([lore("a", chance=0.0)], "a")


@pytest.mark.parametrize(
    ("key", "line", "fits"),
    [
        (r"/drag(on|oon)s?/i", "DRAGOONS", True),
        (r"/drag(on|oon)s?/", "DRAGOONS", False),
        (r"/^bell$/m", "the\nbell", True),
        (r"/a.b/s", "a\nb", True),
        (r"/a.b/gu", "a\nb", False),
        (r"/(?<word>be)ll/", "bell", True),
        (r"/\bhttps?:\/\//", "see http://x", True),
        ("//", "//", True),
        ("a/b", "a/b", True),
    ],
)
def test_a_key_between_slashes_is_a_regular_expression(key: str, line: str, fits: bool) -> None:
    assert bool(called([lore(key)], line)) is fits


def test_every_key_is_a_regular_expression_where_the_entry_says_so() -> None:
    assert called([lore("b.ll", regex=True)], "BELL")
    assert not called([lore("b.ll", regex=True, case_sensitive=True)], "BELL")


def test_a_broken_regular_expression_is_none() -> None:
    assert key_pattern("(", regex_key=True, case_sensitive=False, whole_words=True) is None


def test_regular_expressions_that_never_end_cost_a_moment() -> None:
    bad = [lore(f"/(a|aa|a?)+{number}$/") for number in range(200)]
    started = time.process_time()
    assert called([*bad, lore("aaa", text="plain", whole_words=False)], "a" * 4_000) == ["plain"]
    assert time.process_time() - started < 5  # a third of a second on a machine of its own


def test_a_large_book_is_looked_up_quickly() -> None:
    book = [lore(f"word{number}", f"other{number}") for number in range(2_000)]
    lines = ["lorem ipsum dolor " * 100] * 4
    called(book, *lines)
    started = time.process_time()
    assert called([*book, lore("dolor")], *lines) == ["told"]
    assert time.process_time() - started < 5
