"""The table of settings: what can be typed, and what a wrong value says."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from bot.errors import SettingsError
from bot.house.figures import Calls, Price, cost, read_prices
from bot.house.quiet import QuietHours, read_quiet
from bot.house.table import SETTINGS, read_setting
from bot.recall import STRATEGIES


@pytest.mark.parametrize(
    ("name", "typed", "stored"),
    [
        ("speak", "Always", "always"),
        ("opened", "YES", "yes"),
        ("quiet", "23:00-07:00", "23:00-07:00"),
        ("quiet", "9:30 \u2013 10:00", "09:30-10:00"),
        ("quiet", "OFF", "off"),
        ("cooldown", " 030 ", "30"),
        ("language", "ES", "es"),
        ("language", "zh-Hant", "zh-Hant"),
        ("language", "own", "own"),
        ("time_zone", "Europe/Lisbon", "Europe/Lisbon"),
        ("strategy", "usual", "usual"),
        *(("strategy", name.swapcase(), name) for name in STRATEGIES),
        ("rating", "mature", "mature"),
        ("retention", "90", "90"),
    ],
)
def test_what_is_typed_is_read(name: str, typed: str, stored: str) -> None:
    assert read_setting(name, typed) == stored


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("speak", "sometimes"),
        ("opened", "maybe"),
        ("quiet", "23-7"),
        ("quiet", "24:00-07:00"),
        ("quiet", "07:60-08:00"),
        ("quiet", "07:00-07:00"),
        ("cooldown", "-1"),
        ("cooldown", "1.5"),
        ("cooldown", "99999999"),
        ("cooldown", "٣"),
        ("language", "english please"),
        ("time_zone", "Mars/Olympus"),
        ("time_zone", "../../etc/passwd"),
        ("time_zone", ""),
        ("strategy", "guess"),
        ("rating", "x"),
        ("retention", "ten"),
    ],
)
def test_a_wrong_value_is_one_paragraph_that_names_the_setting(name: str, typed: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name} was not changed. .*[.]$"):
        read_setting(name, typed)


def test_an_unknown_setting_lists_those_there_are() -> None:
    with pytest.raises(SettingsError, match="no setting mood; there are speak, "):
        read_setting("mood", "x")


def test_every_default_is_a_value_that_can_be_typed() -> None:
    for name, spec in SETTINGS.items():
        assert read_setting(name, spec.default) == spec.default


@pytest.mark.parametrize(
    ("hours", "inside", "outside"),
    [
        ("23:00-07:00", ["23:00", "00:00", "06:59"], ["07:00", "12:00", "22:59"]),
        ("13:00-14:30", ["13:00", "14:29"], ["12:59", "14:30", "00:00"]),
    ],
)
def test_quiet_hours_include_their_start_and_not_their_end(
    hours: str, inside: list[str], outside: list[str]
) -> None:
    quiet = read_quiet(hours)
    assert quiet is not None
    for moment in (*inside, *outside):
        local = datetime.combine(datetime(2026, 3, 1, tzinfo=UTC), time.fromisoformat(moment))
        assert quiet.include(local) is (moment in inside), moment


def test_quiet_hours_are_told_by_the_local_clock_also_where_it_jumps() -> None:
    quiet = QuietHours(start=time(2), end=time(4))
    zone = ZoneInfo("Europe/Berlin")  # 29 March 2026: 02:00 becomes 03:00 at 01:00 UTC
    assert not quiet.include(datetime(2026, 3, 29, 0, 30, tzinfo=UTC).astimezone(zone))
    assert quiet.include(datetime(2026, 3, 29, 1, 30, tzinfo=UTC).astimezone(zone))
    assert not quiet.include(datetime(2026, 3, 29, 2, 0, tzinfo=UTC).astimezone(zone))


def test_prices_are_read_and_cost_is_per_million_tokens() -> None:
    prices = read_prices("gpt-x=0.15/0.60, a=b/c=1/2 per million")
    assert prices == {
        "gpt-x": Price(prompt=0.15, completion=0.60),
        "a=b/c": Price(prompt=1, completion=2),
    }
    calls = [
        Calls(
            purpose="answer",
            model=model,
            calls=1,
            prompt_tokens=2_000_000,
            completion_tokens=500_000,
            seconds=1.0,
        )
        for model in ("gpt-x", "unpriced")
    ]
    assert cost(calls, prices) == pytest.approx(0.6)
    assert read_prices("") == {}


@pytest.mark.parametrize("text", ["gpt-x", "gpt-x=1", "=1/2", "m=1/x", "m=-1/2", "m=nan/1"])
def test_wrong_prices_say_how_they_are_written(text: str) -> None:
    with pytest.raises(SettingsError, match="write model=PROMPT/COMPLETION"):
        read_prices(text)
