"""One line of a plain transcript: its time as written, its speaker, its text."""

import re
from dataclasses import dataclass
from datetime import date, time

from bot.imports.dates import calendar_day, clock_hour, date_in_words
from bot.imports.day_order import Numbers

_DATE = (
    r"(?:(?P<y>\d{4})(?:[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)"
    r"|年\s?(?P<cm>\d{1,2})月\s?(?P<cd>\d{1,2})日)"
    r"|(?P<numbers>(?P<a>\d{1,2})[-/.]\s?(?P<b>\d{1,2})[-/.]\s?(?P<c>\d{4}|\d{2})(?!\d)))"
)
_TIME = (
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,]\d{1,6})?)?(?!\d)"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\b\.?)?(?P<zone>Z\b|\s?(?:UTC)?[+-]\d{2}:?\d{2})?"
)
_JOIN = r"(?:\s*,\s*|[T\s]\s*)"
_CLOSE = r"\s*[-\u2013\u2014:,]?\s*"

_BRACKETED = re.compile(
    rf"[\[(](?:{_DATE})?(?:(?(y){_JOIN}|(?(a){_JOIN}|)){_TIME})?[\])]{_CLOSE}(?P<rest>.*)",
    re.DOTALL,
)
_BARE = re.compile(
    rf"{_DATE}(?:{_JOIN}{_TIME})?(?:\s*[-\u2013\u2014]\s+|\s*[:,]\s+|\s+)(?P<rest>.*)", re.DOTALL
)
_BARE_TIME = re.compile(
    rf"(?=\d{{1,2}}:){_TIME}(?:\s*[-\u2013\u2014]\s+|\s+)(?P<rest>.*)", re.DOTALL
)
_SPOKEN = re.compile(r"(?P<name>[^\s:\uff1a][^:\uff1a\n]{0,99}?)\s*(?::(?:\s+|$)|\uff1a\s*)")
_NOT_IN_NAMES = re.compile(r"[\"\u201c\u201d\u201e<>{}|!?;,\u3002\uff0c\uff01\uff1f\[\]]")
_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\ufeff"
_FRAME = "-=#*_~ \t\u2013\u2014"
_WEEKDAY = re.compile(r"[^\W\d_]{2,12}\.?,?\s+(?=\d|[^\W\d_]{3,12}\.?\s+\d)")
_HEADING_WORDS = frozenset({"date", "datum", "fecha", "data", "day", "日期"})
_MOST_HEADING = 60  # characters; a longer line is no heading


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A time as a line has it. `day` is certain; `numbers` wait for the file's order."""

    raw: str
    day: date | None = None
    numbers: Numbers | None = None
    clock: time | None = None
    offset: str = ""
    twelve_hours: bool = False

    @property
    def has_day(self) -> bool:
        return self.day is not None or self.numbers is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What one line may be: something said (`name` and `text`), a `heading`, or neither.

    `line` is all of it, for lines that turn out to continue the one before.
    """

    number: int
    line: str
    text: str = ""
    name: str = ""
    when: Written | None = None
    heading: Written | None = None


def read_line(line: str, number: int) -> Token:
    """Tells what a line may be, looking at nothing but itself."""
    line = line.strip().lstrip(_MARKS)
    if heading := _heading(line):
        return Token(number=number, line=line, heading=heading)
    when, rest = _stamp(line)
    rest = rest.lstrip(_MARKS)
    match = _SPOKEN.match(rest)
    name = match["name"].lstrip("~\u202f\xa0 ").strip() if match else ""
    if match is None or not name or (when is None and not looks_like_a_name(name)):
        return Token(number=number, line=line, when=when)
    return Token(number=number, line=line, text=rest[match.end() :], name=name, when=when)


def looks_like_a_name(name: str) -> bool:
    """Whether the words before a colon are a speaker and not the start of a sentence."""
    words = name.split()
    if len(name) > 50 or len(words) > 5 or _NOT_IN_NAMES.search(name):
        return False
    if not any(character.isalpha() for character in name):
        return False
    return len(words) < 3 or not words[0][0].islower()


def _stamp(line: str) -> tuple[Written | None, str]:
    for pattern in (_BRACKETED, _BARE, _BARE_TIME):
        match = pattern.match(line)
        if match and (when := _written(match)):
            return when, match["rest"]
    return None, line


def _heading(line: str) -> Written | None:
    """A line that holds a date and nothing else, perhaps framed or with a weekday."""
    bare = line.strip(_FRAME)
    if not 6 <= len(bare) <= _MOST_HEADING:
        return None
    label, _, rest = bare.partition(":")
    if label.strip().casefold() in _HEADING_WORDS:
        bare = rest.strip()
    for text in (bare, _WEEKDAY.sub("", bare, count=1)):
        if day := date_in_words(text):
            return Written(raw=bare, day=day)
        match = _HEADING_DATE.fullmatch(text)
        if match and (when := _written(match)) and when.has_day:
            return when
    return None


_HEADING_DATE = re.compile(rf"[\[(]?{_DATE}(?:{_JOIN}{_TIME})?[\])]?:?")


def _written(match: re.Match[str]) -> Written | None:
    """The parts of a matched time; None if there are none or they are no time."""
    parts = match.groupdict()
    raw = match[0][: match.start("rest") if "rest" in parts else None].strip()
    numbers = _numbers(parts) if parts.get("a") else None
    day = _day(parts) if parts.get("y") else None
    clock = _clock(parts) if parts.get("hour") else None
    if (parts.get("y") and day is None) or (parts.get("hour") and clock is None):
        return None
    if numbers and not (numbers.read(day_first=True) or numbers.read(day_first=False)):
        return None
    if day is None and numbers is None and clock is None:
        return None
    return Written(
        raw=raw,
        day=day,
        numbers=numbers,
        clock=clock,
        offset=(parts.get("zone") or "").replace("UTC", "").strip(),
        twelve_hours=bool(parts.get("half")),
    )


def _day(parts: dict[str, str | None]) -> date | None:
    month, number = parts["m"] or parts["cm"] or "0", parts["d"] or parts["cd"] or "0"
    return calendar_day(int(parts["y"] or 0), int(month), int(number))


def _numbers(parts: dict[str, str | None]) -> Numbers:
    first, second, written = parts["a"] or "0", parts["b"] or "0", parts["c"] or "0"
    year = int(written)
    if len(written) == 2:
        year += 2000 if year < 70 else 1900
    return Numbers(
        first=int(first), second=int(second), year=year, written=parts["numbers"] or written
    )


def _clock(parts: dict[str, str | None]) -> time | None:
    hour = clock_hour(int(parts["hour"] or 0), (parts.get("half") or "").casefold())
    minute, second = int(parts["minute"] or 0), int(parts["second"] or 0)
    return None if hour is None or minute > 59 or second > 59 else time(hour, minute, second)
