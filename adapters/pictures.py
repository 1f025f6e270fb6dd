"""Pictures for platforms that show them, drawn with matplotlib (loaded when first needed)."""

# ruff: noqa: PLC0415 - matplotlib takes a second to load, and most runs draw nothing

import io
import math
from collections.abc import Sequence
from datetime import UTC
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from bot.emotion import DIMENSIONS, LOWEST
from bot.feeling import SPAN
from bot.mood import Day, Levels, Mood
from bot.stream.bonds import FIRST_WEIGHT, Change

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes

INCHES = (7.0, 3.2)
RADAR_INCHES = (6.4, 4.8)
DOTS_PER_INCH = 120
LINE, GOOD, BAD = "#4c566a", "#3a7d44", "#b23a48"
DAY = "#2f6f9f"
SMALLEST_RADAR = 5
"""A radar reaches at least this score, so that faint feelings look faint."""


class MatplotlibPictures:
    """Implements the `Pictures` port. Uses no display and no global state of matplotlib."""

    def weight(self, title: str, history: Sequence[Change]) -> bytes:
        """The weight as steps, each exchange that changed it as a dot."""
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        figure = Figure(figsize=INCHES, dpi=DOTS_PER_INCH, layout="constrained")
        axes = figure.add_subplot()
        axes.step(_times(history), [change.weight for change in history], where="post", color=LINE)
        for delta, color in ((1, GOOD), (-1, BAD)):
            found = [change for change in history if change.delta == delta]
            axes.plot(_times(found), [c.weight for c in found], "o", color=color, ms=4)
        axes.axhline(FIRST_WEIGHT, color=LINE, lw=0.5, ls=":")
        axes.set_title(_plain(title))
        axes.set_ylabel("weight")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.tick_params(axis="x", rotation=20)
        return _png(figure)

    def mood(self, title: str, mood: Mood, days: Sequence[Day]) -> bytes:
        """A radar of the eight: the mood in red, the usual dotted, older days fainter."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=RADAR_INCHES, dpi=DOTS_PER_INCH, layout="constrained")
        axes = cast("PolarAxes", figure.add_subplot(projection="polar"))
        axes.set_theta_zero_location("N")
        axes.set_theta_direction(-1)
        for number, one in enumerate(days, start=1):
            label = f"felt on {one.day:%d %B}"
            _ring(axes, one.feeling, DAY, label, alpha=0.2 + 0.6 * number / len(days))
        _ring(axes, mood.usual, LINE, "usual mood", style=":")
        _ring(axes, mood.now, BAD, "mood now", width=2.5)
        shown = [mood.now, mood.usual, *(one.feeling for one in days)]
        top = math.ceil(max(SMALLEST_RADAR, *(_score(max(levels)) for levels in shown)))
        axes.set_ylim(LOWEST, top)
        scores = range(2, top + 1)
        axes.set_yticks(scores, [str(score) for score in scores], fontsize=7, color=LINE)
        axes.set_xticks(_angles()[:-1], DIMENSIONS)
        axes.tick_params(axis="x", pad=12)
        axes.set_title(_plain(title))
        figure.legend(loc="outside right upper", fontsize=8, frameon=False)
        return _png(figure)


def _angles() -> list[float]:
    """Where the dimensions stand, the first once more at the end."""
    count = len(DIMENSIONS)
    return [2 * math.pi * at / count for at in range(count + 1)]


def _ring(
    axes: "PolarAxes",
    levels: Levels,
    color: str,
    label: str,
    *,
    alpha: float = 1.0,
    width: float = 1.2,
    style: str = "-",
) -> None:
    closed = [_score(level) for level in (*levels, levels[0])]
    (drawn,) = axes.plot(_angles(), closed, color=color, label=label, alpha=alpha, lw=width)
    drawn.set(linestyle=style, marker="o" if style == "-" else "", markersize=3)


def _score(level: float) -> float:
    """0..1 as 1..10."""
    return LOWEST + SPAN * level


def _png(figure: "Figure") -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


def _times(history: Sequence[Change]) -> NDArray[np.datetime64]:
    """The moments in UTC, shape (len(history),)."""
    naive = [change.at.astimezone(UTC).replace(tzinfo=None) for change in history]
    return np.asarray(naive, dtype="datetime64[us]")


def _plain(title: str) -> str:
    """A dollar sign would begin a formula; what the font lacks would be boxes and warnings."""
    shown = "".join(c if c.isprintable() and ord(c) < 0x250 else "?" for c in title)
    return shown.replace("$", r"\$")
