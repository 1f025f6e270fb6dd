"""Draws the kept records of the benchmarks and writes docs/results.md about them.

Records are the JSON that `main.py bench NAME --json` prints, one file for each benchmark in
docs/results/. What is drawn from each is a list of panels; all figures are in the tables too.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from benchmarks.results_page import page

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "docs" / "results"
OURS, DEFAULT, BASELINE, WHISKER = "#7f9fbf", "#1f5f8f", "#b8b8b8", "#404040"
PANEL_INCHES, ROW_INCHES, DOTS_PER_INCH = 4.2, 0.3, 110


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One metric of one subset, a bar for each row of the record."""

    subset: str
    metric: str
    label: str  # of the axis, with its unit
    logarithmic: bool = False


PANELS: Mapping[str, Sequence[Panel]] = {
    "locomo": (
        Panel(subset="no adversarial", metric="R@10", label="turns: recall at 10 (share)"),
        Panel(subset="multi-hop", metric="R@10", label="multi-hop turns: recall at 10 (share)"),
        Panel(subset="no adversarial", metric="session R@10", label="sessions: recall at 10"),
    ),
    "madial": (
        Panel(subset="en", metric="R@5", label="English: recall at 5 (share)"),
        Panel(subset="en", metric="nDCG@5", label="English: nDCG at 5 (0..1)"),
        Panel(subset="zh", metric="R@5", label="Chinese: recall at 5 (share)"),
    ),
    "affect": (
        Panel(subset="all", metric="top-1", label="right memory first (share)"),
        Panel(subset="all", metric="hit@2", label="right memory among two (share)"),
    ),
    "congruence": (
        Panel(subset="all", metric="emotion distance", label="distance in feeling (0..1)"),
        Panel(subset="felt", metric="emotion distance", label="felt lines: distance (0..1)"),
        Panel(subset="all", metric="cosine", label="cosine of meaning (-1..1)"),
    ),
    "speed": tuple(
        Panel(subset=f"{n} memories", metric="ms", label=f"{n} memories: ms", logarithmic=True)
        for n in (1_000, 10_000, 100_000)
    ),
    "rumours": (
        Panel(subset="stance, all", metric="macro-F1", label="stances: macro-F1 (0..1)"),
        Panel(subset="veracity, all", metric="accuracy", label="veracity: accuracy (share)"),
    ),
    "names": (
        Panel(subset="any episodes, told", metric="accuracy", label="told: accuracy (share)"),
        Panel(subset="any episodes, alone", metric="accuracy", label="alone: accuracy (share)"),
        Panel(subset="one episode, told", metric="accuracy", label="one episode, told: accuracy"),
    ),
    "emotion": (
        Panel(subset="xed-en", metric="macro-F1", label="XED, English: macro-F1 (0..1)"),
        Panel(subset="goemotions", metric="macro-F1", label="GoEmotions: macro-F1 (0..1)"),
        Panel(subset="emobank", metric="valence r", label="EmoBank: valence, Pearson r"),
    ),
}
DEFAULTS = frozenset({"bower blend", "bower match", "bower default", "program"})
SAME = frozenset({"bower default"})
"""Rows that repeat another one; they are in the tables and not in the figures."""


def main(folder: Path = RECORDS) -> None:
    """Draws every record of the folder as PNG and SVG, and writes results.md beside it."""
    records = read_records(folder)
    for record in records:
        figure = draw(record)
        if figure is not None:
            for kind in ("png", "svg"):
                figure.savefig(
                    folder / f"{record['bench']}.{kind}",
                    dpi=DOTS_PER_INCH,
                    metadata={"Date": None} if kind == "svg" else None,
                )
    drawn = {record["bench"] for record in records if shown(record)}
    (folder.parent / "results.md").write_text(page(records, drawn), "utf-8")


def read_records(folder: Path) -> list[dict[str, Any]]:
    """All records, by the name of their file."""
    return [json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))]


def shown(record: Mapping[str, Any]) -> list[Panel]:
    """The panels of a record that have rows."""
    return [panel for panel in PANELS.get(record["bench"], ()) if rows_of(record, panel)]


def rows_of(record: Mapping[str, Any], panel: Panel) -> list[Mapping[str, Any]]:
    return [
        row
        for row in record["rows"]
        if row["subset"] == panel.subset
        and panel.metric in row["metrics"]
        and row["name"] not in SAME
    ]


def draw(record: Mapping[str, Any]) -> Figure | None:
    """The panels side by side; None where nothing of the record is drawn."""
    panels = shown(record)
    if not panels:
        return None
    most = max(len(rows_of(record, panel)) for panel in panels)
    size = (PANEL_INCHES * len(panels), 1.3 + ROW_INCHES * most)
    figure = Figure(figsize=size, layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        _panel(axes, panel, rows_of(record, panel))
    whiskers = any(row["interval"] for panel in panels for row in rows_of(record, panel))
    note = "; whiskers: 95 % bootstrap interval" if whiskers else ""
    figure.suptitle(f"{record['bench']}: n = {record['n']}{note}", fontsize=10)
    return figure


def _panel(axes: Axes, panel: Panel, rows: Sequence[Mapping[str, Any]]) -> None:
    values = [row["metrics"][panel.metric] for row in rows]
    places = list(range(len(rows)))
    axes.barh(places, values, color=[_colour(row["name"]) for row in rows], height=0.7)
    for at, (row, value) in enumerate(zip(rows, values, strict=True)):
        end = value
        if panel.metric in row["interval"]:
            low, end = row["interval"][panel.metric]
            axes.plot([low, end], [at, at], color=WHISKER, lw=1)
        text = f"{value:.3f}" if not panel.logarithmic else f"{value:.3g}"
        axes.annotate(
            text, (end, at), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7
        )
    axes.set_yticks(places, [row["name"] for row in rows], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(panel.label, fontsize=8)
    axes.tick_params(axis="x", labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    if panel.logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlim(left=min(values) / 4, right=max(values) * 4)
    else:
        axes.set_xlim(left=0)
        axes.margins(x=0.22)


def _colour(name: str) -> str:
    if name in DEFAULTS:
        return DEFAULT
    return OURS if name.startswith(("bower", "local")) else BASELINE


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else RECORDS)
