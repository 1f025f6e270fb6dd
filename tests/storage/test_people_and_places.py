"""Who is who, under which names; and places that change."""

from dataclasses import replace
from datetime import timedelta

from bot.memory import Usage
from bot.messages import Migrated, Rename
from bot.world import AccountKey, AgentKind, Answers, Hearing
from storage import SqliteStorage
from storage.driver import Driver
from tests.storage.conftest import Reopen
from tests.storage.scenes import (
    ENCODER,
    NOON,
    answers,
    assert_sound,
    author,
    channel,
    directions,
    dm,
    group,
    hears,
    key,
    look,
    message,
)


async def test_a_persona_is_one_agent_under_its_key(store: SqliteStorage) -> None:
    ida = await store.persona("ida", "Ida")
    renamed = await store.persona("ida", "Ida the Keeper")
    assert (renamed.id, renamed.name, renamed.kind) == (
        ida.id,
        "Ida the Keeper",
        AgentKind.PERSONA,
    )


async def test_the_account_is_the_identity_and_names_are_labels(store: SqliteStorage) -> None:
    first = await hears(store, message(1, "hi", by="Alex", where=channel()))
    other = author("Alex", user="another")
    second = await hears(store, message(2, "hi", by=other, where=channel()))
    assert first.speaker.id != second.speaker.id
    found = await store.people_named("ALEX")
    assert [(agent.id, account.user) for agent, account in found] == [
        (first.speaker.id, "alex"),
        (second.speaker.id, "another"),
    ]


async def test_the_history_of_names_is_kept_newest_first(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "hi", by="Alex"))
    await hears(store, message(2, "hi", by=author("Lex", user="alex")))
    await store.renamed(
        Rename(
            account=author("Alex").account, name="Sandy", at=NOON + timedelta(hours=1), server="s1"
        )
    )
    names = await store.names(event.speaker.id)
    assert [(one.name, one.server) for one in names] == [("Sandy", "s1"), ("Lex", ""), ("Alex", "")]
    person = await store.person(author("Alex").account)
    assert person is not None
    assert person.name == "Sandy"
    assert len(await store.people_named("alex")) == 1
    # the event keeps the name of its moment
    (line,) = await store.window(event.place_id, before=NOON + timedelta(minutes=2), limit=9)
    assert (line.speaker_name, line.speaker.name) == ("Alex", "Sandy")


async def test_an_old_report_does_not_become_the_present_name(store: SqliteStorage) -> None:
    event = await hears(store, message(50, "hi", by="Alex"))
    await store.renamed(
        Rename(account=author("Alex").account, name="Earlier", at=NOON, server="s1")
    )
    person = await store.person(author("Alex").account)
    assert person is not None
    assert person.name == "Alex"
    assert event.speaker.id == person.id


async def test_an_unknown_account_is_nobody(store: SqliteStorage) -> None:
    stranger = AccountKey(platform="tin", user="x")
    await store.renamed(Rename(account=stranger, name="X", at=NOON))
    assert await store.person(stranger) is None
    assert await store.people_named("X") == []


async def test_a_place_is_kept_as_the_platform_describes_it_now(store: SqliteStorage) -> None:
    first = await store.place(channel())
    second = await store.place(replace(channel(), name="renamed", private=True))
    assert second.id == first.id
    assert (second.where.name, second.where.private) == ("renamed", True)
    assert await store.place(replace(channel(), name="renamed", private=True)) == second


async def test_what_an_admin_sets_for_a_place_stays(store: SqliteStorage, reopen: Reopen) -> None:
    place = await store.place(channel())
    assert (place.listens, place.answers, place.persona, place.asleep) == (
        False,
        Answers.ADDRESSED,
        None,
        False,
    )
    await store.open_place(place.id, listens=True, answers=Answers.ALWAYS)
    await store.choose_persona(place.id, "noel")
    await store.put_to_sleep(place.id, asleep=True)
    await store.close()
    async with reopen() as again:
        kept = await again.place(channel())
        assert (kept.listens, kept.answers, kept.persona, kept.asleep) == (
            True,
            Answers.ALWAYS,
            "noel",
            True,
        )


