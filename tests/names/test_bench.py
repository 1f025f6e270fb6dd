"""The names benchmark on a series of its own making."""

import json
from pathlib import Path

import pytest

from benchmarks.names import Ids, Judged, World, b_cubed, event_of, most_recent
from benchmarks.names_series import drawn, read_series, renamed
from bot.memory import Event
from bot.names.profile import About, Context
from bot.names.said import NameSaid


def series(folder: Path) -> Path:
    def line(text: str, by: str, *who: tuple[int, int, str]) -> dict[str, object]:
        return {"speakers": [by], "tokens": [text.split()],
                "character_entities": [[list(one) for one in who]]}  # fmt: skip

    scene = {"utterances": [
        line("Bert is here", "Ann Lee", (0, 1, "Bert")),
        line("Bert and Sue Roe laughed", "Ann Lee", (0, 1, "Bert"), (2, 4, "Sue Roe")),
        line("He met Sue", "Bob", (0, 1, "Bert"), (2, 3, "Sue Roe")),
    ]}  # fmt: skip
    file = folder / "x.json"
    file.write_text(json.dumps({"episodes": [{"episode_id": "s01_e20", "scenes": [scene]}]}))
    return file


def test_only_proper_names_of_one_person_are_asked_for(tmp_path: Path) -> None:
    lines = read_series(series(tmp_path))
    assert [[m.who for m in line.meant] for line in lines] == [
        ["Bert"], ["Bert", "Sue Roe"], ["Sue Roe"],
    ]  # fmt: skip


def test_characters_of_a_group_bear_one_name(tmp_path: Path) -> None:
    lines = read_series(series(tmp_path))
    (group,) = drawn(lines, 0, one_episode=True)
    assert renamed(lines[1], group) == "Alex and Alex laughed"
    assert event_of(lines[1], 1, group, Ids()).speaker_name == "Ann Lee"


def test_the_most_recent_bearer_is_the_one_meant_last(tmp_path: Path) -> None:
    world, ids = World(), Ids()
    lines = read_series(series(tmp_path))
    events: list[Event] = [event_of(one, n, frozenset(), ids) for n, one in enumerate(lines)]
    for agent, event in zip(("a", "b", "a"), events, strict=True):
        world.note(agent, About(event=event, by_bearer=False), agent)
    said = NameSaid(name="Alex", form="alex", position=0)
    assert most_recent(said, Context(event=events[-1]), world, ids)[0] == "a"


def test_b_cubed_is_one_for_the_true_clusters_and_falls_for_one_lump() -> None:
    def judged(given: str, truth: str) -> Judged:
        return Judged(group=0, truth=truth, given=given, right=True, known=True)

    assert b_cubed([judged("1", "a"), judged("1", "a"), judged("2", "b")]) == pytest.approx(1)
    lump = b_cubed([judged("1", "a"), judged("1", "a"), judged("1", "b")])
    assert lump == pytest.approx(2 * (5 / 9) / (1 + 5 / 9))
