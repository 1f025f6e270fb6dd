"""A persona: a character with a profile, a voice and a past, read from one TOML file."""

import re
import tomllib
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from bot.emotion import DIMENSIONS, LOWEST
from bot.errors import PersonaError
from bot.lore_keys import check_expression
from bot.memory import Precision
from bot.persona_words import explain, explain_toml
from bot.text import ITEM_LENGTH, STATE_LENGTH

MOST_BYTES = 2_000_000
"""A persona file larger than this is a mistake."""

Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Short = Annotated[str, Field(min_length=1, max_length=200)]
Long = Annotated[str, Field(max_length=20_000)]
Key = Annotated[str, Field(min_length=1, max_length=300)]
Depth = Annotated[int, Field(ge=0, le=200)]


class RecallMode(StrEnum):
    """What feeling does to recall."""

    MATCH = "match"  # memories that feel like the moment
    REGULATE = "regulate"  # for a sad or angry person, memories that comfort
    OFF = "off"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class SeedMemory(_Strict):
    """Something from the persona's own past, told in its own voice.

    `when` is as exact as it is known: "1998", "1998-06", "1998-06-12" or with a time.
    """

    when: str
    text: Text
    place: Annotated[str, Field(max_length=200)] = ""
    people: tuple[Short, ...] = ()
    importance: Annotated[float, Field(ge=0, le=1)] = 0.5

    @field_validator("when", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int) else value

    @model_validator(mode="after")
    def _readable(self) -> Self:
        read_when(self.when)
        return self

    @property
    def at(self) -> datetime:
        return read_when(self.when)[0]

    @property
    def precision(self) -> Precision:
        return read_when(self.when)[1]


class LoreLogic(StrEnum):
    """What the secondary keys of an entry must do, once one of its keys was said."""

    ANY = "any"  # at least one was said too
    ALL = "all"  # every one was said too
    NOT_ANY = "not_any"  # none was said
    NOT_ALL = "not_all"  # at least one was not said


class LorePosition(StrEnum):
    BEFORE = "before"  # before the description of the persona
    AFTER = "after"  # after it


class LoreEntry(_Strict):
    """A fact about the persona's world that enters the prompt when a key is said.

    A key between slashes, with flags (`/drag(on|oon)s?/i`), is a regular expression, and so
    is every key where `regex` is set. With a `depth` the text stands that many lines before
    the newest, whatever its position. Lower `order` stands higher; lower `priority` (or,
    without one, lower order) is dropped first when there is no room.
    """

    keys: tuple[Key, ...] = ()
    text: Text
    secondary_keys: tuple[Key, ...] = ()
    logic: LoreLogic = LoreLogic.ANY
    exclude_keys: tuple[Key, ...] = ()  # with one of these said, the entry stays out
    constant: bool = False  # always in, as far as there is room
    regex: bool = False
    case_sensitive: bool = False
    whole_words: bool = True
    position: LorePosition = LorePosition.AFTER
    depth: Depth | None = None
    order: Annotated[float, Field(allow_inf_nan=False)] = 100.0
    priority: Annotated[float, Field(allow_inf_nan=False)] | None = None
    scan_depth: Depth | None = None  # how many of the newest lines are searched
    chance: Annotated[float, Field(ge=0, le=1)] = 1.0
    calls_lore: bool = True  # its text may call other entries
    called_by_lore: bool = True  # the text of other entries may call it

    @model_validator(mode="after")
    def _callable(self) -> Self:
        if not self.keys and not self.constant:
            raise ValueError("needs keys, or constant = true")
        for key in (*self.keys, *self.secondary_keys, *self.exclude_keys):
            check_expression(key, every=self.regex)
        return self


class LoreRules(_Strict):
    """How the persona's lore is looked up: lines searched, room in tokens, recursion."""

    scan_depth: Depth = 4
    budget: Annotated[int, Field(ge=0, le=100_000)] = 600
    recursive: bool = False  # the text of an entry may call others


class DepthNote(_Strict):
    """An author's reminder that stands `depth` lines before the newest line."""

    text: Text
    depth: Depth = 4


class Example(_Strict):
    """A sample of the voice: what somebody says (may be empty) and what the persona answers."""

    user: Long = ""
    reply: Text


