"""Candidates with given cosines and feelings, for strategies that are worked out by hand."""

from datetime import UTC, datetime, timedelta

from bot.emotion import DIMENSIONS, Emotion
from bot.memory import Candidate, Event, EventKind
from bot.world import Agent, AgentKind

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ANA = Agent(id=7, kind=AgentKind.PERSON, name="Ana")


def feels(**scores: float) -> Emotion:
    """An emotion by its dimensions, 1 where silent."""
    return Emotion(scores=tuple(scores.get(name, 1.0) for name in DIMENSIONS))


def event(number: int, text: str = "", emotion: Emotion | None = None, **more: object) -> Event:
    fields: dict[str, object] = {
        "id": number,
        "kind": EventKind.MESSAGE,
        "at": NOON - timedelta(days=100 - number),
        "place_id": 1,
        "place_name": "kitchen",
        "speaker": ANA,
        "speaker_name": "Ana",
        "text": text or f"memory {number}",
        "emotion": emotion,
        **more,
    }
    return Event(**fields)  # type: ignore[arg-type]


def candidate(
    number: int,
    cosine: float | None = None,
    emotion: Emotion | None = None,
    *,
    words: float | None = None,
    **more: object,
) -> Candidate:
    made = event(number, emotion=emotion, **more)  # type: ignore[arg-type]
    return Candidate(event=made, semantic=cosine, words=words)
