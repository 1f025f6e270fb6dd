"""Macros in the texts of personas and cards: one expander for every path.

Only what an author wrote is expanded, and only once: what a macro puts in (a name, the
author's other texts are the exception) is never read as a macro again, so that a person
called `{{char}}` stays a person called `{{char}}`.

Names are taken in any case. A macro that nobody knows stays as it is, because a text may
hold double braces for reasons of its own; one that belongs to another program's state
(its variables, its last message) vanishes.
"""

import hashlib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from bot.macro_parsing import Macro, Node, parse
from bot.macro_values import format_time, roll
from bot.persona import Persona
from bot.text import clean_name

MOST_CHARACTERS = 40_000
"""What one expansion may write; the rest is cut off."""

MOST_MACROS = 5_000
"""Macros filled in by one expansion; further ones vanish."""

CHARACTERS_PER_MACRO = 50
"""Calling another text costs as much as a macro for each so many of its characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """What macros stand for at this moment.

    `user` is the speaker of the line that is answered, `now` the time in the persona's
    zone. `rng` decides `random` and `roll`; `pick` depends on `seed`, the text and the
    macro's place in it alone. `original` is what the text replaces, for `{{original}}`.
    `texts` are the author's texts that others may call: description, personality, scenario.
    """

    char: str
    user: str
    now: datetime
    rng: random.Random
    seed: str = ""
    original: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


def filling_for(
    persona: Persona, *, user: str, now: datetime, rng: random.Random, seed: str = ""
) -> Filling:
    """What macros stand for when this persona speaks to `user`: the speaker of the line that
    is answered, whose name is cleaned here. `seed` names the conversation, so that what was
    picked in it stays."""
    return Filling(
        char=persona.name,
        user=clean_name(user),
        now=now.astimezone(ZoneInfo(persona.time_zone)),
        rng=rng,
        seed=f"{persona.key}\0{seed}",
        texts={
            "description": persona.description,
            "personality": persona.personality,
            "scenario": persona.scenario,
        },
    )


def expand(text: str, filling: Filling) -> str:
    """The text with its macros filled in. Never fails; time and length are bounded."""
    if "{{" not in text and "<" not in text:
        return text
    return _Expansion(filling).text(text)


_LEGACY = re.compile(r"<(user|bot|char|charifnotgroup|group)>", re.IGNORECASE)


class _Expansion:
    """One run of `expand`: how much it has written, and which texts it is in."""

    def __init__(self, filling: Filling) -> None:
        self.filling = filling
        self.source = ""
        self._characters = MOST_CHARACTERS
        self._macros = MOST_MACROS
        self._original = filling.original
        self._inside: list[str] = []

    def text(self, text: str) -> str:
        outer, self.source = self.source, text
        try:
            return self.nodes(parse(text))
        finally:
            self.source = outer

    def nodes(self, nodes: Sequence[Node]) -> str:
        """Text is written and macros are filled in. `{{trim}}` eats the line ends around."""
        written = ""
        trim = False
        for node in nodes:
            if isinstance(node, Macro) and node.name == "trim":
                written, trim = written.rstrip("\r\n"), True
                continue
            part = self._plain(node) if isinstance(node, str) else self._fill(node)
            if trim:
                part = part.lstrip("\r\n")
                trim = not part
            written += part
        return written

    def _plain(self, text: str) -> str:
        def name(mark: re.Match[str]) -> str:
            return self.filling.user if mark[1].casefold() == "user" else self.filling.char

        return self.write(_LEGACY.sub(name, text))

    def _fill(self, macro: Macro) -> str:
        if self._macros <= 0:
            return ""
        self._macros -= 1
        name = macro.name
        value = None
        if name in self.filling.texts:
            value = self._called(name)
        elif name in _VANISH:
            value = ""
        elif name in _VALUES:
            value = _VALUES[name](self, macro)
        elif match := re.fullmatch(r"time_utc([+-]\d{1,2})", name):
            value = self.write(_time_in_zone(self.filling.now, int(match[1])))
        return "{{" + self.nodes(macro.body) + "}}" if value is None else value

    def write(self, text: str) -> str:
        text = text[: self._characters]
        self._characters -= len(text)
        return text

    def original(self) -> str:
        """What the text replaces, once."""
        text, self._original = self._original, ""
        return self.write(text)

    def _called(self, name: str) -> str:
        if name in self._inside:
            return ""
        text = self.filling.texts[name]
        self._macros -= len(text) // CHARACTERS_PER_MACRO
        self._inside.append(name)
        try:
            return self.text(text)
        finally:
            self._inside.pop()


def _one_of(run: _Expansion, macro: Macro, rng: random.Random) -> str:
    choices = macro.choices
    return run.nodes(rng.choice(choices)).strip().replace("\\,", ",") if choices else ""


def _random(run: _Expansion, macro: Macro) -> str:
    return _one_of(run, macro, run.filling.rng)


def _pick(run: _Expansion, macro: Macro) -> str:
    place = f"{run.filling.seed}\0{macro.at}\0{run.source}".encode("utf-8", "replace")
    number = int.from_bytes(hashlib.blake2b(place, digest_size=8).digest())
    return _one_of(run, macro, random.Random(number))  # noqa: S311 - a choice, not a secret


def _roll(run: _Expansion, macro: Macro) -> str | None:
    result = roll(run.nodes(macro.argument).strip(), run.filling.rng)
    return None if result is None else run.write(str(result))


def _time_in_zone(now: datetime, hours: int) -> str:
    return f"{now.astimezone(timezone(timedelta(hours=max(-23, min(hours, 23))))):%H:%M}"


def _date(run: _Expansion, _: Macro) -> str:
    now = run.filling.now
    return run.write(f"{now.day} {now:%B} {now.year}")


_Value = Callable[[_Expansion, Macro], str | None]


def _now(form: str) -> _Value:
    return lambda run, _: run.write(f"{run.filling.now:{form}}")


_VALUES: dict[str, _Value] = {
    "user": lambda run, _: run.write(run.filling.user),
    "notchar": lambda run, _: run.write(run.filling.user),
    "char": lambda run, _: run.write(run.filling.char),
    "bot": lambda run, _: run.write(run.filling.char),
    "charifnotgroup": lambda run, _: run.write(run.filling.char),
    "group": lambda run, _: run.write(run.filling.char),
    "newline": lambda run, _: run.write("\n"),
    "space": lambda run, _: run.write(" "),
    "original": lambda run, _: run.original(),
    "random": _random,
    "pick": _pick,
    "roll": _roll,
    "reverse": lambda run, macro: run.nodes(macro.argument).strip()[::-1],
    "time": _now("%H:%M"),
    "isotime": _now("%H:%M"),
    "date": _date,
    "isodate": _now("%Y-%m-%d"),
    "weekday": _now("%A"),
    "datetimeformat": lambda run, macro: run.write(
        format_time(run.filling.now, run.nodes(macro.argument).strip())
    ),
}

_VANISH = frozenset(
    name
    for line in (
        "// comment hidden_key noop",
        "getvar setvar addvar incvar decvar",
        "getglobalvar setglobalvar addglobalvar incglobalvar decglobalvar",
        "lastmessage lastusermessage lastcharmessage lastmessageid lastswipeid currentswipeid",
        "firstincludedmessageid lastgenerationtype idle_duration input ismobile model pipe",
        "mesexamples mesexamplesraw charversion char_version charprompt charinstruction",
        "charjailbreak persona banned bias outlet",
    )
    for name in line.split()
)
