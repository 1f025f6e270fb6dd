"""People's and the persona's own words, as they stand in a prompt: dialogue and memories."""

from zoneinfo import ZoneInfo

from bot.memory import Event, EventKind, Precision
from bot.ports import Line
from bot.prompt.scene import Scene
from bot.text import clean, clean_name, shorten

MEMORY_TOKENS = 120
"""One memory is quoted up to this length."""

QUOTED_TOKENS = 60
"""What a message refers to is quoted up to this length."""


_HEARSAY = {
    "false": " (which turned out to be false)",
    "unverified": " (only hearsay: nobody could say whether it is so)",
    "pending": " (only hearsay so far)",
}


def spoken(event: Event, scene: Scene, most: int) -> Line:
    """A line of the dialogue: others with the name of that moment, the persona without.

    Further lines of one message are indented, so that none of them can pass for a speaker.
    """
    text = shorten(clean(event.text), most).replace("\n", "\n  ")
    if scene.is_own(event):
        return Line(role="assistant", text=text)
    if event.quoted:
        text = f'(about: "{shorten(one_line(event.quoted), QUOTED_TOKENS)}") {text}'
    return Line(role="user", text=f"{scene.label(event)}: {text}")


def quote(event: Event, scene: Scene) -> str:
    """A memory as one quoted line: when, who, what."""
    text = shorten(one_line(event.text), MEMORY_TOKENS).replace('"', "'")
    when = when_said(event, scene.persona.time_zone)
    if event.kind is EventKind.SEED and scene.is_own(event):
        where = f", {clean_name(event.place_name)}" if event.place_name else ""
        return f'- Your past, {when}{where}: "{text}"'
    if event.kind is EventKind.REFLECTION:
        return f'- Your own thought, {when} (what you concluded, no fact): "{text}"'
    who = "you" if scene.is_own(event) else scene.label(event)
    past = " (corrected since: no longer so)" if event.superseded_by is not None else ""
    past += _HEARSAY.get(event.hearsay, "")
    return f'- {when}, {who} said{past}: "{text}"'


def when_said(event: Event, time_zone: str) -> str:
    """The time of an event, as exactly as it is known."""
    if event.precision is Precision.YEAR:
        return f"{event.at.year}"
    if event.precision is Precision.MONTH:
        return f"{event.at:%B} {event.at.year}"
    if event.precision is Precision.DAY:
        return f"{event.at.day} {event.at:%B} {event.at.year}"
    local = event.at.astimezone(ZoneInfo(time_zone))
    return f"{local.day} {local:%B} {local.year} {local:%H:%M}"


def one_line(text: str) -> str:
    """The text without line breaks."""
    return " ".join(clean(text).split())
