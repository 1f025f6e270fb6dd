"""The benchmarks of recall on made-up data: figures by hand, and what counts as a question."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks import affect, congruence, locomo, madial, speed
from benchmarks.bm25 import z
from benchmarks.cached import CachedEmbedder, CachedScorer
from benchmarks.ranking import Samples, hit_at, ndcg_at, recall_at, reciprocal_rank, some
from benchmarks.record import Options, bootstrap
from benchmarks.shelf import STRATEGY_ROWS, Baselines, by_feeling, shelf
from benchmarks.suite import load
from benchmarks.turn_cost import turn_cost_rows
from bot.emotion import NEUTRAL, Emotion
from bot.memory import EventKind, Memory, Precision
from bot.recall import Query
from tests.fakes import WordEmbedder
from tests.stream.feelings import ANGER, JOY, SORROW, WordScorer

DAY = datetime(2025, 5, 1, tzinfo=UTC)
RANKED, GOLD = ["a", "x", "b", "y", "z", "c"], frozenset({"b", "c", "q"})


def options(data: Path | None, said: list[str] | None = None) -> Options:
    keep = (said if said is not None else []).append
    return Options(data=data, cache=Path(), say=keep, progress=lambda _what, _done, _all: None)


def test_measures_of_a_ranking_are_those_worked_out_by_hand() -> None:
    assert recall_at(2, RANKED, GOLD) == 0
    assert recall_at(3, RANKED, GOLD) == pytest.approx(1 / 3)
    assert recall_at(10, RANKED, GOLD) == pytest.approx(2 / 3)
    assert hit_at(2, RANKED, GOLD) == 0
    assert hit_at(3, RANKED, GOLD) == 1
    assert reciprocal_rank(RANKED, GOLD) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], GOLD) == 0


def test_gain_is_discounted_by_rank_and_measured_against_the_best_ranking() -> None:
    # gold at ranks 3 and 6: 1/log2(4) = .5; the best: 1 + 1/log2(3) + .5 = 2.13093
    assert ndcg_at(5, RANKED, GOLD) == pytest.approx(0.5 / 2.130930, rel=1e-5)
    assert ndcg_at(10, RANKED, GOLD) == pytest.approx((0.5 + 0.356207) / 2.130930, rel=1e-5)
    assert ndcg_at(5, ["b", "c", "q"], GOLD) == pytest.approx(1)
    assert ndcg_at(1, ["b"], GOLD) == pytest.approx(1)  # one place, filled


def test_samples_become_means_with_the_interval_of_their_resampled_means() -> None:
    samples = Samples()
    for value in (0.0, 0.0, 1.0, 1.0):
        samples.add("bower", ["all", "en"], {"R@1": value})
    row = samples.rows(seed=3)[0]
    assert (row.name, row.subset, row.metrics) == ("bower", "all", {"R@1": 0.5})
    draws = np.random.default_rng(3).integers(0, 4, (1000, 4))
    means = np.array([0.0, 0.0, 1.0, 1.0])[draws].mean(axis=1)
    assert row.interval["R@1"] == pytest.approx(np.percentile(means, [2.5, 97.5]))
    assert bootstrap([1.0, 1.0, 1.0], 0) == (1.0, 1.0)


def test_standard_scores_are_worked_out_by_hand() -> None:
    assert z(np.array([1.0, 3.0])).tolist() == [-1.0, 1.0]


def test_a_limit_draws_the_same_part_for_the_same_seed() -> None:
    numbers = list(range(100))
    assert some(numbers, None, 0) == some(numbers, 100, 0) == numbers
    drawn = some(numbers, 7, 1)
    assert len(drawn) == 7
    assert drawn == sorted(drawn) == some(numbers, 7, 1) != some(numbers, 7, 2)


def test_ranking_by_feeling_alone_reads_no_text() -> None:
    assert by_feeling(JOY, [ANGER, NEUTRAL, JOY]) == [2, 0, 1]


class CountingScorer(WordScorer):
    asked = 0

    async def score(self, texts: Sequence[str]) -> list[Emotion]:
        self.asked += len(texts)
        return await super().score(texts)


class CountingEmbedder(WordEmbedder):
    texts_asked = 0

    async def embed(self, texts: Sequence[str], *, kind: str) -> NDArray[np.float32]:
        self.texts_asked += len(texts)
        return await super().embed(texts, kind=kind)


async def test_what_was_computed_once_is_read_again(tmp_path: Path) -> None:
    texts = ["a lovely day", "they died", "a lovely day"]
    for asked in (2, 0):
        scorer, encoder = CountingScorer(), CountingEmbedder()
        cached = CachedScorer(scorer, tmp_path, lambda *_: None)
        vectors = CachedEmbedder(encoder, tmp_path, lambda *_: None)
        found = await cached.score(texts)
        assert [e.scores for e in found] == [JOY.scores, SORROW.scores, JOY.scores]
        assert found[0].valence == pytest.approx(JOY.valence)
        rows = await vectors.embed(texts, kind="passage")
        assert rows == pytest.approx(await encoder.embed(texts, kind="passage"))
        assert (scorer.asked, encoder.texts_asked - 3) == (asked, asked)
        cached.save()
        vectors.save()


def memory(number: int, text: str) -> Memory:
    return Memory(
        source=f"test:{number}",
        kind=EventKind.IMPORT,
        at=DAY + timedelta(days=number),
        precision=Precision.DAY,
        speaker="Ana",
        text=text,
    )


async def test_every_strategy_finds_the_memory_that_says_the_same() -> None:
    texts = ["the red kettle boils", "a lovely wedding in May", "the dog died in winter"]
    memories = [memory(number, text) for number, text in enumerate(texts)]
    async with shelf(memories, WordEmbedder(), WordScorer()) as opened:
        for row, way in STRATEGY_ROWS.items():
            query = Query(text="the dog died in winter", limit=3)
            order, seconds = await opened.recall(query, way, limit=3)
            assert order[0] == 2, row
            assert seconds > 0
        orders = Baselines(texts, opened.vectors).orders(
            "kettle", (await WordEmbedder().embed(["kettle"], kind="query"))[0]
        )
    assert {name: order[0] for name, order in orders.items()} == {
        "BM25": 0, "vectors": 0, "z-sum": 0,
    }  # fmt: skip


DIALOGUE = {
    "dialogue": [
        "<BOD>\n",
        '<Bart>: "I am nervous about the show."\n',
        '<Assistant>: "Breathe deeply."\n',
        '<Bart>: "What should I wear?"\n',
        '<Assistant>: "Do you remember how you danced?"\n',
        '<Bart>: "Oh yes!"\n',
        "<EOD>\n",
    ],
    "test-turn": [4, 6],
    "relevant-id": [1, 7],
    "user-id": 2,
}


def test_a_dialogue_is_asked_before_its_first_test_turn() -> None:
    found = madial.read_dialogues(json.dumps(DIALOGUE))
    assert [(d.user, d.name, sorted(d.gold)) for d in found] == [(2, "Bart", ["1", "7"])]
    query = madial.query_of(found[0])
    assert query.text == "What should I wear?"
    assert [(line.text, line.own) for line in query.before] == [
        ("I am nervous about the show.", True),
        ("Breathe deeply.", False),
    ]
    assert "danced" not in found[0].whole


def test_only_the_memories_of_the_dialogues_own_user_are_searched() -> None:
    row = {"time": "2023-12-25", "event": "Bart danced."}
    bank = madial.read_memories({"1": row, "2": row, "3": row}, {"1": 2, "2": 9}, {2: "Bart"})
    assert {user: list(memories) for user, memories in bank.items()} == {2: ["1"]}
    assert bank[2]["1"].precision is Precision.DAY


def test_a_dialogue_is_measured_by_its_own_gold() -> None:
    found = madial.measures(["5", "1", "9", "7"], frozenset({"1", "7"}))
    assert (found["R@1"], found["R@3"], found["R@5"]) == (0, 0.5, 1)
    assert found["MRR"] == 0.5
    assert found["nDCG@5"] == pytest.approx((0.630930 + 0.430677) / 1.630930, rel=1e-5)


SCENARIO = {
    "sessions": [
        {"events": [{"memory_id": "m1", "content": "It broke."}], "queries": []},
        {
            "events": [{"memory_id": "m2", "content": "It was mended."}],
            "queries": [
                {
                    "query": "When did it work again?",
                    "expected_memory_ids": ["m2"],
                    "challenge_type": "arc",
                    "top_k": None,
                }
            ],
        },
    ]
}


def test_a_scenario_is_asked_after_its_sessions() -> None:
    found = affect.read_scenario(SCENARIO)
    assert found.ids == ("m1", "m2")
    assert found.memories[1].at - found.memories[0].at == affect.SESSION
    question = found.asked[0]
    assert (question.gold, question.kinds, question.sessions) == (frozenset({"m2"}), ("arc",), 2)
    assert affect.measures(["m1", "m2"], question.gold) == {"top-1": 0, "hit@2": 1, "MRR": 0.5}


@pytest.mark.parametrize("field", ["valence", "query_state", "core_affect"])
def test_sets_that_give_the_feeling_away_do_not_count(field: str) -> None:
    assert not affect.gives_state([SCENARIO])
    told = json.loads(json.dumps(SCENARIO))
    told["sessions"][0]["events"][0][field] = 0.5
    assert affect.gives_state([told])


SCENES = [
    {"scene": "system_prompt.txt", "text": "Luna:「never read」"},
    {"scene": "1", "text": "Ron:「Hello」\nLuna:「Good day」\nLuna:「You look sad」\nRon:「No」"},
    {"scene": "2", "text": "Harry:「Why?」\nLuna:「Wrackspurts」"},
]


def test_a_roles_memories_are_its_answers_to_others(tmp_path: Path) -> None:
    file = tmp_path / "luna.jsonl"
    file.write_text("\n".join(json.dumps(scene) for scene in SCENES))
    role = congruence.read_role(file)
    assert (role.name, role.language) == ("Luna", "en")
    assert [(one.said, one.answer) for one in role.exchanges] == [
        ("Hello", "Good day"),
        ("Why?", "Wrackspurts"),
    ]
    kept, asked = congruence.split(role, seed=0)
    assert not {one.scene for one in kept} & {one.scene for one in asked}


def test_distance_in_feeling_is_one_where_nothing_is_shared() -> None:
    assert congruence.distance(JOY, [JOY]) == pytest.approx(0)
    assert congruence.distance(JOY, [JOY, ANGER, NEUTRAL, NEUTRAL]) == pytest.approx(0.75)


@pytest.mark.parametrize("name", ["madial", "affect", "congruence"])
async def test_where_there_is_no_data_it_is_said(name: str, tmp_path: Path) -> None:
    said: list[str] = []
    assert await load(name)(options(tmp_path, said)) is None
    assert said
    assert all("skipped" in line for line in said)


def turn(number: str, speaker: str, text: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": number, "text": text}


LOCOMO = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            turn("D1:1", "Ana", "I bought a red kettle."),
            turn("D1:2", "Ben", "I like trains."),
        ],
        "session_2_date_time": "1:56 pm on 9 June, 2023",
        "session_2": [turn("D2:1", "Ana", "My sister came to see the garden.")],
    },
    "qa": [
        {"question": "Who bought a red kettle?", "category": 4, "evidence": ["D1:1"]},
        {"question": "Whose sister saw the garden?", "category": 5, "evidence": ["D2:1"]},
    ],
}


async def test_a_locomo_conversation_is_asked_through_the_programs_own_recall(
    tmp_path: Path,
) -> None:
    embedder = CachedEmbedder(WordEmbedder(), tmp_path, lambda *_: None)
    scorer = CachedScorer(WordScorer(), tmp_path, lambda *_: None)
    tally = locomo.Tally()
    read = await locomo.Conversation.read(LOCOMO, embedder, scorer)
    await read.ask(read.questions, tally, options(None))
    rows = {(row.name, row.subset): row.metrics for row in tally.rows(seed=0)}
    for row in ("BM25", "vectors", "z-sum", "bower semantic", "bower blend"):
        assert rows[row, "all"]["R@1"] == 1, row
        assert rows[row, "no adversarial"]["session R@1"] == 1, row
    assert rows["bower s-s", "adversarial"]["R@20"] == 1
    assert rows["bower blend", "speed"]["ms"] > 0
    assert rows["bower", "index size"]["turns"] == 3
    assert rows["bower", "index size"]["MB"] > 0


async def test_what_knowing_people_costs_is_told_beside_a_turns_other_trips() -> None:
    [row] = await turn_cost_rows(replace(options(None), limit=200))
    told = row.metrics
    assert told["ms"] == pytest.approx(told["ms before the answer"] + told["ms after it"])
    assert min(told.values()) > 0


async def test_speed_is_told_for_every_strategy_and_as_a_ratio() -> None:
    rows = await speed.measured(60, options(None), peer=False)
    ms = {row.name: row.metrics.get("ms") for row in rows}
    assert {"bower blend", "bower c-a", "NumPy scan, meaning alone"} <= set(ms)
    scan, blend = ms["NumPy scan, meaning alone"], ms["bower blend"]
    assert scan is not None
    assert blend is not None
    assert rows[-1].metrics == {"NumPy scan, meaning alone": pytest.approx(scan / blend)}
