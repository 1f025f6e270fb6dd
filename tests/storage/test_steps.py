"""The four durable steps, each seen again after a restart."""

from datetime import timedelta

import pytest

from bot.errors import StorageError
from bot.memory import Recalled, Turn, TurnState
from bot.messages import Delete
from bot.world import Hearing
from storage import SqliteStorage
from tests.storage.conftest import Reopen
from tests.storage.scenes import (
    ENCODER,
    NOON,
    answers,
    channel,
    composes,
    dm,
    hears,
    message,
)


async def test_a_received_message_is_an_event_with_its_circumstances(store: SqliteStorage) -> None:
    said = message(1, "The lamp is lit", where=channel(), quoted="Is it dark?", reply_to="m0")
    received = await store.received(said, persona="ida")
    assert received.new
    event = received.event
    assert event is not None
    assert (event.text, event.quoted, event.at) == ("The lamp is lit", "Is it dark?", said.at)
    assert (event.speaker_name, event.place_name) == ("Ana", "general")
    assert event.emotion is None
    assert received.place.where == channel()


async def test_a_second_delivery_changes_nothing(store: SqliteStorage) -> None:
    first = await store.received(message(1, "hello"), persona="ida")
    await answers(store, await hears(store, message(1, "hello")))
    again = await store.received(message(1, "HELLO"), persona="ida")
    assert again.event == first.event
    assert not again.new
    assert await store.pending(first.place.id, "ida") == []


async def test_equal_ids_in_different_places_are_different_messages(store: SqliteStorage) -> None:
    here = await hears(store, message(1, "here", where=channel("a")))
    there = await hears(store, message(1, "there", where=channel("b")))
    other_bot = await hears(store, message(1, "elsewhere", where=channel("a", bot="second")))
    assert len({here.id, there.id, other_bot.id}) == 3


async def test_equal_texts_at_different_times_are_different_events(store: SqliteStorage) -> None:
    assert (await hears(store, message(1, "hi"))).id != (await hears(store, message(2, "hi"))).id


async def test_a_message_waits_for_its_persona_until_it_is_answered(
    store: SqliteStorage, reopen: Reopen
) -> None:
    event = await hears(store, message(1, "hello"))
    await store.close()
    async with reopen() as again:
        (pending,) = await again.pending(event.place_id, "ida")
        assert (pending.event, pending.persona, pending.message_id) == (event, "ida", "m1")
        assert (await again.unfinished("tin")).pending == [pending]
        assert (await again.unfinished("brass")).pending == []
        assert await again.pending(event.place_id, "noel") == []
        await answers(again, event)
        assert await again.pending(event.place_id, "ida") == []


async def test_what_nobody_is_to_answer_does_not_wait(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "chatter", where=channel()), persona=None)
    assert await store.pending(event.place_id, "ida") == []
    assert await store.wants_answer(event.id, "ida")
    assert not await store.wants_answer(event.id, "ida")
    (pending,) = await store.pending(event.place_id, "ida")
    assert pending.event == event
    await answers(store, event)
    assert not await store.wants_answer(event.id, "ida")


async def test_a_decision_not_to_answer_is_kept(store: SqliteStorage, reopen: Reopen) -> None:
    event = await hears(store, message(1, "hello"))
    await store.ignore([event.id], "too old")
    await store.close()
    async with reopen() as again:
        assert (await again.unfinished("tin")).pending == []
        assert (
            await again.composing(
                event.place_id, "ida", [event.id], nonce="n", reply_to=None, at=NOON
            )
            is None
        )


async def test_a_turn_left_composing_is_taken_up_with_nonce_and_drafts(
    store: SqliteStorage, reopen: Reopen
) -> None:
    first = await hears(store, message(1, "hello"))
    turn = await composes(store, first, nonce="first")
    await store.drafted(turn.id, ["d1", "d2"])
    second = await hears(store, message(2, "are you there?"))
    await store.close()
    async with reopen() as again:
        taken = await again.composing(
            first.place_id, "ida", [first.id, second.id], nonce="new", reply_to="m2", at=NOON
        )
        assert taken is not None
        assert (taken.id, taken.nonce, taken.drafts) == (turn.id, "first", ("d1", "d2"))
        assert taken.said == (first, second)
        assert (taken.reply_to, taken.state) == ("m2", TurnState.COMPOSING)


async def test_nothing_that_waits_means_no_turn(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "hello"))
    await answers(store, event)
    turn = await store.composing(
        event.place_id, "ida", [event.id], nonce="n", reply_to=None, at=NOON
    )
    assert turn is None


async def test_an_answer_covers_what_was_said_and_survives_a_restart(
    store: SqliteStorage, reopen: Reopen
) -> None:
    old = await hears(store, message(1, "I keep bees"))
    await answers(store, old)
    one, two = await hears(store, message(2, "so")), await hears(store, message(3, "what bees?"))
    turn = await composes(store, one, two)
    mind = Recalled(event=old, score=0.9, parts={"meaning": 0.7, "recency": 0.2})
    answered = await store.answered(
        turn.id, "Yours.", at=NOON + timedelta(minutes=4), recalled=[mind], strategy="meaning"
    )
    assert answered.reply is not None
    assert (answered.state, answered.reply.text) == (TurnState.ANSWERED, "Yours.")
    assert answered.reply.speaker == answered.persona
    assert answered.said == (one, two)
    await store.close()
    async with reopen() as again:
        (unsent,) = (await again.unfinished("tin")).unsent
        assert unsent == answered
        assert unsent.recalled == (mind,)
        assert await again.pending(one.place_id, "ida") == []
        # the step happens once, whoever repeats it
        repeated = await again.answered(turn.id, "Other.", at=NOON, recalled=[], strategy="x")
        assert repeated == answered


