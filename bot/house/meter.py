"""Counters of a running program, as plain values."""

import math
from collections import Counter, deque
from collections.abc import Sequence
from datetime import datetime

MOST_SAMPLES = 1200
"""Of lag and of answering times; older ones drop out."""


class Meter:
    """Counts since the program started. Only ever touched from the event loop."""

    def __init__(self, started: datetime) -> None:
        self.started = started
        self.received = 0
        self.answered = 0
        self.apologies = 0
        self.ignored: Counter[str] = Counter()  # by reason
        self.commands = 0
        self.answer_seconds_total = 0.0
        self._answers: deque[float] = deque(maxlen=MOST_SAMPLES)
        self._lags: deque[float] = deque(maxlen=MOST_SAMPLES)

    def took(self, seconds: float, *, failed: bool) -> None:
        """An answer was made, from the end of the burst to its delivery."""
        self.answered += 1
        self.apologies += failed
        self.answer_seconds_total += seconds
        self._answers.append(seconds)

    def lagged(self, seconds: float) -> None:
        """The event loop came to its turn so much too late."""
        self._lags.append(max(seconds, 0.0))

    def answer_seconds(self, share: float) -> float | None:
        """The time within which this share of the newest answers was made."""
        return quantile(list(self._answers), share)

    def lag_seconds(self, share: float) -> float | None:
        """The lag within which this share of the newest samples lies."""
        return quantile(list(self._lags), share)


def quantile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least this share (0..1) of all does not exceed."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(math.ceil(len(ordered) * share), 1) - 1]
