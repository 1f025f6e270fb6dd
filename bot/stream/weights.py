"""What an exchange adds to a relationship (paragraphs 42 to 44): +1, -1 or 0.

The patent weighs the feeling of the dialogue, so that a friend who confides a sorrow costs
the friendship something. The rule `toward` asks what is felt *toward the other*: anger and
disgust count where they are aimed at the other, sadness and fear never do.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.emotion import DIMENSIONS, LOWEST, Emotion
from bot.stream.bonds import Delta, WeightRule
from bot.text import mentions_name

POSITIVE = 0.15
"""Valence (-1..1) from which a text feels good."""

NEGATIVE = -0.15
"""Valence up to which a text feels bad."""

AROUSED = 0.0
"""Arousal (-1..1) above which a text counts as excited."""

SHORT_WORDS = 4
"""Anger of so few words that name nobody is meant for whoever reads them."""

HOSTILE = ("anger", "disgust")
SUFFERING = ("sadness", "fear")

_SECOND_PERSON = re.compile(
    r"\b(?:you|your|yours|yourself|u|ur|thou|ye"  # en
    r"|tú|tu|te|ti|tus|tuy[oa]s?|contigo|usted|vos|eres|estás|sois|vosotr[oa]s"  # es
    r"|du|dich|dir|dein\w*|ihr|euch|bist)\b"  # de
    r"|[你您妳]",  # zh
    re.IGNORECASE,
)
_THIRD_PERSON = re.compile(
    r"\b(?:he|him|his|she|her|hers|they|them|their|theirs|someone|somebody|people"
    r"|él|ella|ellos|ellas|alguien|er|sie|ihn|ihm|jemand)\b"
    r"|[他她它]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of an exchange: who spoke, under which names, what, and how it felt."""

    agent: int
    names: tuple[str, ...]
    texts: tuple[str, ...]
    emotions: tuple[Emotion, ...]
    is_persona: bool = False


def weigh(one: Side, other: Side, rule: WeightRule) -> list[Delta]:
    """The deltas of an exchange, one per direction.

    With `toward`, a persona gives back what it was shown: its own words are a model's, and
    prove no feeling.
    """
    if rule is WeightRule.DIALOGUE:
        delta, reason = sign(blend([*one.emotions, *other.emotions]))
        return [_row(one, other, delta, reason), _row(other, one, delta, reason)]
    shown = shown_toward(one, other)
    back = shown if other.is_persona else shown_toward(other, one)
    if one.is_persona and not other.is_persona:
        shown = back
    return [_row(one, other, *shown), _row(other, one, *back)]


def _row(side: Side, toward: Side, delta: int, reason: str) -> Delta:
    return Delta(agent=side.agent, other=toward.agent, delta=delta, reason=reason)


def sign(emotion: Emotion) -> tuple[int, str]:
    """The patent's rule on one feeling, with the reason in words."""
    if emotion.valence >= POSITIVE and emotion.arousal > AROUSED:
        return 1, "pleasant and lively"
    if emotion.valence <= NEGATIVE:
        return -1, "unpleasant"
    return 0, "neither pleasant and lively nor unpleasant"


def shown_toward(side: Side, toward: Side) -> tuple[int, str]:
    """What one side's words show toward the other: the feeling that is strongest of all."""
    found = [
        _shown(text, emotion, toward.names)
        for text, emotion in zip(side.texts, side.emotions, strict=True)
    ]
    total = sum(delta for delta, _ in found)
    delta = max(-1, min(1, total))
    reasons = [reason for one, reason in found if one == delta]
    return delta, reasons[0] if reasons else "pleasant and unpleasant words balance"


def _shown(text: str, emotion: Emotion, names: Sequence[str]) -> tuple[int, str]:
    delta, reason = sign(emotion)
    if delta >= 0:
        return delta, reason
    if not is_hostile(emotion):
        return 0, "sorrow or worry, not aimed at the other"
    if not is_aimed(text, names):
        return 0, "anger at somebody else"
    return -1, "anger at the other"


def is_hostile(emotion: Emotion) -> bool:
    """Whether anger or disgust outweighs sadness and fear."""
    scores = dict(zip(DIMENSIONS, emotion.scores, strict=True))
    hostile = max(scores[name] for name in HOSTILE)
    return hostile > LOWEST and hostile > max(scores[name] for name in SUFFERING)


def is_aimed(text: str, names: Sequence[str]) -> bool:
    """Whether a text speaks to the other: by "you", by name, or in few words to nobody else."""
    if _SECOND_PERSON.search(text) or any(mentions_name(text, name) for name in names):
        return True
    short = len(text.split()) <= SHORT_WORDS and len(text) <= 40
    return short and not _THIRD_PERSON.search(text)


def blend(emotions: Sequence[Emotion]) -> Emotion:
    """The mean of several feelings; no feeling at all of none."""
    count = max(len(emotions), 1)
    columns = zip(*(e.scores for e in emotions), strict=True)
    return Emotion(
        scores=tuple(sum(c) / count for c in columns) or (LOWEST,) * len(DIMENSIONS),
        valence=sum(e.valence for e in emotions) / count,
        arousal=sum(e.arousal for e in emotions) / count,
    )
