"""A persona: a character with a profile, a voice and a past, read from one TOML file."""

import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from bot.emotion import DIMENSIONS, LOWEST
from bot.errors import PersonaError
from bot.memory import Precision

MOST_BYTES = 2_000_000
"""A persona file larger than this is a mistake."""

Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Short = Annotated[str, Field(min_length=1, max_length=200)]


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


class LoreEntry(_Strict):
    """A fact about the persona's world that enters the prompt when a key is said."""

    keys: Annotated[tuple[Short, ...], Field(min_length=1)]
    text: Text


class Example(_Strict):
    """A sample of the voice: what somebody says and what the persona answers."""

    user: Text
    reply: Text


class Item(_Strict):
    """A thing in the persona's starting scene, and its state."""

    item: Short
    state: Short


class Persona(_Strict):
    """Everything a persona file may say. `key` is the file's name without its ending."""

    key: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
    name: Short
    description: Text
    nicknames: tuple[Short, ...] = ()
    personality: Annotated[str, Field(max_length=20_000)] = ""
    voice: Annotated[str, Field(max_length=20_000)] = ""
    scenario: Annotated[str, Field(max_length=20_000)] = ""
    greetings: Annotated[tuple[Text, ...], Field(min_length=1)]
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
        raise PersonaError(f"{path}: not valid TOML: {error}.") from error
    return make_persona(data, key=path.stem, source=str(path))


def make_persona(data: dict[str, object], *, key: str, source: str) -> Persona:
    """A persona from parsed data. Raises PersonaError that names source, key and reason."""
    try:
        return Persona.model_validate({**data, "key": key})
    except ValidationError as error:
        raise PersonaError("\n".join(_explain(error, source))) from error


def _explain(error: ValidationError, source: str) -> Iterator[str]:
    for problem in error.errors():
        where = ".".join(
            str(part + 1) if isinstance(part, int) else str(part) for part in problem["loc"]
        )
        reason = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "extra_forbidden":
            reason = "is not a key that Bower knows"
        yield f"{source}: {where or 'file'}: {reason}."


def read_personas(folder: Path) -> tuple[dict[str, Persona], list[str]]:
    """All personas of a folder by key, and a sentence for each file that cannot be used.

    Raises PersonaError if the folder is missing.
    """
    if not folder.is_dir():
        raise PersonaError(
            f"{folder}: no such folder; set PERSONAS to the folder of persona files."
        )
    found: dict[str, Persona] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            persona = read_persona(path)
        except PersonaError as error:
            problems.append(str(error))
        else:
            found[persona.key] = persona
    return found, problems