async def test_a_moved_place_keeps_its_rows_and_settings(
    store: SqliteStorage, driver: Driver
) -> None:
    old, new = group("old"), group("new")
    event = await hears(store, message(1, "the bees swarm", where=old))
    await answers(store, event, ids=["r1"])
    await store.set_setting(event.place_id, "zone", "Europe/Lisbon")
    moved = Migrated(old=old.key, new=new.key, at=NOON)
    await store.migrated(moved)
    await store.migrated(moved)
    place = await store.place(new)
    assert place.id == event.place_id
    assert await store.setting(place.id, "zone") == "Europe/Lisbon"
    ida = await store.persona("ida", "Ida")
    heard = await store.matching("bees", Hearing(persona=ida.id, place=place.id), limit=9)
    assert [one.event.id for one in heard] == [event.id]
    assert_sound(driver, store.path)


async def test_message_ids_start_again_in_the_new_place(store: SqliteStorage) -> None:
    old, new = group("old"), group("new")
    before = await hears(store, message(1, "in the old group", where=old))
    await store.migrated(Migrated(old=old.key, new=new.key, at=NOON))
    after = await store.received(message(1, "in the new group", where=new), persona="ida")
    assert after.new
    assert after.event is not None
    assert after.event.id != before.id


async def test_a_late_delivery_under_the_old_identity_is_no_new_message(
    store: SqliteStorage,
) -> None:
    old, new = group("old"), group("new")
    before = await hears(store, message(1, "in the old group", where=old))
    moved = Migrated(old=old.key, new=new.key, at=NOON)
    await store.migrated(moved)
    again = await store.received(message(1, "in the old group", where=old), persona="ida")
    assert (again.event, again.new) == (before, False)
    await store.migrated(moved)
    assert (await store.place(new)).id == before.place_id


async def test_a_place_that_was_already_seen_under_the_new_identity_takes_all_over(
    store: SqliteStorage, driver: Driver
) -> None:
    old, new = group("old"), group("new")
    before = await hears(store, message(1, "old bees", where=old))
    await answers(store, before)
    await store.open_place(before.place_id, listens=True, answers=Answers.ALWAYS)
    await store.set_setting(before.place_id, "zone", "UTC")
    after = await hears(store, message(1, "new bees", where=new))
    ida = await store.persona("ida", "Ida")
    hearing = Hearing(persona=ida.id, place=after.place_id)
    toward = directions(before.id)[0]
    await store.nearest(toward, ENCODER, hearing, limit=9)
    await store.migrated(Migrated(old=old.key, new=new.key, at=NOON))
    heard = await store.matching("bees", hearing, limit=9)
    assert {one.event.id for one in heard} == {before.id, after.id}
    near = await store.nearest(toward, ENCODER, hearing, limit=9)
    assert before.id in {one.event.id for one in near}
    place = await store.place(new)
    assert (place.listens, place.answers) == (True, Answers.ALWAYS)
    assert await store.setting(place.id, "zone") == "UTC"
    assert_sound(driver, store.path)


async def test_a_move_of_an_unknown_place_is_nothing(store: SqliteStorage) -> None:
    await store.migrated(Migrated(old=key("x"), new=key("y"), at=NOON))
    assert (await store.counts())["places"] == 0


async def test_settings_of_places_and_of_all(store: SqliteStorage) -> None:
    place = (await store.place(dm())).id
    await store.set_setting(None, "budget", "10")
    await store.set_setting(place, "budget", "5")
    await store.set_setting(place, "budget", "6")
    assert await store.setting(None, "budget") == "10"
    assert await store.setting(place, "budget") == "6"
    await store.set_setting(place, "budget", None)
    assert await store.setting(place, "budget") is None
    assert await store.setting(None, "budget") == "10"


async def test_model_calls_are_written_down(store: SqliteStorage, driver: Driver) -> None:
    place = (await store.place(dm())).id
    usage = Usage(purpose="answer", model="m", prompt_tokens=10, completion_tokens=3, seconds=0.5)
    await store.used(usage, place=place, at=NOON)
    await store.used(usage, place=None, at=NOON)
    rows = look(driver, store.path, "select purpose, prompt_tokens, place from usage order by id")
    assert rows == [("answer", 10, place), ("answer", 10, None)]


async def test_counts_say_how_much_is_kept(store: SqliteStorage) -> None:
    await answers(store, await hears(store, message(1, "hello")))
    assert await store.counts() == {
        "events": 2,
        "people": 1,
        "personas": 1,
        "places": 1,
        "turns": 1,
        "vectors": 2,
    }
