"""When the lines of a plain transcript were said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from bot.imports.dates import later, to_utc
from bot.imports.day_order import DayOrder
from bot.imports.transcript_lines import Written
from bot.memory import Precision

_STEP = timedelta(seconds=1)  # between lines whose times are not known, to keep their order
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Something said, with the time before it and the heading above it as written."""

    number: int
    name: str
    text: str
    when: Written | None = None
    heading: Written | None = None

    @property
    def written(self) -> str:
        """The time as it stands in the file, which no guess about its meaning changes."""
        return "\x1e".join(part.raw for part in (self.heading, self.when) if part)

    @property
    def is_dated(self) -> bool:
        return self.heading is not None or (self.when is not None and self.when.has_day)


def moments(
    said: Sequence[Said], order: DayOrder, default_time: datetime
) -> Iterator[tuple[datetime, Precision]]:
    """When each line was said, in UTC, and how exactly that is known.

    A line without a time follows the one before by a second; lines before the first
    dated one precede it; where no line is dated, the last is at `default_time`.
    """
    zone = default_time.tzinfo or UTC
    before = _before_all(said, order, default_time)
    heading: Written | None = None
    for each in said:
        exact = _exact(each, order, zone)
        if exact:
            before = exact
        elif day := _day_of(each, heading):
            start = _start(day, order, zone)
            same_day = start is None or start <= before < later(start, _DAY)
            before = start if start and not same_day else later(before, _STEP)
        else:
            before = later(before, _STEP)
        heading = each.heading
        yield before, Precision.MINUTE if exact else Precision.DAY


def _before_all(said: Sequence[Said], order: DayOrder, default_time: datetime) -> datetime:
    """A moment from which the lines before the first dated one lead up to it."""
    zone = default_time.tzinfo or UTC
    for index, each in enumerate(said):
        day = _day_of(each, None)
        if moment := _exact(each, order, zone) or (day and _start(day, order, zone)):
            return later(moment, -_STEP * (index + 1))
    return later(default_time.astimezone(UTC), -_STEP * len(said))


def _day_of(said: Said, heading: Written | None) -> Written | None:
    """The day that a line without a time brings: its own, or that of a new heading."""
    if said.when and said.when.has_day:
        return said.when
    return said.heading if said.heading is not heading else None


def _exact(said: Said, order: DayOrder, zone: tzinfo) -> datetime | None:
    """The moment a line tells by its time, with the help of the heading above it."""
    if said.when is None or said.when.clock is None:
        return None
    if said.when.has_day:
        return _start(said.when, order, zone)
    return _start(said.heading, order, zone, said.when) if said.heading else None


def _start(
    day: Written, order: DayOrder, zone: tzinfo, clock: Written | None = None
) -> datetime | None:
    """A written day at the time of `clock`, else at its own, else at midnight."""
    date = day.day or (order.day(day.numbers) if day.numbers else None)
    if date is None:
        return None
    timed = clock or day
    return to_utc(datetime.combine(date, timed.clock or time()), _offset(timed.offset) or zone)


def _offset(text: str) -> tzinfo | None:
    if not text:
        return None
    try:
        return datetime.strptime(text.replace(":", ""), "%z").tzinfo
    except ValueError:
        return None
