"""Reads when something was, out of a sentence: "last spring", "hace tres días", "去年五月".

Words of three languages, no library: dateparser (1.5) was tried and finds dates in "do" and
"we", knows no seasons, and takes 25 to 120 ms for a sentence.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.recall.time_words import (
    AGO,
    DAY,
    MONTH,
    MONTHS,
    NUMBERS,
    RELATIVE,
    SEASON,
    SEASONS,
    UNITS,
    WEEKDAYS,
    YEAR,
    fold,
)

MOST_YEARS: Final = 150
"""Nobody tells of a time farther back than this."""


@dataclass(frozen=True, slots=True)
class Span:
    """From the first moment to just before the second."""

    start: datetime
    end: datetime

    def __contains__(self, moment: datetime) -> bool:
        return self.start <= moment < self.end


@dataclass(frozen=True, slots=True)
class _Now:
    """Midnight of the day, and the one year that the text names (0: none or several)."""

    today: datetime
    year: int


def spans(text: str, now: datetime) -> list[Span]:
    """The times that a text names, seen from `now` and in its zone, in the order of reading.

    A day or month without a year is of the one year that the text names ("from 3 May to
    9 May 2023"), else the newest that has begun. Nothing named gives nothing.
    """
    left, found = fold(text), []
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    years = set(_YEARS.findall(left))
    only = int(years.pop()) if len(years) == 1 else 0
    for pattern, read in _READERS:
        for match in pattern.finditer(left):
            try:
                span = read(match, _Now(today, only))
            except (ValueError, OverflowError):  # a day that no calendar has
                span = None
            if span is not None and abs(span.start.year - today.year) <= MOST_YEARS:
                found.append((match.start(), span))
                left = left[: match.start()] + " " * len(match[0]) + left[match.end() :]
    return [span for _, span in sorted(found, key=lambda pair: pair[0])]


def _days(start: datetime, days: int = 1) -> Span:
    return Span(start, start + timedelta(days=days))


def _month(year: int, month: int, months: int = 1) -> tuple[datetime, datetime]:
    ends = year * 12 + month - 1 + months
    zero = datetime(year, month, 1)  # noqa: DTZ001 - the caller gives it a zone
    return zero, zero.replace(year=ends // 12, month=ends % 12 + 1)


def _months(today: datetime, year: int, month: int, months: int = 1) -> Span:
    start, end = _month(year, month, months)
    return Span(start.replace(tzinfo=today.tzinfo), end.replace(tzinfo=today.tzinfo))


def _date(match: re.Match[str], now: _Now) -> Span | None:
    """A day, a month or a year by its numbers or names."""
    parts, today = match.groupdict(), now.today
    month = MONTHS.get(parts.get("month") or "") or int(parts.get("number") or 0)
    day = int(parts.get("day") or 0)
    year = int(parts.get("year") or now.year)
    if not month:
        return _months(today, year, 1, 12) if year else None
    if not year:
        year = today.year - ((month, max(day, 1)) > (today.month, today.day))
        year -= (parts.get("last") or "") != "" and (month, year) == (today.month, today.year)
    if not day:
        return _months(today, year, month)
    return _days(today.replace(year=year, month=month, day=day))


def _relative(match: re.Match[str], now: _Now) -> Span | None:
    """Today, yesterday, last week, this year."""
    unit, back = RELATIVE[match["word"]]
    return _unit(now.today, unit, back)


def _unit(today: datetime, unit: str, back: int, wide: int = 0) -> Span | None:
    """A day, week, weekend, month or year that lies `back` of them ago, `wide` more around."""
    if unit == "day":
        return _days(today - timedelta(days=back + wide), 1 + 2 * wide)
    monday = today - timedelta(days=today.weekday())
    if unit == "week":
        return _days(monday - timedelta(weeks=back), 7)
    if unit == "weekend":
        return _days(monday - timedelta(weeks=back, days=-5), 2)
    if unit == "month":
        count = today.year * 12 + today.month - 1 - back
        return _months(today, count // 12, count % 12 + 1)
    return _months(today, today.year - back, 1, 12)


def _ago(match: re.Match[str], now: _Now) -> Span | None:
    """Three weeks ago: that week, for a day ago exactly that day."""
    number = match["count"]
    count = int(number) if number.isdecimal() else NUMBERS[number]
    unit = UNITS[match["unit"]]
    return _unit(now.today, unit, count, wide=1 if unit == "day" and count > 3 else 0)


def _season(match: re.Match[str], now: _Now) -> Span | None:
    """Last spring, the summer of 2021: seasons of the northern hemisphere."""
    first, today = SEASONS[match["season"]], now.today
    parts = match.groupdict()
    if parts.get("year"):
        return _months(today, int(parts["year"]), first, 3)
    if parts.get("relative"):  # 去年春天
        return _months(today, today.year - RELATIVE[parts["relative"]][1], first, 3)
    span = _months(today, today.year, first, 3)
    ended = span.end <= today
    if not ended and (parts.get("last") or span.start > today):
        span = _months(today, today.year - 1, first, 3)
    return span


def _weekday(match: re.Match[str], now: _Now) -> Span | None:
    """Monday, last Friday: the newest that is over, 上周一 that of last week."""
    number, today = WEEKDAYS[match["weekday"]], now.today
    if match.groupdict().get("week"):
        return _days(today - timedelta(days=today.weekday() + 7 - number))
    return _days(today - timedelta(days=(today.weekday() - number - 1) % 7 + 1))


def _christmas(match: re.Match[str], now: _Now) -> Span | None:
    """The days from Christmas Eve on."""
    today = now.today
    year = int(match["year"] or 0) or today.year - ((today.month, today.day) < (12, 25))
    return _days(today.replace(year=year, month=12, day=24), 3)


Reader = Callable[[re.Match[str], _Now], Span | None]

_YEARS: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def _readers() -> Iterator[tuple[re.Pattern[str], Reader]]:
    for source in AGO:
        yield re.compile(source), _ago
    for source in SEASON:
        yield re.compile(source), _season
    for source in (*DAY, *MONTH):
        yield re.compile(source), _date
    words = "|".join(sorted(map(re.escape, RELATIVE), key=len, reverse=True))
    latin = rf"(?<![^\W\d_])(?P<word>{words})(?![a-z])"
    weekdays = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
    yield re.compile(rf"(?P<week>上(?:个)?)(?P<weekday>{weekdays})"), _weekday
    yield (
        re.compile(
            rf"(?:\b(?:on|last|this|el|los|de)\s+|(?=[周星礼]))(?P<weekday>{weekdays})"
            r"(?![a-z])"
        ),
        _weekday,
    )
    feast = r"(?:\b(?:christmas|xmas|navidad|navidades)\b|圣诞节?)"
    yield re.compile(rf"{feast}(?:\s+(?:de\s+)?(?P<year>\d{{4}}))?"), _christmas
    yield re.compile(latin), _relative
    for source in YEAR:
        yield re.compile(source), _date


_READERS: Final = tuple(_readers())
