"""Finding events again: by time, by meaning, by words."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bot.emotion import NEUTRAL, Emotion
from bot.errors import StorageError
from bot.messages import Delete
from bot.world import Hearing
from storage import SqliteStorage
from storage.search.nearness import CANDIDATES, signatures
from storage.search.words import any_of, terms, words
from tests.storage.scenes import (
    ENCODER,
    NOON,
    answers,
    channel,
    directions,
    dm,
    hears,
    memory,
    message,
)

Array = NDArray[np.float32]
TOMORROW = NOON + timedelta(days=1)


async def hearing(store: SqliteStorage, *, persona: str = "ida") -> Hearing:
    who = await store.persona(persona, persona.title())
    return Hearing(persona=who.id, place=(await store.place(dm())).id)


async def test_the_window_is_the_newest_lines_before_a_moment_oldest_first(
    store: SqliteStorage,
) -> None:
    first = await hears(store, message(1, "one"))
    turn = await answers(store, first, text="two")
    third = await hears(store, message(3, "three"), persona=None)
    await hears(store, message(1, "elsewhere", where=channel()))
    assert await store.window(first.place_id, before=TOMORROW, limit=9) == [
        first,
        turn.reply,
        third,
    ]
    assert await store.window(first.place_id, before=TOMORROW, limit=2) == [turn.reply, third]
    assert await store.window(first.place_id, before=third.at, limit=9) == [first, turn.reply]


async def test_nearest_gives_cosines_best_first(store: SqliteStorage) -> None:
    events = [await hears(store, message(n, f"line {n}")) for n in range(5)]
    vectors = directions(*range(5))
    await store.embedded([event.id for event in events], vectors, ENCODER)
    found = await store.nearest(vectors[2], ENCODER, await hearing(store), limit=3)
    assert found[0].event == events[2]
    assert found[0].semantic == pytest.approx(1.0, abs=1e-6)
    expected = sorted((float(one) for one in vectors @ vectors[2]), reverse=True)[:3]
    assert [one.semantic for one in found] == pytest.approx(expected, abs=1e-6)
    assert [one.words for one in found] == [None] * 3


async def test_vectors_of_another_encoder_are_never_compared(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "line"))
    await store.embedded([event.id], directions(1), ENCODER)
    await store.embedded([event.id], directions(1, size=24), "other")
    assert await store.embedders() == {ENCODER: 1, "other": 1}
    heard = await hearing(store)
    assert len(await store.nearest(directions(1, size=24)[0], "other", heard, limit=9)) == 1
    assert await store.nearest(directions(1, size=24)[0], ENCODER, heard, limit=9) == []
    assert await store.nearest(directions(1)[0], "unknown", heard, limit=9) == []
    await store.drop_vectors("other")
    assert await store.embedders() == {"other": 1}
    assert [one.id for one in await store.unembedded(ENCODER, 9)] == [event.id]


async def test_a_later_encoder_is_not_taken_for_a_dropped_one(store: SqliteStorage) -> None:
    event, heard = await hears(store, message(1, "line")), await hearing(store)
    for name, size in (("small", 16), ("large", 200), ("small", 16)):
        await store.embedded([event.id], directions(1, size=size), name)
        await store.drop_vectors(name)
        assert len(await store.nearest(directions(1, size=size)[0], name, heard, limit=9)) == 1


async def test_an_encoder_that_changed_its_dimension_is_refused(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "line"))
    await store.embedded([event.id], directions(1), ENCODER)
    with pytest.raises(StorageError, match="another name"):
        await store.embedded([event.id], directions(1, size=8), ENCODER)


async def test_a_new_vector_replaces_the_old_one(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "line"))
    heard = await hearing(store)
    for number in (1, 2):
        await store.embedded([event.id], directions(number), ENCODER)
        (found,) = await store.nearest(directions(number)[0], ENCODER, heard, limit=9)
        assert found.semantic == pytest.approx(1.0, abs=1e-6)
    assert await store.embedders() == {ENCODER: 1}


async def test_events_deleted_meanwhile_get_no_vector_and_no_feeling(store: SqliteStorage) -> None:
    kept, gone = await hears(store, message(1, "a")), await hears(store, message(2, "b"))
    await store.deleted(Delete(place=dm().key, ids=("m2",), at=NOON))
    ids = [kept.id, gone.id]
    await store.embedded(ids, directions(1, 2), ENCODER)
    await store.scored(ids, [NEUTRAL, NEUTRAL], "fake")
    assert await store.embedders() == {ENCODER: 1}


async def test_feelings_are_kept_and_replaced(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "a"))
    glad = Emotion(scores=(9, 1, 1, 1, 1, 1, 1, 2.5), valence=0.8, arousal=-0.2)
    await store.scored([event.id], [NEUTRAL], "fake")
    await store.scored([event.id], [glad], "fake")
    (line,) = await store.window(event.place_id, before=TOMORROW, limit=9)
    assert line.emotion == glad


async def many(store: SqliteStorage, count: int) -> Array:
    """A persona's past of so many lines with clustered vectors, as sentences have them."""
    rng = np.random.default_rng(7)
    centres = rng.standard_normal((40, 64))
    raw = centres[rng.integers(0, 40, count)] + 0.7 * rng.standard_normal((count, 64))
    vectors: Array = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    await store.remember(
        "ida",
        "",
        [memory(f"s{n}", f"line {n}") for n in range(count)],
        people={},
        vectors=vectors,
        embedder=ENCODER,
        emotions=[NEUTRAL] * count,
        scorer="fake",
    )
    return vectors


