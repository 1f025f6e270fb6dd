"""Quiet hours: a time of day during which nobody is answered."""

import re
from dataclasses import dataclass
from datetime import datetime, time

from bot.errors import SettingsError

_HOURS = re.compile(r"([0-9]{1,2}:[0-9]{2})\s*[-–]\s*([0-9]{1,2}:[0-9]{2})")  # noqa: RUF001 - people type it


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """From `start` until before `end`, over midnight where the end is the earlier one."""

    start: time
    end: time

    def __str__(self) -> str:
        return f"{self.start:%H:%M}-{self.end:%H:%M}"

    def include(self, local: datetime) -> bool:
        """Whether a moment, told in local time, lies within them."""
        now = local.time()
        if self.start < self.end:
            return self.start <= now < self.end
        return now >= self.start or now < self.end


def read_quiet(text: str) -> QuietHours | None:
    """ "23:00-07:00" as hours; None for "off". Raises SettingsError."""
    if text.strip().casefold() == "off":
        return None
    found = _HOURS.fullmatch(text.strip())
    start, end = (_time(found[1]), _time(found[2])) if found else (None, None)
    if start is None or end is None or start == end:
        raise SettingsError("Quiet hours are written like 23:00-07:00, or off.")
    return QuietHours(start=start, end=end)


def _time(text: str) -> time | None:
    try:
        return time.fromisoformat(text.rjust(5, "0"))
    except ValueError:
        return None
