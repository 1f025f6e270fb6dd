"""A scorer that reads feelings off a few words, and feelings to compare with."""

from collections.abc import Sequence

from bot.emotion import DIMENSIONS, NEUTRAL, Emotion


def feeling(*, valence: float, arousal: float = 0.0, **scores: float) -> Emotion:
    return Emotion(
        scores=tuple(scores.get(name, 1.0) for name in DIMENSIONS),
        valence=valence,
        arousal=arousal,
    )


JOY = feeling(valence=0.8, arousal=0.5, joy=9)
CONTENT = feeling(valence=0.5, arousal=-0.4, acceptance=6)
SORROW = feeling(valence=-0.7, arousal=-0.4, sadness=9)
ANGER = feeling(valence=-0.7, arousal=0.7, anger=9)

SIGNS = {"lovely": JOY, "calm": CONTENT, "died": SORROW, "hate": ANGER, "stupid": ANGER}


class WordScorer:
    """Scores a text by the first of the known words in it."""

    name = "by words"

    async def score(self, texts: Sequence[str]) -> list[Emotion]:
        return [score(text) for text in texts]


def score(text: str) -> Emotion:
    return next((emotion for word, emotion in SIGNS.items() if word in text.lower()), NEUTRAL)
