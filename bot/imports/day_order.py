"""Which of two numbers is the day: 03/04/2024, decided over a whole file."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from bot.imports.dates import calendar_day


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """A date as three numbers whose first two are day and month or month and day."""

    first: int
    second: int
    year: int
    written: str

    def read(self, *, day_first: bool) -> date | None:
        """The day in one of the two orders, None if the calendar has no such day."""
        day, month = (self.first, self.second) if day_first else (self.second, self.first)
        return calendar_day(self.year, month, day)

    @property
    def is_ambiguous(self) -> bool:
        return self.first <= 12 and self.second <= 12 and self.first != self.second


@dataclass(frozen=True, slots=True, kw_only=True)
class DayOrder:
    """How the dates of one file are read, and a sentence about it where one is due."""

    day_first: bool
    warning: str = ""

    def day(self, numbers: Numbers) -> date | None:
        """The day; a date that is none in the file's order is tried in the other."""
        return numbers.read(day_first=self.day_first) or numbers.read(day_first=not self.day_first)


def day_order(dates: Sequence[Numbers], *, twelve_hours: bool) -> DayOrder:
    """The order that fits all dates of a file, given in the order of its lines.

    A number above 12 decides; else the order in which time runs backwards less often;
    else day first, unless slashes go with am and pm (`twelve_hours`), as in America.
    """
    doubtful = next((numbers for numbers in dates if numbers.is_ambiguous), None)
    if doubtful is None:
        return DayOrder(day_first=all(numbers.first != 0 for numbers in dates))
    day = next((n.written for n in dates if n.first > 12 >= n.second), "")
    month = next((n.written for n in dates if n.second > 12 >= n.first), "")
    if day and month:
        day_first, reason = _by_count(dates), f"though both {day} and {month} occur"
    elif day or month:
        day_first, reason = bool(day), f"as {day or month} can only be read so"
    else:
        day_first, reason = _by_time(dates, twelve_hours=twelve_hours)
    order = "day/month/year" if day_first else "month/day/year"
    return DayOrder(
        day_first=day_first,
        warning=f"Dates such as {doubtful.written} were read as {order}, {reason}.",
    )


def _by_count(dates: Sequence[Numbers]) -> bool:
    day_first = sum(numbers.first > 12 for numbers in dates)
    return day_first >= sum(numbers.second > 12 for numbers in dates)


def _by_time(dates: Sequence[Numbers], *, twelve_hours: bool) -> tuple[bool, str]:
    """Decides where no number does; the reason asks to look."""
    back_if_day, back_if_month = (_steps_back(dates, day_first=order) for order in (True, False))
    if back_if_day != back_if_month:
        return back_if_day < back_if_month, "as time then runs forward"
    american = twelve_hours and all("/" in numbers.written for numbers in dates)
    check = "but nothing in the file proves it; if that is wrong, write them as 2024-03-31"
    return not american, check


def _steps_back(dates: Sequence[Numbers], *, day_first: bool) -> int:
    days = [day for numbers in dates if (day := numbers.read(day_first=day_first))]
    return sum(later < earlier for earlier, later in pairwise(days))
