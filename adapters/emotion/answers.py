"""Reads emotion scores from what a language model answered, however loosely it kept the form.

Each text of a question has a number, and only the number says which text an answer is about:
a missing, repeated or invented item never moves the scores of another text.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeGuard

from bot.emotion import DIMENSIONS, HIGHEST, LOWEST, Emotion
from bot.feeling import axes_of

_WORDS: Final = {
    "zero": 0.0,
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
    "four": 4.0,
    "five": 5.0,
    "six": 6.0,
    "seven": 7.0,
    "eight": 8.0,
    "nine": 9.0,
    "ten": 10.0,
}
_ALIASES: Final = {"trust": "acceptance", "happiness": "joy", "expectation": "anticipation"}
FAR: Final = 10**9  # beyond any scale; a larger whole number may not fit a float
_NUMBER: Final = re.compile(r"[-+\u2212]?\d+(?:[.,]\d+)?")


def read_emotions(answer: object, count: int) -> dict[int, Emotion]:
    """The usable emotions by the number of their text, 1..count.

    `answer` is the parsed JSON. Understood are an object with a list of items, such a list, one
    item, or (for one text) the paper's list of {"dim", "score"}. A dimension that is missing
    is 1, a score out of range is moved to its end. An item without any score is left out, and
    so is a number that occurs twice: nobody can tell which of the two is meant.
    """
    found: dict[int, Emotion] = {}
    twice: set[int] = set()
    for number, item in _numbered(answer, count):
        emotion = _emotion(item)
        if emotion is None or not 1 <= number <= count:
            continue
        if number in found:
            twice.add(number)
        found[number] = emotion
    return {number: emotion for number, emotion in found.items() if number not in twice}


def number(value: object) -> float | None:
    """7, 7.5, "7", "7/10", "seven" or "7,5" as a number; None for anything else.

    >>> number("8 out of 10"), number("ten"), number(None)
    (8.0, 10.0, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return float(max(-FAR, min(FAR, value)))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    if match := _NUMBER.search(value):
        return float(match[0].replace(",", ".").replace("\u2212", "-"))
    words = re.findall(r"[a-z]+", value.casefold())
    return next((_WORDS[word] for word in words if word in _WORDS), None)


def _numbered(answer: object, count: int) -> list[tuple[int, object]]:
    """The items of an answer with the number of the text each is about."""
    if isinstance(answer, Mapping):
        inner = next((v for v in answer.values() if _holds_items(v)), None)
        if inner is not None and _scores(answer) is None:
            return _numbered(inner, count)
        if "id" not in answer and (by_key := _by_key(answer)):
            return by_key
        at = number(answer.get("id")) if "id" in answer else 1.0 if count == 1 else None
        return [] if at is None or at != int(at) else [(int(at), answer)]
    if not _is_list(answer):
        return []
    if count == 1 and _by_dimension(answer):
        return [(1, {"scores": answer})]
    return [pair for item in answer if isinstance(item, Mapping) for pair in _numbered(item, count)]


def _by_key(answer: Mapping[object, object]) -> list[tuple[int, object]]:
    """{"1": {…}, "2": {…}}: items under their numbers."""
    keys = [(str(key).strip(), item) for key, item in answer.items()]
    return [(int(key), item) for key, item in keys if key.isdecimal() and len(key) < 6]


def _holds_items(value: object) -> bool:
    return _is_list(value) and any(
        isinstance(item, Mapping) and not _dimension(item.get("dim")) for item in value
    )


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _emotion(item: object) -> Emotion | None:
    if not isinstance(item, Mapping):
        return None
    scores = _scores(item)
    if scores is None:
        return None
    whole = tuple(min(HIGHEST, max(LOWEST, scores.get(d, LOWEST))) for d in DIMENSIONS)
    valence, arousal = axes_of(whole)
    return Emotion(
        scores=whole,
        valence=_axis(item.get("valence"), valence),
        arousal=_axis(item.get("arousal"), arousal),
    )


def _axis(value: object, otherwise: float) -> float:
    """An axis as answered; one beyond -1..1 is on some other scale and tells nothing."""
    given = number(value)
    return given if given is not None and -1 <= given <= 1 else otherwise


def _scores(item: Mapping[object, object]) -> dict[str, float] | None:
    """The scores that an item holds by dimension, in whichever of the known forms."""
    inner = item.get("scores", item.get("emotions", item))
    if _is_list(inner):
        found = _by_dimension(inner) or _in_order(inner)
    elif isinstance(inner, Mapping):
        found = _by_dimension([inner])
        for key, value in inner.items():
            _keep(found, key, value.get("score") if isinstance(value, Mapping) else value)
    else:
        found = {}
    return found or None


def _by_dimension(items: Sequence[object]) -> dict[str, float]:
    """The paper's form: one object per dimension."""
    found: dict[str, float] = {}
    for item in items:
        if isinstance(item, Mapping):
            _keep(found, item.get("dim", item.get("dimension")), item.get("score"))
    return found


def _in_order(items: Sequence[object]) -> dict[str, float]:
    """Eight bare numbers in the order of the dimensions; any other count is not understood."""
    numbers = [number(item) for item in items]
    if len(numbers) != len(DIMENSIONS):
        return {}
    return {d: n for d, n in zip(DIMENSIONS, numbers, strict=True) if n is not None}


def _keep(found: dict[str, float], key: object, value: object) -> None:
    name, score = _dimension(key), number(value)
    if name and score is not None:
        found.setdefault(name, score)


def _dimension(key: object) -> str:
    """The dimension that a key names, "" for none."""
    if not isinstance(key, str):
        return ""
    name = key.strip().casefold()
    name = _ALIASES.get(name, name)
    return name if name in DIMENSIONS else ""
