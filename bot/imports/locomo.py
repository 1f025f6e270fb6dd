"""LoCoMo: very long conversations of two people in dated sessions, with evidence ids."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo

from bot.errors import ImportFileError
from bot.imports.conversation import (
    MOST_TEXT,
    Conversation,
    Format,
    Line,
    Notes,
    Reading,
    clean,
    digest,
    source_key,
    speaker_name,
)
from bot.imports.dates import clock_hour, date_in_words, later, to_utc
from bot.imports.loose import items, record, string
from bot.memory import Precision

_SESSION = re.compile(r"session_(\d{1,6})")
_WHEN = re.compile(r"(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(.+)", re.IGNORECASE)
_TURN = timedelta(minutes=1)  # turns have no time of their own; so they keep their order


def is_locomo(document: object) -> bool:
    """One sample, a list of samples, or a bare conversation."""
    first = record(items(document)[0]) if items(document) else record(document)
    return isinstance(first.get("conversation"), dict) or bool(_sessions(first))


def read_locomo(document: object, name: str, *, default_time: datetime) -> Reading:
    """All samples of a parsed LoCoMo file.

    Sources are "locomo:<sample id>:<dialogue id>", such as "locomo:conv-26:D8:6". Times
    are the session's plus a minute for each turn before, in the zone of `default_time`.
    Raises ImportFileError if no sample has a session.
    """
    notes = Notes()
    samples = items(document) or [document]
    found = [
        conversation
        for index, sample in enumerate(samples, start=1)
        if (conversation := _conversation(record(sample), index, notes, default_time))
    ]
    if not found:
        raise ImportFileError(
            f"{name}: line 1: no sample has a session with turns; is it a LoCoMo file?"
        )
    return Reading(
        format=Format.LOCOMO,
        conversations=tuple(found),
        skipped=notes.skipped,
        warnings=notes.warnings(),
    )


def _sessions(conversation: Mapping[str, object]) -> list[tuple[int, str]]:
    """Number and key of the sessions with turns, in the order of their numbers."""
    keys = ((match, key) for key in conversation if (match := _SESSION.fullmatch(key)))
    return sorted((int(match[1]), key) for match, key in keys if items(conversation[key]))


def _conversation(
    sample: Mapping[str, object], index: int, notes: Notes, default_time: datetime
) -> Conversation | None:
    body = record(sample.get("conversation")) or sample
    identity = string(sample.get("sample_id")) or _opening(body)
    lines = tuple(_lines(body, identity, f"sample {index}", notes, default_time))
    if not lines:
        return None
    return Conversation(archive=f"{clean(identity)} (LoCoMo)", lines=lines)


def _opening(body: Mapping[str, object]) -> str:
    """The id of a sample without one: the digest of its first turn."""
    for _, key in _sessions(body):
        turn = record(items(body[key])[0])
        return digest(string(turn.get("speaker")), string(turn.get("text")))
    return ""


def _lines(
    body: Mapping[str, object], identity: str, where: str, notes: Notes, default_time: datetime
) -> Iterator[Line]:
    seen: set[str] = set()
    start = default_time.astimezone(UTC)
    for number, key in _sessions(body):
        when = _session_time(string(body.get(f"{key}_date_time")), default_time.tzinfo or UTC)
        if when is None:
            notes.say(f"{where}: session {number} has no readable date and follows the one before.")
        start = when or start
        precision = Precision.MINUTE if when else Precision.DAY
        for position, entry in enumerate(items(body[key]), start=1):
            turn = record(entry)
            origin = string(turn.get("dia_id")) or f"D{number}:{position}"
            spoken = _spoken(turn)
            speaker = speaker_name(string(turn.get("speaker")))
            if reason := _flaw(speaker, spoken, repeated=origin in seen):
                notes.skip(reason, f"{where}, {origin}")
                continue
            seen.add(origin)
            yield Line(
                speaker=speaker,
                text=spoken,
                at=start,
                precision=precision,
                source=source_key(Format.LOCOMO, identity, origin),
                origin=origin,
            )
            start = later(start, _TURN)


def _flaw(speaker: str, spoken: str, *, repeated: bool) -> str:
    """Why a turn cannot be a line; empty if it can."""
    if not speaker:
        return "no speaker"
    if not spoken:
        return "no text"
    if repeated:
        return "a dialogue id that came before"
    return "longer than a chat message can be" if len(spoken) > MOST_TEXT else ""


def _spoken(turn: Mapping[str, object]) -> str:
    """What was said, and the picture that was shown with it."""
    text, caption = clean(string(turn.get("text"))), clean(string(turn.get("blip_caption")))
    return f"{text} [picture: {caption}]".strip() if caption else text


def _session_time(text: str, zone: tzinfo) -> datetime | None:
    """ "1:56 pm on 8 May, 2023" as a moment."""
    match = _WHEN.fullmatch(text.strip())
    if match is None:
        return None
    hour = clock_hour(int(match[1]), match[3].casefold())
    day, minute = date_in_words(match[4]), int(match[2])
    if hour is None or day is None or minute > 59:
        return None
    return to_utc(datetime(day.year, day.month, day.day, hour, minute), zone)  # noqa: DTZ001 -- to_utc gives it the zone
