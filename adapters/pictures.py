"""Pictures for platforms that show them, drawn with matplotlib (loaded when first needed)."""

# ruff: noqa: PLC0415 - matplotlib takes a second to load, and most runs draw nothing

import io
from collections.abc import Sequence
from datetime import UTC

import numpy as np
from numpy.typing import NDArray

from bot.stream.bonds import FIRST_WEIGHT, Change

INCHES = (7.0, 3.2)
DOTS_PER_INCH = 120
LINE, GOOD, BAD = "#4c566a", "#3a7d44", "#b23a48"


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
