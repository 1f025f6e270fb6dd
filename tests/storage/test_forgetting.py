"""Deleting leaves nothing behind: no row that points at nothing, no text, no byte."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.emotion import NEUTRAL
from bot.memory import EventKind, Selection, Share
from bot.messages import Delete
from bot.world import Hearing
from storage import SqliteStorage
from storage.driver import Driver
from tests.storage.conftest import Reopen
from tests.storage.forgetting import LATER, SECRET, everything, forget, in_file
from tests.storage.scenes import (
    ENCODER,
    NOON,
    answers,
    assert_sound,
    author,
    channel,
    directions,
    dm,
    every_text,
    hears,
    look,
    memory,
    message,
)


async def test_an_exchange_goes_with_its_reply_and_all_that_rests_on_it(
    store: SqliteStorage, driver: Driver, path: Path
) -> None:
    event = await hears(store, message(1, SECRET))
    turn = await answers(store, event, text="How is xanthippe Eva?")
    await store.scored([event.id], [NEUTRAL], "fake")
    counts = await forget(store, Selection(events=(event.id,)))
    assert counts == {"messages": 1, "replies": 1, "vectors": 2, "feelings": 1}
    assert await store.counts() | {"people": 0, "personas": 0, "places": 0} == {
        "events": 0, "turns": 0, "vectors": 0, "people": 0, "personas": 0, "places": 0,
    }  # fmt: skip
    assert await store.turn_of_reply(dm().key, turn.sent[0]) is None
    assert_sound(driver, path)
    assert in_file(path, SECRET, "xanthippe", "xanthipp") == set()


async def test_a_deleted_message_is_removed_with_its_reply(
    store: SqliteStorage, driver: Driver, path: Path
) -> None:
    event = await hears(store, message(1, SECRET))
    await answers(store, event)
    kept = await hears(store, message(2, "I keep bees"))
    counts = await store.deleted(Delete(place=dm().key, ids=("m1", "never seen"), at=NOON))
    assert counts.removed == {"messages": 1, "replies": 1, "vectors": 2}
    assert await store.window(event.place_id, before=LATER, limit=9) == [kept]
    assert_sound(driver, path)
    assert "Eva" not in every_text(driver, path)


async def test_a_deleted_place_that_nobody_knows_is_nothing(store: SqliteStorage) -> None:
    deleted = await store.deleted(Delete(place=channel("x").key, ids=("m1",), at=NOON))
    assert deleted.total == 0


async def test_a_tombstone_keeps_redelivery_out(store: SqliteStorage, reopen: Reopen) -> None:
    event = await hears(store, message(1, SECRET))
    turn = await answers(store, event)
    await store.forget(Selection(events=(event.id,)))
    # also of a message whose deletion overtakes it
    await store.deleted(Delete(place=dm().key, ids=("m9",), at=NOON))
    await store.close()
    async with reopen() as again:
        for number in (1, 9):
            received = await again.received(message(number, SECRET), persona="ida")
            assert (received.event, received.new) == (None, False)
        own = message(turn.sent[0], "my own reply, fetched from the history")
        assert (await again.received(own, persona=None)).event is None
        assert await again.edited(message(1, SECRET), NOON) is None
        assert (await again.received(message(2, "new"), persona="ida")).new


async def test_an_import_does_not_bring_back_what_was_forgotten(store: SqliteStorage) -> None:
    async def brought() -> int:
        return await store.remember(
            "ida",
            "letters",
            [memory("f:1", SECRET, kind=EventKind.IMPORT, speaker="Ana")],
            people={"Ana": author("Ana").account},
            vectors=directions(1),
            embedder=ENCODER,
            emotions=[NEUTRAL],
            scorer="fake",
        )

    assert await brought() == 1
    ana = await store.person(author("Ana").account)
    assert ana is not None
    counts = await forget(store, Selection(agent=ana.id, share=Share.EVERYTHING, now=LATER))
    assert counts["memories"] == 1
    assert await brought() == 0
    assert await store.known_sources(["f:1"]) == {"f:1"}


async def test_forget_everything_leaves_no_trace_of_the_person(
    store: SqliteStorage, driver: Driver, path: Path
) -> None:
    zoe = author("Zoelinde", user="u-1")
    event = await hears(
        store, message(1, SECRET, by=zoe, where=replace(dm("u-1"), name="Zoelinde"))
    )
    await answers(store, event, text="Dear Zoelinde, how is Eva?")
    await hears(store, message(2, "I like bees", by=zoe, where=channel()))
    ben = await hears(store, message(3, "zoelinde likes bees", by="Ben", where=channel()))
    reply = await answers(
        store, ben, text="ZOELINDE? She said: my sister Eva lives in Lyon with three cats."
    )
    quoting = await hears(
        store,
        message(4, "so true", by="Ben", where=channel(), reply_to="m2", quoted="I like bees"),
    )
    counts = await forget(store, everything(event))
    assert counts["messages"] == 2
    assert counts["replies"] == 1
    assert counts["names"] == 1
    assert counts["accounts"] == 1
    assert counts["redacted lines"] >= 2
    assert_sound(driver, path)
    assert in_file(path, SECRET, "zoelinde", "xanthippe", "I like bees") == set()
    assert await store.person(zoe.account) is None
    lines = {one.id: one for one in await store.window(ben.place_id, before=LATER, limit=9)}
    assert lines[ben.id].text == "[someone] likes bees"
    assert reply.reply is not None
    assert lines[reply.reply.id].text == "[someone]? She said: […] cats."
    assert lines[quoting.id].quoted == ""
    # changed lines are embedded anew
    assert {ben.id, reply.reply.id} <= {one.id for one in await store.unembedded(ENCODER, 9)}
    hearing = Hearing(persona=reply.persona.id, place=ben.place_id)
    assert await store.matching("zoelinde", hearing, limit=9) == []
    assert len(await store.matching("someone", hearing, limit=9)) == 2


async def test_a_person_who_comes_back_is_new(store: SqliteStorage) -> None:
    event = await hears(store, message(1, SECRET))
    await store.forget(everything(event))
    again = await hears(store, message(2, "hello again"))
    assert await store.own_words(again.speaker.id, "", None, limit=9) == [again]
    assert again.id > event.id


async def test_a_personas_own_name_is_not_redacted(store: SqliteStorage) -> None:
    await store.persona("ida", "Ida")
    namesake = author("Ida", user="u-2")
    event = await hears(store, message(1, "hello", by=namesake, where=channel()))
    ben = await hears(store, message(2, "Ida keeps the lamp", by="Ben", where=channel()))
    await store.forget(everything(event))
    assert await store.window(ben.place_id, before=LATER, limit=9) == [ben]


async def test_merged_agents_are_forgotten_together(
    store: SqliteStorage, driver: Driver, path: Path
) -> None:
    ana = await hears(store, message(1, SECRET))
    other = await hears(store, message(2, "me too", by="Annie", where=channel()))
    look(
        driver, path, "update agent set merged_into = ? where id = ?",
        ana.speaker.id, other.speaker.id,
    )  # fmt: skip
    counts = await forget(store, everything(other))
    assert (counts["messages"], counts["accounts"]) == (2, 2)
    assert_sound(driver, path)


async def test_an_opt_out_outlives_everything(store: SqliteStorage) -> None:
    event = await hears(store, message(1, SECRET))
    await store.opt_out(author("Ana").account, NOON)
    await store.forget(everything(event))
    assert await store.opted_out(author("Ana").account)


async def test_forgetting_nothing_removes_nothing(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "hello"))
    for selection in (
        Selection(),
        Selection(events=(999,)),
        Selection(agent=999, share=Share.EVERYTHING),
        Selection(agent=event.speaker.id, share=Share.LAST, place=999, now=NOON),
    ):
        assert await forget(store, selection) == {}
    assert (await store.counts())["events"] == 1


@pytest.mark.parametrize("count", [1, 400])
async def test_the_bytes_go_however_many_lines_there_were(
    store: SqliteStorage, driver: Driver, path: Path, count: int
) -> None:
    """Enough lines for many pages and several segments of the word index."""
    for number in range(count):
        await store.received(
            message(number, f"word{number} quixotry {SECRET}", where=channel()), persona="ida"
        )
        await store.received(
            message(f"b{number}", f"bees {number}", by="Ben", where=channel()), persona="ida"
        )
    ana = await store.person(author("Ana").account)
    assert ana is not None
    await store.forget(Selection(agent=ana.id, share=Share.EVERYTHING, now=LATER))
    assert in_file(path, "quixotr", SECRET, "xanthipp", f"word{count - 1}") == set()
    assert_sound(driver, path)
