"""The paper's four strategies and the ordinary one, against orders worked out by hand."""

import math
from collections.abc import Sequence

import pytest

from bot.emotion import NEUTRAL
from bot.memory import Candidate, Recalled
from bot.recall import STRATEGIES, Query
from bot.recall.paper import POOL_FACTOR, euclidean, likeness, raw_distance
from tests.recall.scenes import candidate, feels

JOY = feels(joy=10)
ANGER = feels(anger=10)
MIXED = feels(joy=10, anger=10)  # cosine with joy alone: 1 / sqrt 2
PAPER = ("c-a", "c-m", "s-s", "s-e")

# cosines .98 .92 .82 .68 .5 are distances .2 .4 .6 .8 1, likenesses 1 .75 .5 .25 0
FIVE = (
    candidate(1, 0.98, ANGER),
    candidate(2, 0.92, MIXED),
    candidate(3, 0.82, JOY),
    candidate(4, 0.68, JOY),
    candidate(5, 0.50, MIXED),
)
MIX = 1 / math.sqrt(2)  # likeness in feeling: joy 1, mixed 1/sqrt 2, anger 0


def order(name: str, query: Query, candidates: Sequence[Candidate]) -> list[int]:
    return [r.event.id for r in STRATEGIES[name](query, candidates)]


def scores(ranked: Sequence[Recalled]) -> dict[int, float]:
    return {r.event.id: r.score for r in ranked}


def asks(limit: int = 5, *, scaled: bool = True, emotion: object = JOY) -> Query:
    return Query(text="?", emotion=emotion, limit=limit, scaled=scaled)  # type: ignore[arg-type]


def test_ordinary_retrieval_ranks_by_cosine() -> None:
    ranked = STRATEGIES["semantic"](asks(), FIVE[::-1])
    assert scores(ranked) == {1: 0.98, 2: 0.92, 3: 0.82, 4: 0.68, 5: 0.50}
    assert [r.event.id for r in ranked] == [1, 2, 3, 4, 5]


def test_addition_sums_the_likenesses() -> None:
    ranked = STRATEGIES["c-a"](asks(), FIVE)
    assert scores(ranked) == pytest.approx({1: 1.0, 2: 0.75 + MIX, 3: 1.5, 4: 1.25, 5: MIX})
    assert [r.event.id for r in ranked] == [3, 2, 4, 1, 5]


def test_multiplication_multiplies_the_likenesses() -> None:
    ranked = STRATEGIES["c-m"](asks(), FIVE)
    assert scores(ranked) == pytest.approx({1: 0, 2: 0.75 * MIX, 3: 0.5, 4: 0.25, 5: 0})
    assert [r.event.id for r in ranked] == [2, 3, 4, 1, 5]


def test_semantic_first_reorders_the_nearest_by_feeling() -> None:
    assert order("s-s", asks(1), FIVE) == [2, 1]  # the two nearest in meaning
    assert order("s-s", asks(2), FIVE) == [3, 4, 2, 1]
    assert order("s-s", asks(5), FIVE) == [3, 4, 2, 5, 1]  # equal feelings: the nearer first


def test_emotion_first_reorders_the_most_alike_by_meaning() -> None:
    assert order("s-e", asks(1), FIVE) == [3, 4]  # the two that feel most alike
    assert order("s-e", asks(2), FIVE) == [2, 3, 4, 5]
    assert order("s-e", asks(5), FIVE) == [1, 2, 3, 4, 5]


# Unscaled: distances in meaning .2 .4 .6 .8 1; in feeling between raw scores, where joy is
# (10, 1, 1, 1, 1, 1, 1, 1), of length sqrt 107: joy-anger 1 - 26/107, joy-mixed
# 1 - 116/sqrt(107 * 206)... since a.b = 10*10 + 1*10 + 6 and |mixed| = sqrt 206.
FAR_ANGER = 1 - 26 / 107
FAR_MIXED = 1 - 116 / math.sqrt(107 * 206)


def test_raw_distances_are_those_of_the_scores_as_they_are() -> None:
    assert raw_distance(JOY, ANGER) == pytest.approx(FAR_ANGER)
    assert raw_distance(JOY, MIXED) == pytest.approx(FAR_MIXED)
    assert raw_distance(JOY, JOY) == pytest.approx(0)


def test_unscaled_addition_lets_the_larger_distance_speak() -> None:
    ranked = STRATEGIES["c-a"](asks(scaled=False), FIVE)
    expected = {1: -0.2 - FAR_ANGER, 2: -0.4 - FAR_MIXED, 3: -0.6, 4: -0.8, 5: -1 - FAR_MIXED}
    assert scores(ranked) == pytest.approx(expected)
    assert [r.event.id for r in ranked] == [3, 2, 4, 1, 5]  # -.6 -.618 -.8 -.957 -1.218


