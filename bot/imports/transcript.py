"""Plain transcripts: "Name: text", with or without times, as people and phones save them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.errors import ImportFileError
from bot.imports.conversation import (
    MOST_TEXT,
    Conversation,
    Fingerprints,
    Format,
    Line,
    Notes,
    Reading,
    clean,
    digest,
    source_key,
    speaker_name,
)
from bot.imports.day_order import DayOrder, day_order
from bot.imports.transcript_lines import Token, Written, read_line
from bot.imports.transcript_times import Said, moments

_MOSTLY = 0.8
"""From this share of lines with a time on, a line without one continues the one before."""

_GONE = re.compile(r"(?:this message was deleted|you deleted this message)\.?", re.IGNORECASE)
_NOTE = re.compile(r"\A<([^<>\n]{3,60})>(?=\n|\Z)")
_EDITED = re.compile(r"\s*<this message was edited>$", re.IGNORECASE)


@dataclass(slots=True)
class _Draft:
    """A line under construction: more lines may still continue it."""

    number: int
    name: str
    when: Written | None
    heading: Written | None
    parts: list[str] = field(default_factory=list)

    def finished(self) -> Said:
        text = _EDITED.sub("", clean("\n".join(self.parts)))
        return Said(
            number=self.number,
            name=speaker_name(self.name),
            text=_NOTE.sub(r"[\1]", text),  # <Media omitted>
            when=self.when,
            heading=self.heading,
        )


def read_transcript(text: str, name: str, *, default_time: datetime) -> Reading:
    """The one conversation of a plain transcript.

    A line is "Name: text" with an optional time before it; dates may stand on lines of
    their own; a line without a name continues the one before. Lines without any date
    end at `default_time`, a second apart. Where a file has dates, its conversation is
    known by the two who open it, otherwise by its first line; a line by its time as
    written, its speaker and its text. Raises ImportFileError if nobody says anything.
    """
    notes = Notes()
    tokens = [read_line(line, number) for number, line in enumerate(_split(text), start=1)]
    said = [each for each in _assemble(tokens, notes) if _usable(each, notes)]
    if not said:
        raise ImportFileError(
            f"{name}: line 1: no line reads as 'Name: text' or '[2024-03-01 18:00] Name: text';"
            " write the speaker's name and a colon before what each one says."
        )
    order = _order(said)
    if order.warning:
        notes.say(order.warning)
    return Reading(
        format=Format.TRANSCRIPT,
        conversations=(_conversation(said, order, default_time),),
        skipped=notes.skipped,
        warnings=notes.warnings(),
    )


def _split(text: str) -> list[str]:
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _assemble(tokens: Sequence[Token], notes: Notes) -> Iterator[Said]:
    """Joins lines that belong together, and gives each the heading above it."""
    always = _always_timed(tokens)
    current: _Draft | None = None
    heading: Written | None = None
    for token in tokens:
        if token.heading and not (always and current):
            heading = token.heading
        elif token.name and (token.when or not always):
            if current:
                yield current.finished()
            current = _Draft(token.number, token.name, token.when, heading, [token.text])
        elif token.when and always:
            notes.skip("no speaker, as in a notice of the app", f"line {token.number}")
        elif current:
            current.parts.append(token.line)
        elif token.line:
            notes.skip("text before the first speaker", f"line {token.number}")
    if current:
        yield current.finished()


def _always_timed(tokens: Sequence[Token]) -> bool:
    """Whether every message has its time: an export of a phone, or nearly every line."""
    timed = [token.when for token in tokens if token.name and token.when]
    untimed = sum(1 for token in tokens if token.name and not token.when)
    exported = any(when.numbers and when.clock for when in timed)
    return exported or len(timed) >= _MOSTLY * (len(timed) + untimed) > 0


def _usable(said: Said, notes: Notes) -> bool:
    where = f"line {said.number}"
    if not said.name:
        notes.skip("no speaker, as in a notice of the app", where)
    elif not said.text:
        notes.skip("no text", where)
    elif _GONE.fullmatch(said.text):
        notes.skip("deleted by its author", where)
    elif len(said.text) > MOST_TEXT:
        notes.skip("longer than a chat message can be", where)
    else:
        return True
    return False


def _order(said: Sequence[Said]) -> DayOrder:
    times = [when for each in said for when in (each.heading, each.when) if when]
    return day_order(
        [when.numbers for when in times if when.numbers],
        twelve_hours=any(when.twelve_hours for when in times),
    )


def _conversation(said: Sequence[Said], order: DayOrder, default_time: datetime) -> Conversation:
    spelled: dict[str, str] = {}
    names = [spelled.setdefault(each.name.casefold(), each.name) for each in said]
    opening = list(dict.fromkeys(names))[:2]
    if any(each.is_dated for each in said):
        identity = digest(*sorted(name.casefold() for name in opening))
    else:
        identity = digest(names[0].casefold(), said[0].text)
    prints = Fingerprints()
    lines = tuple(
        Line(
            speaker=speaker,
            text=each.text,
            at=at,
            precision=precision,
            source=source_key(
                Format.TRANSCRIPT,
                identity,
                prints.of(each.written, speaker.casefold(), each.text),
            ),
        )
        for each, speaker, (at, precision) in zip(
            said, names, moments(said, order, default_time), strict=True
        )
    )
    return Conversation(archive=f"{' and '.join(opening)} (transcript {identity[:6]})", lines=lines)
