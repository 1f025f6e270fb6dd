"""What a line typed or piped into the terminal means. Pure: text in, an act out."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

HELP = """\
Text is said to the persona; /help lists its commands, /quit ends.
@place NAME [private]   go to a room        @room   back to the main room
@dm [NAME]              talk alone          @as NAME   speak as someone else
@at WHEN                set the clock: 2026-03-01 18:00, or +3 days, +2 hours
@edit [#N] TEXT         change the last message here, or the N-th of this session
@delete [#N]            delete it
@reply [#N] TEXT        answer the persona's last message, or its N-th
@attach WHAT [| TEXT]   send a picture or file, described
@forward TEXT           forward somebody's text
@burst A | B | C        several messages at once
@wait                   wait until everything is learnt
/press N                press the N-th button of the last reply
In a room, "Name: text" is said by that person; "Name#2: text" by another of that name."""


class LineError(ValueError):
    """A line cannot be followed; the text is a sentence for whoever wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Said to whoever is there. `attachment` describes a file, empty for none."""

    text: str
    attachment: str = ""
    forwarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Said (or ordered) as a reply to the persona's last or N-th message."""

    text: str
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """One's last or N-th message now reads differently."""

    text: str
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """One's last or N-th message is deleted."""

    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """Several messages at once, each as it would be typed."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoToRoom:
    """Into a room; the main one if `room` is empty."""

    room: str = ""
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GoToDm:
    """Alone with the persona, as this person; as the present speaker if empty."""

    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakAs:
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetClock:
    when: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A slash command, as typed."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PressButton:
    """A button of the last reply that had some, counted from 1."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Until everything is answered and learnt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """What can be typed here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quit:
    """The end of the session."""


Act = (
    Say | Answer | Rewrite | Remove | Burst | GoToRoom | GoToDm | SpeakAs | SetClock | Order
    | PressButton | Wait | Help | Quit
)  # fmt: skip

_SPEAKER = re.compile(
    r"^(?P<name>[^\W_][^:\uff1a\n/@<>?!;,\"()\[\]{}]{0,39})(?::[ \t]+|\uff1a)(?=\S)"
)
_MOST_WORDS = 4
_NUMBER = re.compile(r"^#(\d{1,6})(?:\s+|$)")


def split_speaker(line: str) -> tuple[str, str]:
    """ "Ana: hello" as ("Ana", "hello"); ("", line) where no name stands before the text.

    A name has at most 40 characters and four words, and no sentence marks in it, so that
    addresses, times and sentences with a colon are not taken for one.
    """
    match = _SPEAKER.match(line)
    if match is None:
        return "", line
    name = match["name"].strip()
    if len(name.split()) > _MOST_WORDS or not any(c.isalpha() for c in name):
        return "", line
    return name, line[match.end() :]


def read_act(line: str, *, is_mention: Callable[[str], bool]) -> Act:
    """What a line (without its speaker) means.

    `is_mention` tells whether a text that begins with @ names somebody who is there.
    Raises LineError for a directive that does not exist or is not complete.
    """
    line = line.strip()
    if line.startswith("/"):
        return _read_order(line)
    if not line.startswith("@"):
        return Say(text=line)
    word, _, rest = line[1:].partition(" ")
    read = _DIRECTIVES.get(word.casefold())
    if read is not None:
        return read(rest.strip())
    if is_mention(line):
        return Say(text=line)
    raise LineError(f"@{word} is neither a directive nor somebody here; @help lists directives.")


def read_moment(text: str, now: datetime, zone: tzinfo) -> datetime:
    """ "2026-03-01 18:00", ISO 8601 or "+3 days" as an aware time; a bare one is in `zone`.

    Raises LineError.
    """
    if step := _STEP.match(text.strip()):
        return now + int(step["count"]) * _UNITS[step["unit"].casefold()]
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise LineError(
            f'"{text}" is no time; write @at 2026-03-01 18:00, or @at +3 days.'
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


_STEP = re.compile(r"^\+\s*(?P<count>\d{1,5})\s*(?P<unit>minute|hour|day|week)s?$", re.IGNORECASE)
_UNITS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}


def _read_order(line: str) -> Act:
    word, _, rest = line.partition(" ")
    if word in {"/quit", "/exit"}:
        return Quit()
    if word == "/press":
        if not rest.strip().isdecimal():
            raise LineError("Say which button, counted from 1: /press 1.")
        return PressButton(number=int(rest))
    return Order(text=line)


def _read_place(rest: str) -> Act:
    words = rest.split()
    private = len(words) > 1 and words[-1].casefold() == "private"
    name = " ".join(words[:-1] if private else words)
    if not name:
        raise LineError("Say where: @place kitchen, or @place kitchen private.")
    return GoToRoom(room=name, private=private)


def _read_speak_as(rest: str) -> Act:
    if not rest:
        raise LineError("Say who speaks from now on: @as Ana.")
    return SpeakAs(name=rest)


def _read_clock(rest: str) -> Act:
    if not rest:
        raise LineError("Say what time it is: @at 2026-03-01 18:00, or @at +3 days.")
    return SetClock(when=rest)


def _read_answer(rest: str) -> Act:
    number, text = _split_number(rest)
    if not text:
        raise LineError("Say what you reply: @reply I see, or @reply #2 I see.")
    return Answer(text=text, number=number)


def _read_rewrite(rest: str) -> Act:
    number, text = _split_number(rest)
    if not text:
        raise LineError("Say how the message reads now: @edit I meant tea.")
    return Rewrite(text=text, number=number)


def _read_remove(rest: str) -> Act:
    number, text = _split_number(rest)
    if text:
        raise LineError("Write @delete for your last message, or @delete #2 for the second.")
    return Remove(number=number)


def _read_attach(rest: str) -> Act:
    description, _, text = (part.strip() for part in rest.partition("|"))
    if not description:
        raise LineError("Describe what you send: @attach a photo of a dog.")
    return Say(text=text, attachment=description)


def _read_forward(rest: str) -> Act:
    if not rest:
        raise LineError("Say what you forward: @forward The ferry is cancelled.")
    return Say(text=rest, forwarded=True)


def _read_burst(rest: str) -> Act:
    lines = tuple(part.strip() for part in rest.split("|") if part.strip())
    if not lines:
        raise LineError("Say what comes at once: @burst Hello | are you there? | it is me.")
    return Burst(lines=lines)


def _split_number(rest: str) -> tuple[int | None, str]:
    match = _NUMBER.match(rest)
    return (int(match[1]), rest[match.end() :].strip()) if match else (None, rest)


_DIRECTIVES: dict[str, Callable[[str], Act]] = {
    "place": _read_place,
    "room": lambda _: GoToRoom(),
    "group": lambda _: GoToRoom(),
    "dm": lambda rest: GoToDm(name=rest),
    "as": _read_speak_as,
    "at": _read_clock,
    "edit": _read_rewrite,
    "delete": _read_remove,
    "reply": _read_answer,
    "attach": _read_attach,
    "forward": _read_forward,
    "burst": _read_burst,
    "wait": lambda _: Wait(),
    "help": lambda _: Help(),
}
