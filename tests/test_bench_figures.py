"""Figures and the page of results: all of a record is told, and a figure is a picture."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchmarks.aims import AIMS, reached
from benchmarks.figures import PANELS, draw, main, read_records, shown
from benchmarks.results_page import page
from benchmarks.suite import BENCHES

ROOT = Path(__file__).parent.parent


def record(bench: str = "affect") -> dict[str, Any]:
    rows = [
        {"name": name, "subset": "all", "metrics": {"top-1": value}, "interval": interval}
        for name, value, interval in (
            ("semantic only", 0.25, {"top-1": [0.2, 0.3]}),
            ("bower match", 0.5, {}),
        )
    ]
    return {"bench": bench, "n": 400, "seed": 7, "settings": {"limit": None, "k": 5}, "rows": rows}


def test_every_row_and_interval_is_on_the_page() -> None:
    text = page([record()], {"affect"})
    assert "| all | top-1 |" in text
    assert "| semantic only | 0.250 [0.200, 0.300] |" in text
    assert "| bower match | 0.500 |" in text
    assert "n = 400, seed 7. k: 5." in text
    assert "![affect](results/affect.png)" in text


def a_row(name: str, value: float, low: float, high: float) -> dict[str, Any]:
    interval = {"top-1": [low, high]}
    return {"name": name, "subset": "all", "metrics": {"top-1": value}, "interval": interval}


@pytest.mark.parametrize(
    ("ours", "aim", "word"), [(0.61, "reached", "better"), (0.49, "missed", "alike"),
                              (0.3, "missed", "worse")],
)  # fmt: skip
def test_aims_are_held_against_the_records(ours: float, aim: str, word: str) -> None:
    rows = [
        a_row("semantic only", 0.45, 0.4, 0.5),
        a_row("bower semantic", 0.45, 0.4, 0.5),
        a_row("bower default", ours, ours, ours),
    ]
    text = page([record() | {"rows": rows}], set())
    [line] = [line for line in text.splitlines() if line.startswith("| Affect sets")]
    assert line.endswith(f"| ≥ +0.1 | {ours - 0.45:+.3f} | {aim} |")
    assert f"| affect: all | top-1 | 0.450 | {ours:.3f} | {word} |" in text


def test_every_aim_is_one_that_a_record_can_reach() -> None:
    benches = {record["bench"] for record in read_records(ROOT / "docs" / "results")}
    found = reached(read_records(ROOT / "docs/results"))
    assert {(one.aim.bench, one.aim.words) for one in found} == {
        (aim.bench, aim.words) for aim in AIMS if aim.bench in benches
    }


def test_a_record_without_panels_has_a_table_and_no_figure() -> None:
    unknown = record("talk")
    assert draw(unknown) is None
    assert "![" not in page([unknown], set())
    assert "| semantic only |" in page([unknown], set())


def test_a_figure_has_the_axis_label_and_a_bar_for_each_row() -> None:
    figure = draw(record())
    assert figure is not None
    axes = figure.axes[0]
    assert axes.get_xlabel() == PANELS["affect"][0].label
    assert [bar.get_width() for bar in axes.patches] == [0.25, 0.5]  # type: ignore[attr-defined]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "semantic only",
        "bower match",
    ]


def test_pictures_and_page_are_made_from_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "affect.json").write_text(json.dumps(record()))
    main(folder)
    with Image.open(folder / "affect.png") as picture:
        assert min(picture.size) > 100
    assert (folder / "affect.svg").read_text("utf-8").startswith("<?xml")
    assert "semantic only" in (tmp_path / "results.md").read_text("utf-8")


def test_the_page_is_that_of_the_kept_records() -> None:
    records = read_records(ROOT / "docs" / "results")
    assert records
    assert {one["bench"] for one in records} <= set(BENCHES)
    drawn = {one["bench"] for one in records if shown(one)}
    assert (ROOT / "docs" / "results.md").read_text("utf-8") == page(records, drawn)
