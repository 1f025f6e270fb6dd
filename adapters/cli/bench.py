"""`main.py bench`: measurements, shown as a table or as one JSON object."""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from adapters.cli.root import BenchReport, BenchRow, Root, prepared
from adapters.console.progress import progress_bar
from bot.errors import SettingsError
from bot.ports import Progress

WIDTH = 200
"""Of tables that go to a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What to run it on."""

    data: Path | None
    limit: int | None
    seed: int
    cv: bool


def bench(root: Root, name: str, wish: Wish, *, as_json: bool) -> None:
    """Runs one benchmark and says its rows on standard output."""
    if not name:
        for known, summary in root.benches.items():
            typer.echo(f"{known:12} {summary}")
        return
    if name not in root.benches:
        raise SettingsError(f"There is no benchmark {name}; there are {', '.join(root.benches)}.")
    if wish.data is not None and not wish.data.is_dir():
        raise SettingsError(f"--data: {wish.data} is no folder.")
    settings = prepared()
    with _Bars() as bars:
        report = asyncio.run(
            root.bench(
                name,
                data=wish.data,
                cache=settings.database.parent / "bench-cache",
                limit=wish.limit,
                seed=wish.seed,
                cv=wish.cv,
                say=lambda text: typer.echo(text, err=True),
                progress=bars,
            )
        )
    if report is None:
        raise typer.Exit(1)
    if as_json:
        typer.echo(json.dumps(report.content, ensure_ascii=False))
    else:
        _show(report)


class _Bars:
    """A progress bar for each thing that is being done, on standard error."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._bars: dict[str, Progress] = {}

    def __enter__(self) -> "_Bars":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, what: str, done: int, total: int) -> None:
        if what not in self._bars:
            self._stack.close()
            self._bars = {what: self._stack.enter_context(progress_bar(what))}
        self._bars[what](done, total)


def _show(report: BenchReport) -> None:
    """For each subset a table: a line for each metric, a column for each row of the record."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    console.print(f"{report.bench}: n = {report.n}, seed {report.seed}")
    for (subset, metrics), rows in _by_subset(report.rows).items():
        table = Table(subset, *(row.name for row in rows))
        for metric in metrics:
            table.add_row(metric, *(_figure(row, metric) for row in rows))
        console.print(table)


def _by_subset(
    rows: Sequence[BenchRow],
) -> Mapping[tuple[str, tuple[str, ...]], list[BenchRow]]:
    """Rows of one subset with the same metrics stand side by side."""
    tables: dict[tuple[str, tuple[str, ...]], list[BenchRow]] = {}
    for row in rows:
        tables.setdefault((row.subset, tuple(row.metrics)), []).append(row)
    return tables


def _figure(row: BenchRow, metric: str) -> str:
    value = row.metrics[metric]
    text = f"{value:.3f}" if abs(value) < 100 else f"{value:.0f}"
    if metric in row.interval:
        low, high = row.interval[metric]
        return f"{text} [{low:.3f}, {high:.3f}]"
    return text