class Item(_Strict):
    """A thing in the persona's starting scene, and its state."""

    item: Annotated[str, Field(min_length=1, max_length=ITEM_LENGTH)]
    state: Annotated[str, Field(min_length=1, max_length=STATE_LENGTH)]


class Persona(_Strict):
    """Everything a persona file may say. `key` is the file's name without its ending."""

    key: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
    name: Short
    description: Text
    nicknames: tuple[Short, ...] = ()
    personality: Long = ""
    voice: Long = ""
    scenario: Long = ""
    instructions: Long = ""  # the author's, to the model
    instructions_last: Long = ""  # the same, repeated after the conversation
    depth_notes: tuple[DepthNote, ...] = ()
    greetings: Annotated[tuple[Text, ...], Field(min_length=1)]
    group_greetings: tuple[Text, ...] = ()  # further ones, where several people are
    apologies: Annotated[tuple[Text, ...], Field(min_length=1)]
    deflections: tuple[Text, ...] = ()
    examples: tuple[Example, ...] = ()
    knows: tuple[Text, ...] = ()
    does_not_know: tuple[Text, ...] = ()
    temperament: dict[str, Annotated[float, Field(ge=1, le=10)]] = Field(default_factory=dict)
    recall_mode: RecallMode = RecallMode.MATCH
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")] = "en"
    time_zone: str = "UTC"
    avatar: Annotated[str, Field(max_length=500)] = ""
    scene: tuple[Item, ...] = ()
    memories: tuple[SeedMemory, ...] = ()
    lore: tuple[LoreEntry, ...] = ()
    lore_rules: LoreRules = LoreRules()
    creator: Annotated[str, Field(max_length=200)] = ""
    creator_notes: Long = ""  # for people; never in a prompt

    @field_validator("temperament")
    @classmethod
    def _known_dimensions(cls, value: dict[str, float]) -> dict[str, float]:
        if wrong := sorted(set(value) - set(DIMENSIONS)):
            raise ValueError(f"{wrong[0]!r} is not one of {', '.join(DIMENSIONS)}")
        return value

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"{value!r} is no time zone; write one like Europe/Lisbon") from error
        return value

    @property
    def names(self) -> tuple[str, ...]:
        """The name and the nicknames: whoever says one of them means this persona."""
        return (self.name, *self.nicknames)

    def baseline(self) -> tuple[float, ...]:
        """The temperament as eight scores in the order of DIMENSIONS, 1.0 where silent."""
        return tuple(self.temperament.get(name, LOWEST) for name in DIMENSIONS)


_WHEN = re.compile(r"^(\d{1,4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}):(\d{2}))?)?)?$")


def read_when(when: str) -> tuple[datetime, Precision]:
    """A partly known date as its first moment (UTC) and how exact it is.

    Raises ValueError with a sentence for the author.
    """
    match = _WHEN.match(when.strip())
    if match is None:
        raise ValueError(
            f'"{when}" is no date; write 1998, 1998-06, 1998-06-12 or 1998-06-12 18:30'
        )
    year, month, day, hour, minute = (int(part) if part else None for part in match.groups())
    precision = (
        Precision.MINUTE if hour is not None
        else Precision.DAY if day is not None
        else Precision.MONTH if month is not None
        else Precision.YEAR
    )  # fmt: skip
    try:
        moment = datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, tzinfo=UTC)
    except ValueError as error:
        raise ValueError(f'"{when}" is no date: {error}') from error
    return moment, precision


def read_persona(path: Path) -> Persona:
    """Reads and checks one file. Raises PersonaError that names file, key and reason."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise PersonaError(
                f"{path}: larger than {MOST_BYTES // 1_000_000} MB; is it a persona?"
            )
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PersonaError(f"{path}: cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise PersonaError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8.") from error
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PersonaError(f"{path}: {explain_toml(error)}.") from error
    return make_persona(data, key=path.stem, source=str(path))


def make_persona(data: dict[str, object], *, key: str, source: str) -> Persona:
    """A persona from parsed data. Raises PersonaError that names source, key and reason."""
    try:
        return Persona.model_validate({**data, "key": key})
    except ValidationError as error:
        raise PersonaError("\n".join(explain(error, source, Persona))) from error
