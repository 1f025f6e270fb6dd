"""Why nobody answers: one pure decision, and the cooldown that feeds it."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.house.cooldown import Cooldowns
from bot.house.meter import Meter, quantile
from bot.house.quiet import read_quiet
from bot.house.rules import Rules, rules_of
from bot.house.silence import Silence, why_silent
from bot.house.stored import Stored
from bot.world import AccountKey, Answers, Place
from tests.fakes import NOON, person, room

ANA = person("Ana").account


def decide(rules: Rules, *, cooling: bool = False, spent: int = 0, urgent: bool = False) -> str:
    return why_silent(
        rules,
        account=ANA,
        now=datetime(2026, 3, 1, 23, 30, tzinfo=UTC),
        time_zone="UTC",
        cooling=cooling,
        spent=spent,
        urgent=urgent,
    )


def test_by_default_everybody_is_answered() -> None:
    assert decide(Rules(), spent=10**9) is Silence.NONE


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (Rules(muted=frozenset({str(ANA)})), Silence.MUTED),
        (Rules(paused=True), Silence.PAUSED),
        (Rules(quiet=read_quiet("23:00-07:00")), Silence.QUIET),
        (Rules(budget_tokens=100), Silence.OVER_BUDGET),
        (Rules(budget_tokens=101), Silence.NONE),
        (Rules(budget_tokens=0), Silence.OVER_BUDGET),
    ],
)
def test_each_rule_has_its_reason(rules: Rules, reason: Silence) -> None:
    assert decide(rules, spent=100) is reason


def test_quiet_hours_go_by_the_clock_of_the_place() -> None:
    rules = Rules(quiet=read_quiet("23:00-07:00"), time_zone="America/Los_Angeles")
    assert decide(rules) is Silence.NONE


def test_words_that_must_not_wait_are_held_back_by_a_mute_or_a_pause_alone() -> None:
    rules = Rules(quiet=read_quiet("23:00-07:00"), budget_tokens=0)
    assert decide(rules, cooling=True, urgent=True) is Silence.NONE
    assert decide(Rules(paused=True), urgent=True) is Silence.PAUSED


def place(**more: object) -> Place:
    return Place(id=1, where=room(), **more)  # type: ignore[arg-type]


def test_the_place_goes_before_its_server_and_that_before_everywhere() -> None:
    here, server, everywhere = {"cooldown": "1"}, {"cooldown": "2"}, {"cooldown": "3"}
    for stored, seconds in [
        (Stored(here=here, server=server, everywhere=everywhere), 1),
        (Stored(server=server, everywhere=everywhere), 2),
        (Stored(everywhere=everywhere), 3),
        (Stored(), 0),
    ]:
        assert rules_of(place(), stored, None).cooldown_seconds == seconds


def test_a_place_that_was_opened_without_a_setting_goes_by_that() -> None:
    opened = place(listens=True, answers=Answers.ALWAYS)
    rules = rules_of(opened, Stored(server={"speak": "never"}), None)
    assert (rules.opened, rules.speak) == (True, Answers.ALWAYS)
    assert rules_of(opened, Stored(here={"speak": "addressed"}), None).speak is Answers.ADDRESSED


def test_mature_counts_only_where_the_age_is_restricted() -> None:
    assert not rules_of(place(), Stored(here={"rating": "mature"}), None).mature


def test_a_stored_value_that_nobody_understands_any_more_is_the_default() -> None:
    rules = rules_of(
        place(), Stored(here={"strategy": "of another version", "cooldown": "x"}), None
    )
    assert (rules.strategy, rules.cooldown_seconds) == (None, 0)


def test_a_budget_of_the_server_goes_before_the_general_one() -> None:
    assert rules_of(place(), Stored(), 50).budget_tokens == 50
    assert rules_of(place(), Stored(server={"budget": "7"}), 50).budget_tokens == 7
    assert rules_of(place(), Stored(server={"budget": "none"}), 50).budget_tokens is None


class TestCooldown:
    def test_holds_back_until_it_is_over_for_that_member_and_place(self) -> None:
        cooldowns = Cooldowns(burst_seconds=1, burst_most_seconds=6)
        cooldowns.took(1, ANA, NOON)
        later = NOON + timedelta(seconds=10)
        assert cooldowns.is_cooling(1, ANA, later, 30)
        assert not cooldowns.is_cooling(2, ANA, later, 30)
        assert not cooldowns.is_cooling(1, AccountKey(platform="list", user="ben"), later, 30)
        assert not cooldowns.is_cooling(1, ANA, NOON + timedelta(seconds=30), 30)
        assert not cooldowns.is_cooling(1, ANA, later, 0)

    def test_lets_a_burst_through_but_not_an_endless_one(self) -> None:
        cooldowns = Cooldowns(burst_seconds=1, burst_most_seconds=6)
        let_through = 0
        for second in range(30):
            now = NOON + timedelta(seconds=second)
            if not cooldowns.is_cooling(1, ANA, now, 60):
                cooldowns.took(1, ANA, now)
                let_through += 1
        assert let_through == 7


def test_the_meter_tells_the_time_within_which_most_was_answered() -> None:
    meter = Meter(started=NOON)
    assert meter.answer_seconds(0.5) is None
    for n in range(1, 101):
        meter.took(float(n), failed=n == 1)
        meter.lagged(-1.0)
    assert (meter.answer_seconds(0.5), meter.answer_seconds(0.95)) == (50.0, 95.0)
    assert (meter.answered, meter.apologies, meter.lag_seconds(0.99)) == (100, 1, 0.0)


def test_a_quantile_is_one_of_the_values() -> None:
    assert [quantile([3.0, 1.0, 2.0], share) for share in (0.0, 0.34, 1.0)] == [1.0, 2.0, 3.0]