async def test_the_doubtful_moment_is_visible(store: SqliteStorage, reopen: Reopen) -> None:
    turn = await composes(store, await hears(store, message(1, "hello")))
    await store.answered(turn.id, "Hello.", at=NOON, recalled=[], strategy="meaning")
    await store.attempted(turn.id, NOON)
    await store.close()
    async with reopen() as again:
        (unsent,) = (await again.unfinished("tin")).unsent
        assert unsent.attempted_at == NOON
        assert unsent.sent == ()


async def test_a_sent_reply_has_all_its_messages_in_order(
    store: SqliteStorage, reopen: Reopen
) -> None:
    event = await hears(store, message(1, "hello"))
    turn = await composes(store, event)
    await store.answered(turn.id, "A long reply.", at=NOON, recalled=[], strategy="meaning")
    await store.sent(turn.id, ["z", "b", "a"], NOON)
    await store.close()
    async with reopen() as again:
        left = await again.unfinished("tin")
        assert left.unsent == []
        assert [one.sent for one in left.unlearned] == [("z", "b", "a")]
        for one in ("z", "b", "a"):
            found = await again.turn_of_reply(dm().key, one)
            assert found is not None
            assert found.id == turn.id
        assert await again.turn_of_reply(dm().key, "m1") is None
        await again.learned(turn.id, NOON)
        left = await again.unfinished("tin")
        assert (left.pending, left.unsent, left.unlearned) == ([], [], [])


async def test_nothing_is_learned_from_what_was_not_sent(store: SqliteStorage) -> None:
    turn = await composes(store, await hears(store, message(1, "hello")))
    await store.answered(turn.id, "Hello.", at=NOON, recalled=[], strategy="meaning")
    await store.learned(turn.id, NOON)
    assert [one.id for one in (await store.unfinished("tin")).unsent] == [turn.id]


async def test_an_undeliverable_reply_is_never_tried_again_nor_remembered(
    store: SqliteStorage,
) -> None:
    event = await hears(store, message(1, "hello"))
    turn = await composes(store, event)
    answered = await store.answered(turn.id, "Hello.", at=NOON, recalled=[], strategy="meaning")
    assert answered.reply is not None
    await store.undeliverable(turn.id, "blocked", NOON)
    left = await store.unfinished("tin")
    assert (left.pending, left.unsent, left.unlearned) == ([], [], [])
    assert await store.last_turn(event.place_id) is None
    assert await store.window(event.place_id, before=NOON + timedelta(days=1), limit=9) == [event]
    assert answered.reply.id not in {one.id for one in await store.unembedded(ENCODER, 9)}


async def test_an_abandoned_turn_records_its_messages_as_unanswered(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "hello"))
    turn = await composes(store, event)
    await store.abandoned(turn.id, "too old")
    assert await store.pending(event.place_id, "ida") == []
    with pytest.raises(StorageError, match="abandoned"):
        await store.sent(turn.id, ["x"], NOON)


async def test_a_turn_whose_messages_were_deleted_ends_without_a_reply(
    store: SqliteStorage,
) -> None:
    turn = await composes(store, await hears(store, message(1, "hello")))
    await store.deleted(Delete(place=dm().key, ids=("m1",), at=NOON))
    answered = await store.answered(turn.id, "Hello.", at=NOON, recalled=[], strategy="meaning")
    assert (answered.reply, answered.said) == (None, ())
    assert (await store.unfinished("tin")).unsent == []


async def test_an_apology_is_kept_but_not_remembered(store: SqliteStorage) -> None:
    turn = await composes(store, await hears(store, message(1, "hello")))
    answered = await store.answered(
        turn.id, "Ask again.", at=NOON, recalled=[], strategy="", failed=True
    )
    assert answered.failed
    assert answered.reply is not None
    assert answered.reply.id not in {one.id for one in await store.unembedded(ENCODER, 9)}


async def test_a_replaced_reply_reads_differently_and_loses_its_vector(
    store: SqliteStorage,
) -> None:
    event = await hears(store, message(1, "hello"))
    turn = await answers(store, event, text="First.", ids=["r1", "r2"])
    mind = Recalled(event=event, score=0.5, parts={"meaning": 0.5})
    changed = await store.replace_reply(
        turn.id, "Second.", at=NOON, recalled=[mind], strategy="words"
    )
    assert changed.reply is not None
    assert (changed.reply.text, changed.strategy) == ("Second.", "words")
    assert (changed.sent, changed.recalled) == (("r1", "r2"), (mind,))
    assert [one.text for one in await store.unembedded(ENCODER, 9)] == ["Second."]
    found = await store.matching("first second", hearing_of(changed), limit=9)
    assert [one.event.text for one in found] == ["Second."]


def hearing_of(turn: Turn) -> Hearing:
    return Hearing(persona=turn.persona.id, place=turn.place.id)


async def test_the_last_turn_is_found_by_place_persona_and_distance(store: SqliteStorage) -> None:
    turns = [
        await answers(store, await hears(store, message(n, f"line {n}", where=channel())))
        for n in (1, 2)
    ]
    event = await hears(store, message(3, "line 3", where=channel()), persona="noel")
    third = await answers(store, event, persona="noel")
    place = event.place_id
    last = await store.last_turn(place)
    assert last is not None
    assert last.id == third.id
    assert await store.last_turn(place, "ida") == turns[1]
    assert await store.last_turn(place, "ida", skip=1) == turns[0]
    assert await store.last_turn(place, "ida", skip=2) is None
