"""The persona's mood: what it hears moves it, and time brings it back to its temperament.

Nothing is stored. The mood is computed from the newest lines of one conversation and their
feelings, so it survives a restart, forgets what is forgotten, and takes nothing from one place
to another.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.emotion import DIMENSIONS, LOWEST, NEUTRAL, Emotion
from bot.feeling import SPAN, strength, vector
from bot.memory import Event
from bot.persona import Persona
from bot.world import AgentKind

HALF_LIFE: Final = timedelta(hours=3)
"""In which half of what moved a persona has worn off."""

PULL: Final = 0.5
"""How far a line of the strongest feeling draws the mood to it; a weaker one draws less."""

DAYS: Final = 7
"""`recent_days` looks back so far."""

NOTICED: Final = 0.10
"""A feeling that differs less than this from the usual is not worth a word ..."""
CLEAR: Final = 0.25
"""... one that differs by less than this is "a little" so ..."""
STRONG: Final = 0.50
"""... and one that differs by more than this "very" so. All of 0 .. 1."""

IN_NATURE: Final = 0.2
"""From here on a feeling of the temperament is worth a word."""

MOST_WORDS: Final = 3

NOW_WORDS: Final = (
    "cheerful",
    "warm",
    "uneasy",
    "astonished",
    "sad",
    "disgusted",
    "angry",
    "expectant",
)
NATURE_WORDS: Final = (
    "cheerful",
    "warm",
    "timid",
    "easily surprised",
    "melancholy",
    "fastidious",
    "hot-tempered",
    "eager",
)

Levels = tuple[float, ...]
"""Of the eight DIMENSIONS in order, each 0 absent .. 1 extreme."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mood:
    """How a persona feels `now`, and how it `usually` does: its temperament."""

    now: Levels
    usual: Levels


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """What was felt on a day: the mean over the lines that had a feeling."""

    day: date
    feeling: Levels


def mood_after(lines: Iterable[Event], persona: Persona, now: datetime) -> Mood:
    """The mood that lines of one conversation leave behind, in any order.

    Between two lines m = T + (m - T) * 2 ** (-hours / 3), with T the temperament. A line with
    the feeling f (`feeling.vector`) and the strength s = max f then gives m + PULL * s * (f - m).
    Only what people say moves it: a persona's own words are a model's, and forwarded ones are
    somebody else's. Lines after `now`, or not scored, are passed over.
    """
    usual = (np.asarray(persona.baseline()) - LOWEST) / SPAN
    mood, last = usual, None
    for line in sorted(lines, key=lambda one: (one.at, one.id)):
        if not moves(line) or line.at > now:
            continue
        mood = moved(_worn(mood, usual, line.at - last if last else None), line.emotion or NEUTRAL)
        last = line.at
    mood = _worn(mood, usual, now - last if last else None)
    return Mood(now=tuple(mood.tolist()), usual=tuple(usual.tolist()))


def moves(line: Event) -> bool:
    """Whether a line can move a persona: somebody's own words, with a feeling."""
    by_person = line.speaker.kind is AgentKind.PERSON
    return by_person and not line.forwarded and strength(line.emotion or NEUTRAL) > 0


def moved(mood: NDArray[np.float64], emotion: Emotion) -> NDArray[np.float64]:
    """The mood after a line of this feeling; both shape (8,), 0..1."""
    return mood + PULL * strength(emotion) * (vector(emotion) - mood)


def _worn(
    mood: NDArray[np.float64], usual: NDArray[np.float64], gone: timedelta | None
) -> NDArray[np.float64]:
    return mood if gone is None else usual + (mood - usual) * 0.5 ** (gone / HALF_LIFE)


def for_recall(mood: Mood) -> Emotion:
    """What a mood adds to recall: the feelings above the usual. NEUTRAL without any."""
    risen = np.clip(np.subtract(mood.now, mood.usual), 0.0, 1.0)
    return Emotion(scores=tuple((LOWEST + SPAN * risen).tolist()))


def in_words(mood: Mood) -> str:
    """The mood as it stands after "is": "sad and a little uneasy, less cheerful than usual".

    Empty where nothing is noticeably different from the usual.
    """
    change = np.subtract(mood.now, mood.usual)
    risen = [at for at in np.argsort(-change, kind="stable") if change[at] >= NOTICED]
    fallen = [at for at in np.argsort(change, kind="stable") if change[at] <= -NOTICED]
    more = _listed([_degree(change[at]) + NOW_WORDS[at] for at in risen[:MOST_WORDS]])
    less = _listed([NOW_WORDS[at] for at in fallen[:MOST_WORDS]])
    return ", ".join(part for part in (more, f"less {less} than usual" if less else "") if part)


def nature(mood: Mood) -> str:
    """The temperament in words, "warm, eager and cheerful"; empty where it says nothing."""
    strongest = np.argsort(-np.asarray(mood.usual), kind="stable")[:MOST_WORDS]
    return _listed([NATURE_WORDS[at] for at in strongest if mood.usual[at] >= IN_NATURE])


def mood_note(mood: Mood) -> str:
    """The mood as a section of the prompt, in words; empty where there is nothing to say."""
    usual, now = nature(mood), in_words(mood)
    if not usual and not now:
        return ""
    by_nature = f"By nature you are {usual}. " if usual else ""
    if not now:
        return f"# Your mood\n{by_nature}That is your mood now."
    return (
        f"# Your mood\n{by_nature}What you heard here has moved you: just now you are {now}. "
        "Let it colour your tone in your own manner; do not announce it."
    )


def recent_days(lines: Sequence[Event], now: datetime, zone: tzinfo) -> list[Day]:
    """What was felt on each of the last DAYS days on which anything was, oldest first."""
    found: dict[date, list[NDArray[np.float64]]] = {}
    for line in lines:
        if moves(line) and timedelta(0) <= now - line.at < timedelta(days=DAYS):
            day = line.at.astimezone(zone).date()
            found.setdefault(day, []).append(vector(line.emotion or NEUTRAL))
    return [
        Day(day=day, feeling=tuple(np.mean(felt, axis=0).tolist()))
        for day, felt in sorted(found.items())
    ]


def mood_table(mood: Mood) -> str:
    """The eight scores, 1..10, now and as usual, in columns."""
    rows = [f"{'':12}   now  usual"]
    for name, now, usual in zip(DIMENSIONS, mood.now, mood.usual, strict=True):
        rows.append(f"{name:12} {LOWEST + SPAN * now:5.1f}  {LOWEST + SPAN * usual:5.1f}")
    return "\n".join(rows)


def _degree(change: float) -> str:
    return "a little " if change < CLEAR else "very " if change > STRONG else ""


def _listed(words: Sequence[str]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"
