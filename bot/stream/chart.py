"""The weight of a relationship over time, drawn with characters."""

from collections.abc import Sequence

from bot.stream.bonds import FIRST_WEIGHT, Change

WIDTH, HEIGHT = 48, 7


def text_chart(
    history: Sequence[Change], *, width: int = WIDTH, height: int = HEIGHT, day: str = "%Y-%m-%d"
) -> str:
    """Columns are equal spans of time from the first exchange to the last, each at the
    weight at its end. Empty without history."""
    if not history:
        return ""
    levels = _levels(history, width)
    low, high = min(FIRST_WEIGHT, *levels), max(FIRST_WEIGHT, *levels)
    rows = min(height, high - low + 1)
    step = (high - low) / max(rows - 1, 1)
    margin = max(len(str(low)), len(str(high)))
    lines = []
    for row in range(rows - 1, -1, -1):
        cells = "".join("●" if _row(level, low, step) == row else " " for level in levels)
        lines.append(f"{round(low + row * step):>{margin}} |{cells.rstrip()}")
    lines.append(f"{'':>{margin}} +{'-' * width}")
    first, last = history[0].at.strftime(day), history[-1].at.strftime(day)
    lines.append(f"{'':>{margin}}  {first}{last:>{max(width - len(first), 1)}}")
    return "\n".join(lines)


def _row(level: int, low: int, step: float) -> int:
    return round((level - low) / step) if step else 0


def _levels(history: Sequence[Change], width: int) -> list[int]:
    start, end = history[0].at, history[-1].at
    levels, number = [], 0
    for column in range(1, width + 1):
        until = start + (end - start) * (column / width)
        while number + 1 < len(history) and history[number + 1].at <= until:
            number += 1
        levels.append(history[number].weight)
    return levels
