"""A person's own words, corrections, and the wish not to be kept."""

from storage import SqliteStorage
from storage.driver import Driver
from tests.storage.scenes import ENCODER, NOON, answers, author, channel, hears, look, message
from tests.storage.test_recall import hearing


async def test_own_words_are_found_by_any_of_the_words(store: SqliteStorage) -> None:
    bees = await hears(store, message(1, "I keep bees"))
    goats = await hears(store, message(2, "I keep goats", where=channel()))
    await hears(store, message(3, "I keep bees too", by="Ben", where=channel()))
    ana = bees.speaker.id
    assert await store.own_words(ana, "", None, limit=9) == [goats, bees]
    assert await store.own_words(ana, "about bees", None, limit=9) == [bees]
    assert await store.own_words(ana, "", await hearing(store), limit=9) == [bees]
    assert await store.own_words(ana, "", None, limit=1) == [goats]


async def test_an_export_has_own_lines_with_the_replies_to_them(store: SqliteStorage) -> None:
    one, two = await hears(store, message(1, "hi")), await hears(store, message(2, "who are you"))
    await answers(store, one, two, text="Ida.")
    await hears(store, message(3, "mine", by="Ben", where=channel()))
    last = await hears(store, message(4, "unanswered"))
    lines = await store.export(one.speaker.id)
    assert [(line.text, line.reply) for line in lines] == [
        ("hi", ""),
        ("who are you", "Ida."),
        ("unanswered", ""),
    ]
    assert (lines[1].persona, lines[1].platform, lines[1].place) == ("ida", "tin", "ana")
    assert lines[2].at == last.at


async def test_a_correction_is_ones_own_line_and_the_old_one_is_past(store: SqliteStorage) -> None:
    old = await hears(store, message(1, "I live in Paris"))
    await answers(store, old)
    new = await store.correction(old.speaker.id, old.place_id, "I live in Lyon", NOON)
    assert (new.speaker, new.speaker_name, new.text) == (old.speaker, "Ana", "I live in Lyon")
    await store.supersede(old.id, new.id, NOON)
    found = {
        one.event.text: one.event.superseded_by
        for one in await store.matching("live", await hearing(store), limit=9)
    }
    assert found == {"I live in Paris": new.id, "I live in Lyon": None}


async def test_a_correction_is_told_to_the_persona_that_is_named(store: SqliteStorage) -> None:
    old = await hears(store, message(1, "hi"))
    await store.correction(old.speaker.id, old.place_id, "I live in Lyon", NOON, persona="noel")
    assert await store.matching("Lyon", await hearing(store), limit=9) == []
    assert len(await store.matching("Lyon", await hearing(store, persona="noel"), limit=9)) == 1


async def test_nothing_of_someone_who_opted_out_is_kept(
    store: SqliteStorage, driver: Driver
) -> None:
    ana = author("Ana").account
    await store.opt_out(ana, NOON)
    assert await store.opted_out(ana)
    received = await store.received(message(1, "hello"), persona="ida")
    assert (received.event, received.new) == (None, False)
    await hears(store, message(2, "ask Ana", by="Ben", mentions=(author("Ana"),), where=channel()))
    assert await store.person(ana) is None
    assert "ana" not in {row[0] for row in look(driver, store.path, "select name from place")}
    assert look(driver, store.path, "select platform, user from opt_out") == [("tin", "ana")]
    await store.opt_in(ana)
    assert not await store.opted_out(ana)
    assert (await store.received(message(1, "hello"), persona="ida")).event is not None


async def test_opting_out_ends_what_waits(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "hello"))
    await store.opt_out(author("Ana").account, NOON)
    assert await store.pending(event.place_id, "ida") == []
    assert await store.unembedded(ENCODER, 9) == []
    assert await store.edited(message(1, "changed"), NOON) is None