async def test_among_many_vectors_the_best_are_found(store: SqliteStorage) -> None:
    vectors = await many(store, 4 * CANDIDATES)
    heard, hits = await hearing(store), 0
    for number in range(0, 200, 10):
        best = np.argsort(-(vectors @ vectors[number]))[:10]
        found = await store.nearest(vectors[number], ENCODER, heard, limit=10)
        assert len(found) == 10
        hits += len({f"line {n}" for n in best} & {one.event.text for one in found})
    assert hits / 200 >= 0.97


async def test_what_is_held_in_memory_follows_the_database(store: SqliteStorage) -> None:
    vectors = await many(store, CANDIDATES + 50)
    heard = await hearing(store)
    (best, *_) = await store.nearest(vectors[3], ENCODER, heard, limit=2)
    assert best.event.text == "line 3"
    await store.forget_seeds("ida", [f"s{n}" for n in range(300, CANDIDATES + 50)])
    found = await store.nearest(vectors[3], ENCODER, heard, limit=999)
    assert len(found) == CANDIDATES + 50 - 300
    event = await hears(store, message(1, "new"))
    await store.embedded([event.id], vectors[3:4], ENCODER)
    (best, *_) = await store.nearest(vectors[3], ENCODER, heard, limit=2)
    assert best.event == event


def test_signatures_of_any_dimension_differ_where_signs_do() -> None:
    for dimension in (1, 8, 63, 64, 65, 384):
        vector = np.ones((1, dimension), dtype=np.float32)
        assert int(np.bitwise_count(signatures(vector) ^ signatures(-vector)).sum()) == dimension


async def test_words_find_what_shares_them_best_first(store: SqliteStorage) -> None:
    await hears(store, message(1, "the lighthouse at Skerry"))
    both = await hears(store, message(2, "bees near the lighthouse"))
    await hears(store, message(3, "nothing of the kind"))
    found = await store.matching("Bees & lighthouses?", await hearing(store), limit=9)
    assert [one.event.text for one in found] == [both.text, "the lighthouse at Skerry"]
    scores = [one.words or 0.0 for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(score >= 0 for score in scores)
    assert [one.semantic for one in found] == [None, None]


@pytest.mark.parametrize("asked", ["猫咪", "猫", "咪", "我的猫咪在哪里", "灯塔", "ねこ", "고양이"])
async def test_words_are_found_inside_scripts_without_spaces(
    store: SqliteStorage, asked: str
) -> None:
    text = "我喜欢我的猫咪和灯塔, ねこがいる, 우리고양이는"
    await hears(store, message(1, text))
    await hears(store, message(2, "别的事情"))
    found = await store.matching(asked, await hearing(store), limit=9)
    assert [one.event.text for one in found] == [text]


async def test_the_index_follows_edits_and_deletions(store: SqliteStorage) -> None:
    await hears(store, message(1, "bees"))
    heard = await hearing(store)
    await store.edited(message(1, "wasps"), NOON)
    assert await store.matching("bees", heard, limit=9) == []
    assert len(await store.matching("wasps", heard, limit=9)) == 1
    await store.deleted(Delete(place=dm().key, ids=("m1",), at=NOON))
    assert await store.matching("wasps", heard, limit=9) == []


HOSTILE = (
    '"', "'", "bees\" OR *", "NEAR(bees lighthouse)", "body: bees", "{bees}", "bees*", "^bees",
    "-bees", "(((", "AND OR NOT", "\x00bees\x00", "\ud800", "bees;drop table event", "_", "%", "",
    "a " * 5000,
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_text_is_query_syntax(store: SqliteStorage, text: str) -> None:
    await hears(store, message(1, "bees near the lighthouse"))
    await store.matching(text, await hearing(store), limit=9)
    assert (await store.counts())["events"] == 1


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_any_text_makes_a_query_that_fts_accepts(text: str) -> None:
    from storage.driver import connect

    connection = connect(":memory:")
    try:
        connection.execute("create virtual table t using fts5 (body)")
        connection.execute("insert into t values (?)", (words(text),))
        if query := any_of(terms(text)):
            connection.execute("select rowid from t where t match ?", (query,)).fetchall()
    finally:
        connection.close()
