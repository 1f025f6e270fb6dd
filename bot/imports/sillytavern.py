"""SillyTavern: one JSON object a line, a header first; of several answers the chosen one."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from bot.errors import ImportFileError
from bot.imports.chat import Chat
from bot.imports.conversation import (
    Conversation,
    Fingerprints,
    Format,
    Line,
    Notes,
    Reading,
    clean,
    digest,
    speaker_name,
)
from bot.imports.dates import later
from bot.imports.loose import items, parse_line, record, string
from bot.imports.sillytavern_dates import send_date

MOST_JSON = 20_000_000
"""Characters of one line of the file: a message with all its discarded answers."""

_HEADER = ("user_name", "character_name", "chat_metadata")
_UNNAMED = frozenset({"", "unused"})  # what the header says where names are not kept
_STEP = timedelta(seconds=1)
_FIRST_LINES = 3  # that are looked at; one of them may be damaged

Record = Mapping[str, object]


def is_sillytavern(text: str) -> bool:
    """Whether one of the first lines is a header or a message of such a chat."""
    start = text[:MOST_JSON].lstrip().split("\n", _FIRST_LINES)[:_FIRST_LINES]
    entries = [entry for line in start if (entry := parse_line(line)) is not None]
    return any(_is_message(each) or any(key in each for key in _HEADER) for each in entries)


def read_sillytavern(text: str, name: str, *, default_time: datetime) -> Reading:
    """The one conversation of a chat file, of two or of a group.

    The chat is known by the mark SillyTavern gives it, else by its start, a line by its
    date, speaker and text. Notices of the program and narration are left out. A broken
    line is skipped with a warning. Raises ImportFileError if nothing can be read.
    """
    notes = Notes()
    records = list(_records(text, notes))
    header: Record = {}
    if records and not _is_message(records[0][1]):
        header = records.pop(0)[1]
    conversation = _conversation(records, header, notes, default_time)
    if not conversation.lines:
        raise ImportFileError(
            f"{name}: line 1: no message can be read from this SillyTavern chat;"
            f" export it again. {' '.join(notes.warnings())}".strip()
        )
    return Reading(
        format=Format.SILLYTAVERN,
        conversations=(conversation,),
        skipped=notes.skipped,
        warnings=notes.warnings(),
    )


def _is_message(entry: Record) -> bool:
    return "mes" in entry and ("name" in entry or "is_user" in entry)


def _records(text: str, notes: Notes) -> Iterator[tuple[int, Record]]:
    """The objects of the file with the numbers of their lines."""
    lines = text.rstrip().split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        entry = parse_line(line) if len(line) <= MOST_JSON else None
        if entry is not None:
            yield number, entry
        elif number == len(lines):
            notes.say(f"Line {number}, the last one, is cut off; all before it was read.")
        else:
            notes.skip("not valid JSON", f"line {number}")


def _conversation(
    records: list[tuple[int, Record]], header: Record, notes: Notes, default_time: datetime
) -> Conversation:
    identity = _identity(header, records)
    start = later(default_time, -_STEP * len(records))
    chat = Chat(Format.SILLYTAVERN, identity, notes, start=start)
    prints = Fingerprints()
    for number, entry in records:
        where = f"line {number}"
        speaker, text = _speaker(entry, header), _chosen(entry)
        if reason := _flaw(entry, speaker):
            notes.skip(reason, where)
            continue
        chat.add(
            prints.of(_written(entry), speaker.casefold(), text),
            speaker=speaker,
            text=text,
            at=send_date(entry.get("send_date"), default_time.tzinfo or UTC),
            where=where,
        )
    return Conversation(archive=_archive(header, chat.lines, identity), lines=tuple(chat.lines))


def _written(entry: Record) -> str:
    value = entry.get("send_date")
    return string(value) or (repr(value) if isinstance(value, float) else "")


def _identity(header: Record, records: list[tuple[int, Record]]) -> str:
    """What stays the same however long the chat becomes and whatever its file is called."""
    if mark := string(record(header.get("chat_metadata")).get("integrity")):
        return mark
    if created := string(header.get("create_date")):
        return digest(created, _named(header, "user_name"), _named(header, "character_name"))
    first: Record = records[0][1] if records else {}
    return digest(_written(first), string(first.get("name")), _chosen(first))


def _archive(header: Record, lines: list[Line], identity: str) -> str:
    names = list(dict.fromkeys(line.speaker for line in lines))[:2]
    title = _named(header, "character_name") or " and ".join(names)
    return f"{title} (SillyTavern {digest(identity)[:6]})"


def _named(header: Record, key: str) -> str:
    name = speaker_name(string(header.get(key)))
    return "" if name.casefold() in _UNNAMED else name


def _speaker(entry: Record, header: Record) -> str:
    name = speaker_name(string(entry.get("name")))
    if name:
        return name
    if entry.get("is_user") is True:
        return _named(header, "user_name") or "User"
    return _named(header, "character_name")


def _chosen(entry: Record) -> str:
    """The text that was kept of several answers, and what was attached to it."""
    text, swipes, chosen = entry.get("mes"), items(entry.get("swipes")), entry.get("swipe_id")
    if isinstance(chosen, int) and 0 <= chosen < len(swipes) and string(swipes[chosen]):
        text = swipes[chosen]
    extra = record(entry.get("extra"))
    shown = "[picture]" if string(extra.get("image")) or items(extra.get("media")) else ""
    file = clean(string(record(extra.get("file")).get("name")))
    attached = f"[file: {file}]" if file else ""
    return " ".join(part for part in (clean(string(text)), shown, attached) if part)


def _flaw(entry: Record, speaker: str) -> str:
    """Why an entry is nothing that somebody said; empty if it may be."""
    kind = string(record(entry.get("extra")).get("type"))
    if not _is_message(entry):
        return "not a message"
    if kind in {"narrator", "comment"}:
        return "narration or a comment"
    if entry.get("is_system") is True and (kind or speaker.casefold() == "sillytavern system"):
        return "a notice of the program"
    return ""
