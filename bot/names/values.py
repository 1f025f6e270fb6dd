"""Decisions about names, and how they are kept."""

from dataclasses import dataclass
from enum import StrEnum

from bot.names.said import NameSaid


class Outcome(StrEnum):
    RESOLVED = "resolved"
    NEW = "new"  # somebody else of this name
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whom a name means. `agent` is set where it is resolved; `rivals` are the bearers among
    whom it stays open, the likeliest first; `why` says what decided, for operators."""

    outcome: Outcome
    agent: int | None = None
    rivals: tuple[int, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """A name in a line, with the decision on it."""

    said: NameSaid
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A name in a line as the memory keeps it; `agent` None stays open."""

    name: str
    position: int
    agent: int | None
    why: str
