"""Dates as programs and people write them."""

import re
import unicodedata
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

_MONTHS: Final = (
    "jan ene gen янв",
    "feb fev фев",
    "mar мар",
    "apr abr avr апр",
    "may mai mag mei maj мая май",
    "jun juin giu июн",
    "jul juil lug июл",
    "aug ago aou авг",
    "sep set сен",
    "oct out ott okt окт",
    "nov ноя",
    "dec dic dez дек",
)
"""How the months begin, in the languages whose calendars turn up in exports."""

_BEGINNINGS: Final = {
    beginning: number for number, row in enumerate(_MONTHS, start=1) for beginning in row.split()
}
_MILLISECONDS_FROM = 100_000_000_000  # as seconds, this is the year 5138
_DAY_FIRST = re.compile(
    r"(?P<day>\d{1,2})(?:\.|st|nd|rd|th|º)?\s+(?:(?:de|of)\s+)?(?P<month>[^\W\d_]{3,12})\.?,?"
    r"\s+(?:(?:de|del)\s+)?(?P<year>\d{4})"
)
_MONTH_FIRST = re.compile(
    r"(?P<month>[^\W\d_]{3,12}|\d{1,2}月)\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})"
)


def to_utc(local: datetime, zone: tzinfo) -> datetime | None:
    """A moment in UTC; `zone` counts where it names none. None at the ends of the calendar."""
    try:
        aware = local if local.tzinfo else local.replace(tzinfo=zone)
        return aware.astimezone(UTC)
    except (OverflowError, ValueError):
        return None


def from_epoch(value: float) -> datetime | None:
    """Seconds, or milliseconds if there are so many, since 1970."""
    seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def from_iso(text: str, zone: tzinfo) -> datetime | None:
    """An ISO 8601 moment, or None."""
    try:
        return to_utc(datetime.fromisoformat(text.strip()), zone)
    except ValueError:
        return None


def later(moment: datetime, step: timedelta) -> datetime:
    """The moment plus a step, or the moment itself at the end of the calendar."""
    try:
        return moment + step
    except OverflowError:
        return moment


def month_number(word: str) -> int | None:
    """The month that a word names (English and its neighbours, "7月"), or None."""
    if word.endswith("月"):
        digits = word[:-1]
        return int(digits) if digits.isdecimal() and 1 <= int(digits) <= 12 else None
    plain = unicodedata.normalize("NFKD", word.casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    plain = plain.replace("маи", "май")  # the breve was a mark of its own
    return _BEGINNINGS.get(plain[:4]) or _BEGINNINGS.get(plain[:3])


def date_in_words(text: str) -> date | None:
    """ "8 May, 2023", "July 4, 2023", "4 de julio de 2023" as a date; None for other text."""
    text = text.strip()
    match = _DAY_FIRST.fullmatch(text) or _MONTH_FIRST.fullmatch(text)
    month = month_number(match["month"]) if match else None
    if match is None or month is None:
        return None
    return calendar_day(int(match["year"]), month, int(match["day"]))


def calendar_day(year: int, month: int, day: int) -> date | None:
    """The day, or None if the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def clock_hour(hour: int, half: str) -> int | None:
    """The hour of 24; `half` is "a", "p" or empty. None if there is no such hour."""
    if not half:
        return hour if hour <= 23 else None
    if not 1 <= hour <= 12:
        return hour if 12 < hour <= 23 and half == "p" else None
    return hour % 12 + (12 if half == "p" else 0)
