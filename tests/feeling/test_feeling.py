"""The arithmetic of feelings."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.emotion import DIMENSIONS, NEUTRAL, Emotion
from bot.feeling import axes_of, congruence, felt, leading, strength, vector


def only(dimension: str, score: float) -> Emotion:
    return Emotion(scores=tuple(score if d == dimension else 1.0 for d in DIMENSIONS))


def test_neutral_is_the_zero_vector_and_has_no_direction() -> None:
    assert not vector(NEUTRAL).any()
    assert strength(NEUTRAL) == 0
    assert leading(NEUTRAL) is None
    assert congruence(NEUTRAL, NEUTRAL) is None
    assert congruence(only("joy", 9), NEUTRAL) is None


def test_congruence_looks_at_the_mixture_and_not_at_the_strength() -> None:
    assert congruence(only("joy", 2), only("joy", 10)) == pytest.approx(1)
    assert congruence(only("joy", 9), only("fear", 9)) == 0


def test_a_share_becomes_a_score_between_one_and_ten() -> None:
    emotion = felt([0.5, 0, 0, 0, 0.02, 0, 0, 0], valence=0.3, arousal=-0.2, threshold=0.2)
    assert emotion.scores == (5.5, 1, 1, 1, 1, 1, 1, 1)
    assert (emotion.valence, emotion.arousal) == (0.3, -0.2)
    assert leading(emotion) == "joy"


def test_little_feeling_is_none_at_all() -> None:
    assert felt([0.1] + [0] * 7, valence=0.05, arousal=-0.09, threshold=0.2) == NEUTRAL


def test_a_neutral_text_keeps_a_clear_valence() -> None:
    emotion = felt([0.0] * 8, valence=-0.4, arousal=0.01, threshold=0.2)
    assert emotion.scores == NEUTRAL.scores
    assert (emotion.valence, emotion.arousal) == (-0.4, 0)


@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=8, max_size=8),
    st.floats(),
    st.floats(),
)
def test_any_numbers_make_a_valid_emotion(shares: list[float], v: float, a: float) -> None:
    emotion = felt(shares, valence=v, arousal=a, threshold=0.2)
    assert all(1 <= score <= 10 for score in emotion.scores)


def test_axes_follow_from_scores() -> None:
    assert axes_of(NEUTRAL.scores) == (0, 0)
    valence, arousal = axes_of(only("anger", 10).scores)
    assert valence < -0.5
    assert arousal > 0.5
    mild, _ = axes_of(only("anger", 3).scores)
    assert valence < mild < 0


@given(st.lists(st.floats(min_value=1, max_value=10), min_size=8, max_size=8))
def test_axes_stay_in_range(scores: list[float]) -> None:
    assert all(math.isfinite(axis) and -1 <= axis <= 1 for axis in axes_of(scores))
