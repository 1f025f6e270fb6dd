"""A persona's own past and imported conversations."""

from dataclasses import replace

from bot.emotion import NEUTRAL
from bot.memory import EventKind, Memory, Precision
from bot.world import AccountKey, AgentKind, Hearing
from storage import SqliteStorage
from storage.driver import Driver
from tests.storage.scenes import (
    ENCODER,
    NOON,
    assert_sound,
    author,
    directions,
    dm,
    hears,
    look,
    memory,
    message,
)


async def remember(
    store: SqliteStorage,
    *memories: Memory,
    persona: str = "ida",
    archive: str = "",
    people: dict[str, AccountKey] | None = None,
) -> int:
    return await store.remember(
        persona,
        archive,
        memories,
        people=people or {},
        vectors=directions(*range(len(memories))),
        embedder=ENCODER,
        emotions=[NEUTRAL] * len(memories),
        scorer="fake",
    )


def line(source: str, text: str, speaker: str, *people: str) -> Memory:
    return memory(source, text, kind=EventKind.IMPORT, speaker=speaker, people=people)


async def test_a_seed_is_the_personas_own_and_vague_as_told(store: SqliteStorage) -> None:
    ida = await store.persona("ida", "Ida")
    assert await remember(store, memory("s1", "the storm of 1998", people=("Mother",))) == 1
    hearing = Hearing(persona=ida.id, place=(await store.place(dm())).id)
    (found,) = await store.matching("storm", hearing, limit=9)
    event = found.event
    assert (event.kind, event.speaker, event.speaker_name) == (EventKind.SEED, ida, "Ida")
    assert (event.place_name, event.precision, event.importance) == ("Skerry", Precision.YEAR, 0.5)
    assert event.emotion == NEUTRAL
    assert await store.unembedded(ENCODER, 9) == []


async def test_the_same_source_is_stored_once(store: SqliteStorage) -> None:
    assert await remember(store, memory("s1", "one"), memory("s1", "one again")) == 1
    assert await remember(store, memory("s1", "one"), memory("s2", "two")) == 1
    assert await store.known_sources(["s1", "s2", "s3"]) == {"s1", "s2"}
    assert (await store.counts())["events"] == 2


async def test_a_third_party_is_one_agent_of_that_past(
    store: SqliteStorage, driver: Driver
) -> None:
    await remember(
        store,
        memory("s1", "one", people=("Mother",)),
        replace(memory("s2", "two"), speaker="Mother"),
    )
    await remember(store, memory("n1", "one", people=("Mother",)), persona="noel")
    rows = look(driver, store.path, "select kind from agent where name = 'Mother'")
    assert rows == [(AgentKind.THIRD_PARTY.value,)] * 2


async def test_seeds_that_left_the_file_are_forgotten_and_may_come_back(
    store: SqliteStorage, driver: Driver
) -> None:
    await remember(store, memory("s1", "one"), memory("s2", "two"))
    await remember(store, memory("n1", "one"), persona="noel")
    assert await store.forget_seeds("ida", ["s2"]) == 1
    assert await store.known_sources(["s1", "s2", "n1"]) == {"s2", "n1"}
    assert await remember(store, memory("s1", "one")) == 1
    assert_sound(driver, store.path)


async def test_imported_speakers_are_their_accounts_or_local_people(store: SqliteStorage) -> None:
    ana = await hears(store, message(1, "hello"))
    count = await remember(
        store,
        line("f:1", "first line", "Ana", "Ben"),
        line("f:2", "second line", "Ben", "Ana"),
        line("f:3", "third line", "Ida"),
        archive="letters",
        people={"Ana": author("Ana").account},
    )
    assert count == 3
    ben = await store.person(AccountKey(platform="import", user="letters/Ben"))
    assert ben is not None
    assert ben.kind is AgentKind.PERSON
    lines = await store.own_words(ana.speaker.id, "", None, limit=9)
    assert [one.text for one in lines] == ["hello", "first line"]


async def test_a_persona_that_speaks_in_an_archive_is_its_speaker(store: SqliteStorage) -> None:
    ida = await store.persona("ida", "Ida")
    await remember(
        store,
        line("f:1", "I lit the lamp", "ida"),
        line("f:2", "thank you", "Ana"),
        archive="letters",
        people={"Ana": author("Ana").account},
    )
    ana = await store.person(author("Ana").account)
    assert ana is not None
    hearing = Hearing(persona=ida.id, people=(ana.id,))
    (found,) = await store.matching("lamp", hearing, limit=9)
    assert found.event.speaker == ida


async def test_a_second_persona_given_the_same_archive_knows_it_too(store: SqliteStorage) -> None:
    noel = await store.persona("noel", "Noel")
    told = [line(f"f:{n}", f"lamp {n}", "Ana") for n in range(3)]
    people = {"Ana": author("Ana").account}
    assert await remember(store, *told, archive="letters", people=people) == 3
    ana = await store.person(author("Ana").account)
    assert ana is not None
    hearing = Hearing(persona=noel.id, people=(ana.id,))
    assert await store.nearest(directions(1)[0], ENCODER, hearing, limit=9) == []
    sources = [one.source for one in told]
    assert await store.known_sources(sources, persona="noel") == set()
    assert await remember(store, *told, persona="noel", archive="letters", people=people) == 0
    assert await store.known_sources(sources, persona="noel") == set(sources)
    assert len(await store.matching("lamp", hearing, limit=9)) == 3
    assert len(await store.nearest(directions(1)[0], ENCODER, hearing, limit=9)) == 3
    assert (await store.counts())["events"] == 3


async def test_lines_of_someone_who_opted_out_are_not_imported(store: SqliteStorage) -> None:
    await store.opt_out(author("Ana").account, NOON)
    count = await remember(
        store,
        line("f:1", "mine", "Ana"),
        line("f:2", "yours", "Ben"),
        archive="letters",
        people={"Ana": author("Ana").account},
    )
    assert count == 1
    assert await store.person(author("Ana").account) is None


async def test_an_import_does_not_rename_a_person_of_today(store: SqliteStorage) -> None:
    await hears(store, message(1, "hello", by="Ana"))
    await remember(
        store,
        line("f:1", "hi", "Little Ana"),
        archive="letters",
        people={"Little Ana": author("Ana").account},
    )
    person = await store.person(author("Ana").account)
    assert person is not None
    assert person.name == "Ana"
    assert [one.name for one in await store.names(person.id)] == ["Ana", "Little Ana"]
