"""What macros compute: dice, and times in the notation that card authors use."""

import random
import re
from collections.abc import Callable
from datetime import datetime

MOST_DICE = 100
MOST_SIDES = 1_000_000

_COUNTED = re.compile(r"(\d{1,4})?d(\d{1,8})([+-]\d{1,6})?", re.IGNORECASE)


def roll(dice: str, rng: random.Random) -> int | None:
    """The sum of a roll: `20`, `d20`, `2d6`, `2d6+1`. None for anything else."""
    dice = dice.replace(" ", "")
    counted = _COUNTED.fullmatch(dice)
    plain = re.fullmatch(r"()(\d{1,8})([+-]\d{1,6})?", dice)
    match = counted or plain
    if match is None:
        return None
    count, sides = int(match[1] or 1), int(match[2])
    if not (1 <= count <= MOST_DICE and 1 <= sides <= MOST_SIDES):
        return None
    return sum(rng.randint(1, sides) for _ in range(count)) + int(match[3] or 0)


_Part = Callable[[datetime], str]

_PARTS: dict[str, _Part] = {
    "YYYY": lambda t: f"{t.year:04}",
    "YY": lambda t: f"{t.year % 100:02}",
    "MMMM": lambda t: f"{t:%B}",
    "MMM": lambda t: f"{t:%b}",
    "MM": lambda t: f"{t.month:02}",
    "M": lambda t: f"{t.month}",
    "DD": lambda t: f"{t.day:02}",
    "D": lambda t: f"{t.day}",
    "dddd": lambda t: f"{t:%A}",
    "ddd": lambda t: f"{t:%a}",
    "HH": lambda t: f"{t.hour:02}",
    "H": lambda t: f"{t.hour}",
    "hh": lambda t: f"{t.hour % 12 or 12:02}",
    "h": lambda t: f"{t.hour % 12 or 12}",
    "mm": lambda t: f"{t.minute:02}",
    "m": lambda t: f"{t.minute}",
    "ss": lambda t: f"{t.second:02}",
    "s": lambda t: f"{t.second}",
    "A": lambda t: "PM" if t.hour >= 12 else "AM",
    "a": lambda t: "pm" if t.hour >= 12 else "am",
}
_TOKEN = re.compile(r"\[([^\]]*)\]|" + "|".join(_PARTS))


def format_time(moment: datetime, form: str) -> str:
    """A time in a form like `DD.MM.YYYY HH:mm`; what stands in brackets is text."""

    def part(token: re.Match[str]) -> str:
        return _PARTS[token[0]](moment) if token[1] is None else str(token[1])

    return _TOKEN.sub(part, form)
