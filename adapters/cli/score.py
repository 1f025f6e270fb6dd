"""`main.py score`: what a text feels like."""

import asyncio
import json

import typer

from adapters.cli.root import Root, prepared
from adapters.settings import Settings
from bot.emotion import LOWEST, Emotion

BAR = 20
"""Characters that stand for the highest score."""


def score(root: Root, text: str, *, as_json: bool) -> None:
    """Says the eight scores, valence and arousal of a text on standard output."""
    emotion = asyncio.run(_score(root, prepared(), text))
    if as_json:
        typer.echo(json.dumps(as_object(text, emotion), ensure_ascii=False))
        return
    for name, value in emotion.named().items():
        bar = "█" * round((value - LOWEST) / 9 * BAR)
        typer.echo(f"{name:13} {value:4.1f}  {bar}".rstrip())
    typer.echo(f"{'valence':13} {emotion.valence:+.2f}")
    typer.echo(f"{'arousal':13} {emotion.arousal:+.2f}")


async def _score(root: Root, settings: Settings, text: str) -> Emotion:
    async with root.senses(settings) as senses:
        return (await senses.scorer.score([text]))[0]


def as_object(text: str, emotion: Emotion) -> dict[str, object]:
    """The emotion of a text, as it is printed with --json."""
    return {
        "text": text,
        "emotion": {name: round(value, 3) for name, value in emotion.named().items()},
        "valence": round(emotion.valence, 3),
        "arousal": round(emotion.arousal, 3),
    }
