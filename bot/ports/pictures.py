"""The border to whatever draws pictures."""

from collections.abc import Sequence
from typing import Protocol

from bot.mood import Day, Mood
from bot.stream.bonds import Change


class Pictures(Protocol):
    """Draws what a command shows, for platforms that show pictures. May take a second:
    call it in a thread."""

    def weight(self, title: str, history: Sequence[Change]) -> bytes:
        """The weight over time as a PNG; `history` is not empty, oldest first."""
        ...

    def mood(self, title: str, mood: Mood, days: Sequence[Day]) -> bytes:
        """A PNG with the mood now and as usual, and what was felt on each day (oldest
        first, perhaps none), as shapes over the eight feelings."""
        ...
