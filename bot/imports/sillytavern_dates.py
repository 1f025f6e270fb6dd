"""The dates of SillyTavern messages, in each of the spellings that versions have used."""

import re
from datetime import datetime, time, tzinfo

from bot.imports.dates import calendar_day, clock_hour, date_in_words, from_epoch, from_iso, to_utc
from bot.imports.loose import number, string

_IN_WORDS = re.compile(
    r"(.+?\d{4}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(?:([ap])\.?m\.?)?", re.IGNORECASE
)
_HUMANIZED = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s(?:\s*(\d{1,3})ms)?"
)
_LONGEST = 100  # characters


def send_date(value: object, zone: tzinfo) -> datetime | None:
    """The moment in UTC, None where it cannot be read. `zone` counts where none is named.

    Epoch milliseconds, ISO 8601, "July 4, 2023 3:07pm" (the month in the language of the
    browser) and "2023-7-4 @15h 07m 10s 123ms".
    """
    epoch = number(value)
    if epoch is not None:
        return from_epoch(epoch)
    text = string(value).strip()[:_LONGEST]
    return from_iso(text, zone) or _in_words(text, zone) or _humanized(text, zone)


def _in_words(text: str, zone: tzinfo) -> datetime | None:
    match = _IN_WORDS.fullmatch(text)
    if match is None:
        return None
    day, hour = date_in_words(match[1]), clock_hour(int(match[2]), (match[5] or "").casefold())
    minute, second = int(match[3]), int(match[4] or 0)
    if day is None or hour is None or minute > 59 or second > 59:
        return None
    return to_utc(datetime.combine(day, time(hour, minute, second)), zone)


def _humanized(text: str, zone: tzinfo) -> datetime | None:
    match = _HUMANIZED.fullmatch(text)
    if match is None:
        return None
    year, month, date, hour, minute, second, ms = (int(part or 0) for part in match.groups())
    day = calendar_day(year, month, date)
    if day is None or hour > 23 or minute > 59 or second > 59:
        return None
    return to_utc(datetime.combine(day, time(hour, minute, second, ms * 1000)), zone)