def test_unscaled_multiplication_puts_parallel_feelings_first_whatever_the_meaning() -> None:
    ranked = STRATEGIES["c-m"](asks(scaled=False), FIVE)
    expected = {1: -0.2 * FAR_ANGER, 2: -0.4 * FAR_MIXED, 3: 0, 4: 0, 5: -FAR_MIXED}
    assert scores(ranked) == pytest.approx(expected)
    assert {r.event.id for r in ranked[:2]} == {3, 4}
    assert [r.event.id for r in ranked[2:]] == [2, 1, 5]  # -.087 -.151 -.218


def test_unscaled_sequences_take_the_same_pools() -> None:
    assert order("s-s", asks(2, scaled=False), FIVE) == [3, 4, 2, 1]
    assert order("s-e", asks(2, scaled=False), FIVE) == [2, 3, 4, 5]


@pytest.mark.parametrize("name", PAPER)
def test_a_query_without_feeling_ranks_by_meaning(name: str) -> None:
    neutral = asks(emotion=NEUTRAL)
    assert order(name, neutral, FIVE) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", PAPER)
def test_memories_without_feeling_rank_by_meaning_among_themselves(name: str) -> None:
    plain = [candidate(n, c) for n, c in ((1, 0.3), (2, 0.9), (3, 0.6))]
    scored = [candidate(n, c, NEUTRAL) for n, c in ((1, 0.3), (2, 0.9), (3, 0.6))]
    assert order(name, asks(), plain) == order(name, asks(), scored) == [2, 3, 1]


@pytest.mark.parametrize("name", ["c-a", "c-m"])
def test_all_ones_do_not_come_first_whatever_they_mean(name: str) -> None:
    far_and_neutral, near_and_alike = candidate(1, 0.1, NEUTRAL), candidate(2, 0.9, JOY)
    assert order(name, asks(), [far_and_neutral, near_and_alike]) == [2, 1]
    # of equal meaning, a feeling that fits leads, one that does not comes last
    three = [candidate(1, 0.9, ANGER), candidate(2, 0.9, NEUTRAL), candidate(3, 0.9, JOY)]
    low = candidate(4, 0.1, MIXED)
    assert order(name, asks(), [*three, low])[0] in (2, 3)
    assert order(name, asks(), [*three, low]).index(1) > 1


@pytest.mark.parametrize("name", [*PAPER, "semantic", "blend"])
def test_few_one_and_no_memories(name: str) -> None:
    assert STRATEGIES[name](asks(10), []) == []
    one = STRATEGIES[name](asks(10), [candidate(1, 0.4, JOY)])
    assert [r.event.id for r in one] == [1]
    assert len(STRATEGIES[name](asks(10), FIVE)) == len(FIVE) < POOL_FACTOR * 10


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("name", [*PAPER, "semantic", "blend"])
def test_equal_memories_come_in_the_order_of_their_ids(name: str, scaled: bool) -> None:
    twins = [candidate(n, 0.5, JOY) for n in (3, 1, 2)]
    assert order(name, asks(scaled=scaled), twins) == [1, 2, 3]


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("name", list(STRATEGIES))
@pytest.mark.parametrize("emotion", [JOY, NEUTRAL])
def test_the_parts_sum_up_to_the_score(name: str, scaled: bool, emotion: object) -> None:
    mixed = [*FIVE, candidate(6, 0.7), candidate(7, None, JOY, words=3.0)]
    for recalled in STRATEGIES[name](asks(scaled=scaled, emotion=emotion), mixed):
        assert sum(recalled.parts.values()) == pytest.approx(recalled.score)


@pytest.mark.parametrize("name", [*PAPER, "semantic"])
def test_what_only_words_found_has_no_place_in_the_papers_strategies(name: str) -> None:
    assert order(name, asks(), [candidate(1, 0.4, JOY), candidate(2, words=9.0)]) == [1]


def test_distances_are_those_of_unit_vectors() -> None:
    assert euclidean(1.0) == 0
    assert euclidean(0.0) == pytest.approx(math.sqrt(2))
    assert euclidean(-1.0) == 2


def test_likeness_of_equal_distances_is_one() -> None:
    import numpy as np

    assert list(likeness(np.array([0.7, 0.7]))) == [1, 1]
    assert list(likeness(np.array([]))) == []
