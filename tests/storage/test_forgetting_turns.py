"""What deleting does to turns, and which lines `/forget` takes."""

from datetime import timedelta
from pathlib import Path

from bot.memory import Recalled, Selection, Share, Turn
from bot.messages import Delete
from storage import SqliteStorage
from storage.driver import Driver
from tests.storage.forgetting import LATER, SECRET, forget
from tests.storage.scenes import (
    NOON,
    answers,
    assert_sound,
    channel,
    composes,
    dm,
    hears,
    message,
)


async def test_a_reply_to_two_people_goes_with_the_line_of_one(
    store: SqliteStorage, driver: Driver, path: Path
) -> None:
    ana = await hears(store, message(1, SECRET, where=channel()))
    ben = await hears(store, message(2, "and mine keeps bees", by="Ben", where=channel()))
    await answers(store, ana, ben, text="Both of you have sisters.")
    await store.deleted(Delete(place=channel().key, ids=("m1",), at=NOON))
    assert await store.window(ben.place_id, before=LATER, limit=9) == [ben]
    assert await store.last_turn(ben.place_id) is None
    assert await store.pending(ben.place_id, "ida") == []
    assert_sound(driver, path)


async def test_an_unsent_reply_to_a_deleted_message_is_not_sent(store: SqliteStorage) -> None:
    ana = await hears(store, message(1, SECRET, where=channel()))
    ben = await hears(store, message(2, "hello", by="Ben", where=channel()))
    turn = await composes(store, ana, ben)
    await store.answered(turn.id, "Hm.", at=NOON, recalled=[], strategy="meaning")
    await store.deleted(Delete(place=channel().key, ids=("m1",), at=NOON))
    left = await store.unfinished("tin")
    assert (left.pending, left.unsent, left.unlearned) == ([], [], [])


async def test_a_composing_turn_goes_on_with_what_is_left(store: SqliteStorage) -> None:
    one, two = await hears(store, message(1, "a")), await hears(store, message(2, "b"))
    turn = await composes(store, one, two)
    await store.deleted(Delete(place=dm().key, ids=("m1",), at=NOON))
    answered = await store.answered(turn.id, "Hm.", at=NOON, recalled=[], strategy="meaning")
    assert answered.said == (two,)
    assert answered.reply is not None


async def test_a_reply_deleted_alone_leaves_what_it_answered(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "hello"))
    turn = await answers(store, event, ids=["r1", "r2"])
    counts = await store.deleted(Delete(place=dm().key, ids=("r2",), at=NOON))
    assert counts.removed == {"replies": 1, "vectors": 1}
    assert await store.window(event.place_id, before=LATER, limit=9) == [event]
    assert await store.turn_of_reply(dm().key, turn.sent[0]) is None


async def test_what_was_recalled_for_other_turns_goes_from_them(
    store: SqliteStorage, driver: Driver, path: Path
) -> None:
    event = await hears(store, message(1, SECRET))
    await answers(store, event)
    mind = Recalled(event=event, score=1.0, parts={"meaning": 1.0})
    later = await answers(store, await hears(store, message(2, "and?")), recalled=[mind])
    assert later.recalled == (mind,)
    await store.forget(Selection(events=(event.id,)))
    last = await store.last_turn(event.place_id)
    assert last is not None
    assert (last.id, last.recalled) == (later.id, ())
    assert_sound(driver, path)


async def exchanges(store: SqliteStorage, where: list[int]) -> list[Turn]:
    """Ana's exchanges so many minutes after noon, in a channel, and one of Ben's."""
    turns = [
        await answers(store, await hears(store, message(n, f"line {n}", where=channel())))
        for n in where
    ]
    ben = await hears(store, message(500, "I keep bees", by="Ben", where=channel()))
    await answers(store, ben)
    return turns


async def test_forget_last_takes_the_last_exchange_here(store: SqliteStorage) -> None:
    turns = await exchanges(store, [1, 30])
    await hears(store, message(40, "in a DM"))
    ana, place = turns[0].said[0].speaker.id, turns[0].place.id
    counts = await forget(store, Selection(agent=ana, share=Share.LAST, place=place, now=LATER))
    assert counts == {"messages": 1, "replies": 1, "vectors": 2}
    lines = await store.window(place, before=LATER, limit=9)
    assert [one.text for one in lines] == ["line 1", "I see.", "I keep bees", "I see."]
    assert len(await store.own_words(ana, "", None, limit=9)) == 2


async def test_forget_last_takes_a_line_that_still_waits(store: SqliteStorage) -> None:
    turns = await exchanges(store, [1])
    await hears(store, message(2, "pending", where=channel()))
    ana, place = turns[0].said[0].speaker.id, turns[0].place.id
    counts = await forget(store, Selection(agent=ana, share=Share.LAST, place=place, now=LATER))
    assert counts == {"messages": 1}


async def test_forget_hour_takes_the_last_hour_here(store: SqliteStorage) -> None:
    turns = await exchanges(store, [1, 30, 80])
    ana, place = turns[0].said[0].speaker.id, turns[0].place.id
    now = NOON + timedelta(minutes=85)
    counts = await forget(store, Selection(agent=ana, share=Share.HOUR, place=place, now=now))
    assert counts["messages"] == 2
    texts = [one.text for one in await store.own_words(ana, "", None, limit=9)]
    assert texts == ["line 1"]
