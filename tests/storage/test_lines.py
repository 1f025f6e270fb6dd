"""Single lines: who witnesses them, what an edit does, which are remembered."""

from bot.world import Answers, Hearing
from storage import SqliteStorage
from tests.storage.scenes import (
    ENCODER,
    NOON,
    answers,
    author,
    channel,
    directions,
    dm,
    hears,
    message,
)


async def test_personas_present_witness_what_is_said_and_answered(store: SqliteStorage) -> None:
    noel = await store.persona("noel", "Noel")
    received = await store.received(
        message(1, "the bees swarm", where=channel()), persona="ida", hearers=["ida", "noel"]
    )
    assert received.event is not None
    await answers(store, received.event, text="Let them swarm.")
    heard = await store.matching(
        "swarm", Hearing(persona=noel.id, place=received.place.id), limit=9
    )
    assert {one.event.text for one in heard} == {"the bees swarm", "Let them swarm."}


async def test_an_edit_changes_the_text_and_drops_what_was_made_of_it(
    store: SqliteStorage,
) -> None:
    event = await hears(store, message(1, "I live in Paris"))
    await answers(store, event)
    edited = await store.edited(message(1, "I live in Lyon"), NOON)
    assert edited is not None
    assert (edited.id, edited.text) == (event.id, "I live in Lyon")
    assert [one.id for one in await store.unembedded(ENCODER, 9)] == [event.id]
    assert await store.edited(message(77, "unknown"), NOON) is None
    assert await store.edited(message(1, "x", where=channel("never seen")), NOON) is None


async def test_an_edit_that_changes_nothing_keeps_the_vector(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "same"))
    await store.embedded([event.id], directions(1), ENCODER)
    await store.edited(message(1, "same"), NOON)
    assert await store.unembedded(ENCODER, 9) == []


async def test_a_message_without_words_is_kept_but_not_remembered(store: SqliteStorage) -> None:
    await hears(store, message(1, "  "))
    assert await store.unembedded(ENCODER, 9) == []


async def test_unaddressed_lines_are_remembered_only_where_the_place_listens(
    store: SqliteStorage,
) -> None:
    overheard = await hears(store, message(1, "closed", where=channel()), persona=None)
    await store.open_place(overheard.place_id, listens=True, answers=Answers.ADDRESSED)
    await hears(store, message(2, "open", where=channel()), persona=None)
    assert [one.text for one in await store.unembedded(ENCODER, 9)] == ["open"]


async def test_mentioned_people_become_known_but_not_the_bot_itself(store: SqliteStorage) -> None:
    ben, me = author("Ben"), author("Ida", user="bot", is_me=True)
    await hears(store, message(1, "ask Ben", where=channel(), mentions=(ben, me)))
    assert await store.person(ben.account) is not None
    assert await store.person(me.account) is None


async def test_an_overheard_line_that_turns_out_to_be_meant_is_remembered(
    store: SqliteStorage,
) -> None:
    ida = await store.persona("ida", "Ida")
    for where in (channel(), dm()):
        event = await hears(store, message(1, "bees", where=where), persona=None)
        hearing = Hearing(persona=ida.id, place=event.place_id)
        assert await store.matching("bees", hearing, limit=9) == []
        assert await store.wants_answer(event.id, "ida")
        assert len(await store.matching("bees", hearing, limit=9)) == 1


async def test_a_line_with_a_vector_is_found_by_a_persona_that_comes_to_know_it(
    store: SqliteStorage,
) -> None:
    ida = await store.persona("ida", "Ida")
    place = await store.place(channel())
    await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
    event = await hears(store, message(1, "bees", where=channel()), persona=None)
    later = await hears(store, message(2, "wasps", where=channel()))
    await store.embedded([event.id, later.id], directions(1, 2), ENCODER)
    hearing = Hearing(persona=ida.id, place=place.id)
    assert len(await store.nearest(directions(1)[0], ENCODER, hearing, limit=9)) == 1
    await store.wants_answer(event.id, "ida")
    assert len(await store.nearest(directions(1)[0], ENCODER, hearing, limit=9)) == 2
