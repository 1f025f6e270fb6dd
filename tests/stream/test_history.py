"""A stage told from the beginning is the one that was reached step by step."""

import random
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.stream.bonds import Stage
from bot.stream.history import Past, stage_after
from storage import open_storage
from tests.fakes import NOON
from tests.stream.test_store import exchange, heard


def days(*deltas: int, apart: float = 1.0) -> list[Past]:
    """One exchange after another, so many days apart."""
    return [
        Past(begun=at, at=at + timedelta(minutes=1), delta=delta)
        for n, delta in enumerate(deltas)
        if (at := NOON + timedelta(days=n * apart))
    ]


def test_it_begins_with_the_first_exchange() -> None:
    assert stage_after(days(1)) == (Stage.FIRST_MET, NOON)


def test_it_goes_up_and_down_with_what_happened() -> None:
    assert stage_after(days(*[1] * 6))[0] is Stage.FAMILIAR
    assert stage_after(days(*[1] * 24))[0] is Stage.DEPENDENT
    assert stage_after(days(*[1] * 6, *[-1] * 10))[0] is Stage.SEPARATED


def test_a_long_silence_counts_when_it_ends() -> None:
    past = days(*[1] * 6)
    late = past[-1].at + timedelta(days=61)
    stage, since = stage_after([*past, Past(begun=late, at=late, delta=1)])
    assert (stage, since) == (Stage.SEPARATED, late)


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 2**32))
async def test_it_agrees_with_what_was_stored_on_the_way(
    tmp_path_factory: object, seed: int
) -> None:
    dice = random.Random(seed)
    assert hasattr(tmp_path_factory, "mktemp")
    path: Path = tmp_path_factory.mktemp("stage") / "bower.db"
    minutes, past = 0, []
    mood = dice.choice([1, 1, -1])
    async with open_storage(path) as store:
        for n in range(40):
            minutes += dice.choice([5, 60, 1440, 1440, 1440 * 2, 1440 * 40])
            mood = dice.choice([mood, mood, mood, 0, 1, -1])
            one = await heard(store, "Ana", f"line {n}", minutes=minutes)
            other = await heard(store, "Ben", f"answer {n}", minutes=minutes + 1)
            assert await store.exchanged(exchange(one, other, mood, turn=None))
            past.append(Past(begun=one.at, at=other.at, delta=mood))
        [bond] = await store.bonds(one.speaker.id)
    assert stage_after(past) == (bond.stage, bond.stage_since)
