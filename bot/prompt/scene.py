"""What goes into a prompt, and what comes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.memory import Event, Recalled
from bot.names.forms import looks_like
from bot.persona import Persona
from bot.ports import Line
from bot.sincerity import asks_in_earnest
from bot.text import clean_name, tokens

LINE_TOKENS = 6
"""What a line costs beyond its text: role marks and a label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All that goes into a prompt.

    `said` is what wants an answer now, `window` the lines before it, both oldest first.
    `room` is how many tokens the prompt may fill. `notes` are further sections for the
    system part, each with its heading, in order (place, people in sight, hearsay …).
    """

    persona: Persona
    persona_id: int  # the persona's agent: its own lines are told by this, never by name
    place_name: str
    is_dm: bool
    now: datetime
    said: Sequence[Event]
    window: Sequence[Event] = ()
    recalled: Sequence[Recalled] = ()
    notes: Sequence[str] = ()
    room: int

    @property
    def local_now(self) -> datetime:
        return self.now.astimezone(ZoneInfo(self.persona.time_zone))

    def is_own(self, event: Event) -> bool:
        """Whether the persona itself said it."""
        return event.speaker.id == self.persona_id

    @property
    def in_earnest(self) -> bool:
        """Whether somebody sincerely asks if they talk to a program."""
        return any(asks_in_earnest(event.text) for event in self.said)

    @property
    def addressees(self) -> list[str]:
        """Who is answered, by name, each once."""
        names = (self.label(event) for event in self.said if not self.is_own(event))
        return list(dict.fromkeys(names))

    def label(self, event: Event) -> str:
        """The name that a speaker bore at that moment; with a number where several in sight,
        the persona among them, bear names that readers take for each other."""
        key, name = _key(event.speaker_name), clean_name(event.speaker_name)
        bearers = {
            one.speaker.id
            for one in (*self.window, *self.said, *(r.event for r in self.recalled))
            if _key(one.speaker_name) == key and not self.is_own(one)
        }
        first = [self.persona_id] if key == _key(self.persona.name) else []
        place = [*first, *sorted(bearers | {event.speaker.id})].index(event.speaker.id)
        return f"{name} ({place + 1})" if place else name

    @property
    def namesakes(self) -> str:
        """Says who in sight is not the same person; empty where every name is borne once."""
        events = (*self.window, *self.said, *(r.event for r in self.recalled))
        by_key: dict[str, dict[int, str]] = {_key(self.persona.name): {self.persona_id: "you"}}
        for event in events:
            if not self.is_own(event):
                labels = by_key.setdefault(_key(event.speaker_name), {})
                labels.setdefault(event.speaker.id, self.label(event))
        told = [", ".join(labels.values()) for labels in by_key.values() if len(labels) > 1]
        return "\n".join(f"Different people with one name: {names}." for names in told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The lines for the model, and which memories found room in them."""

    lines: tuple[Line, ...]
    recalled: tuple[Recalled, ...]
    instructions: tuple[str, ...] = ()  # what no answer may repeat

    @property
    def tokens(self) -> int:
        return sum(cost(line) for line in self.lines)


def cost(line: Line) -> int:
    """How many tokens a line fills."""
    return tokens(line.text) + LINE_TOKENS


def _key(name: str) -> str:
    return looks_like(name) or clean_name(name)
