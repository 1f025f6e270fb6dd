"""What a Telegram message shows besides its text, in a few words."""

from collections.abc import Mapping

from bot.imports.conversation import clean
from bot.imports.loose import items, number, record, string

_KINDS = {
    "sticker": "sticker",
    "video_message": "video message",
    "voice_message": "voice message",
    "animation": "animation",
    "video_file": "video",
    "audio_file": "audio",
}
_LONGEST = 200  # characters of one description

Record = Mapping[str, object]


def rich_text(value: object) -> str:
    """A text that is a string or a list of strings and marked-up parts."""
    if isinstance(value, list):
        return "".join(string(part) or string(record(part).get("text")) for part in value)
    return string(value) or string(record(value).get("text"))


def media(entry: Record) -> str:
    """The media of a message as "[photo]"; empty where there are none.

    A shared contact is named, its telephone number is not.
    """
    for describe in (_file, _place, _contact, _poll, _titled):
        if words := describe(entry):
            return f"[{' '.join(words.split())[:_LONGEST]}]"
    return ""


def _file(entry: Record) -> str:
    kind = _KINDS.get(string(entry.get("media_type")), "")
    if kind == "sticker":
        return f"sticker {string(entry.get('sticker_emoji'))}"
    if kind == "audio":
        parts = (clean(string(entry.get(key))) for key in ("performer", "title"))
        title = ", ".join(part for part in parts if part)
        return f"audio: {title}" if title else "audio"
    if kind:
        seconds = number(entry.get("duration_seconds"))
        return f"{kind}, {seconds:.0f} s" if seconds else kind
    if "photo" in entry:
        return "photo"
    if "file" in entry:
        name = string(entry.get("file_name")) or _file_name(string(entry.get("file")))
        return f"file: {clean(name)}" if name else "file"
    return ""


def _file_name(path: str) -> str:
    """The last part of a path; exports write a remark in brackets where there is no file."""
    return "" if path.startswith("(") else path.rsplit("/", 1)[-1]


def _place(entry: Record) -> str:
    if name := clean(string(entry.get("place_name"))):
        return f"place: {name}"
    return "location" if "location_information" in entry else ""


def _contact(entry: Record) -> str:
    if "contact_information" not in entry:
        return ""
    contact = record(entry.get("contact_information"))
    names = (clean(string(contact.get(key))) for key in ("first_name", "last_name"))
    return f"contact: {' '.join(name for name in names if name)}"


def _poll(entry: Record) -> str:
    poll = record(entry.get("poll"))
    question = clean(rich_text(poll.get("question")))
    answers = (clean(rich_text(record(each).get("text"))) for each in items(poll.get("answers")))
    choices = " / ".join(answer for answer in answers if answer)
    return f"poll: {question} {choices}" if question else ""


def _titled(entry: Record) -> str:
    if title := clean(string(entry.get("game_title"))):
        return f"game: {title}"
    title = clean(string(record(entry.get("invoice_information")).get("title")))
    return f"invoice: {title}" if title else ""
