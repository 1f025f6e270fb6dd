"""Who may hear what: the filter before any ranking."""

from dataclasses import replace

from bot.emotion import NEUTRAL
from bot.memory import EventKind
from bot.ports import Storage
from bot.world import Hearing, Where
from storage import SqliteStorage
from storage.driver import Driver
from tests.storage.scenes import (
    ENCODER,
    answers,
    author,
    channel,
    directions,
    dm,
    group,
    hears,
    look,
    memory,
    message,
)


async def heard(
    store: Storage, where: Where | None, persona: str = "ida", people: tuple[int, ...] = ()
) -> set[str]:
    """What a persona can recall in a place, by words and by meaning, which must agree."""
    who = await store.persona(persona, persona.title())
    place = None if where is None else (await store.place(where)).id
    hearing = Hearing(persona=who.id, place=place, people=people)
    await give_vectors(store)
    by_words = {one.event.text for one in await store.matching("secret", hearing, limit=99)}
    near = await store.nearest(directions(1)[0], ENCODER, hearing, limit=99)
    assert {one.event.text for one in near if "secret" in one.event.text} == by_words
    return by_words


async def give_vectors(store: Storage) -> None:
    if missing := await store.unembedded(ENCODER, 99):
        ids = [event.id for event in missing]
        await store.embedded(ids, directions(*ids), ENCODER)


async def test_a_dm_is_heard_in_that_dm_only(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "secret of Ana"))
    await answers(store, event, text="your secret is safe")
    assert await heard(store, dm()) == {"secret of Ana", "your secret is safe"}
    for elsewhere in (dm("ben"), channel(), group(), dm(bot="second")):
        assert await heard(store, elsewhere) == set()


async def test_a_dm_is_heard_by_that_persona_only(store: SqliteStorage) -> None:
    await hears(store, message(1, "secret for Ida"))
    await hears(store, message(2, "secret for Noel"), persona="noel")
    assert await heard(store, dm(), "ida") == {"secret for Ida"}
    assert await heard(store, dm(), "noel") == {"secret for Noel"}


async def test_open_channels_of_a_server_hear_each_other(store: SqliteStorage) -> None:
    await hears(store, message(1, "secret", where=channel("a")))
    assert await heard(store, channel("b")) == {"secret"}
    assert await heard(store, channel("b", thread="t")) == {"secret"}
    for elsewhere in (channel("c", server="s2"), channel("d", bot="second"), dm(), group()):
        assert await heard(store, elsewhere) == set()


async def test_a_private_channel_hears_the_open_ones_but_never_leaves_itself(
    store: SqliteStorage,
) -> None:
    staff = channel("staff", private=True)
    await hears(store, message(1, "secret of the staff", where=staff))
    await hears(store, message(2, "open secret", where=channel("a")))
    assert await heard(store, staff) == {"secret of the staff", "open secret"}
    assert await heard(store, channel("a")) == {"open secret"}
    assert await heard(store, channel("staff2", private=True)) == {"open secret"}


async def test_a_thread_of_a_private_channel_is_private(store: SqliteStorage) -> None:
    staff = channel("staff", private=True)
    await store.place(staff)
    await hears(store, message(1, "secret", where=channel("staff", thread="t")))
    assert await heard(store, channel("staff", thread="t")) == {"secret"}
    assert await heard(store, channel("a")) == set()


async def test_a_channel_that_becomes_private_closes_at_once(store: SqliteStorage) -> None:
    await hears(store, message(1, "secret", where=channel("a")))
    assert await heard(store, channel("b")) == {"secret"}
    await store.place(replace(channel("a"), private=True))
    assert await heard(store, channel("b")) == set()
    assert await heard(store, replace(channel("a"), private=True)) == {"secret"}


async def test_what_is_said_in_an_age_restricted_channel_stays_among_such(
    store: SqliteStorage,
) -> None:
    await hears(store, message(1, "secret", where=channel("a", age_restricted=True)))
    assert await heard(store, channel("b")) == set()
    assert await heard(store, channel("c", age_restricted=True)) == {"secret"}


async def test_groups_without_a_server_keep_to_themselves(store: SqliteStorage) -> None:
    await hears(store, message(1, "secret", where=group("family")))
    assert await heard(store, group("family")) == {"secret"}
    assert await heard(store, group("friends")) == set()


async def test_a_persona_recalls_only_what_it_knows_first_hand(store: SqliteStorage) -> None:
    await store.received(message(1, "secret", where=channel()), persona="ida", hearers=["noel"])
    assert await heard(store, channel(), "ida") == {"secret"}
    assert await heard(store, channel(), "noel") == {"secret"}
    assert await heard(store, channel(), "mara") == set()


async def seeds(store: Storage, persona: str, archive: str, *texts: str, speaker: str = "") -> None:
    await store.remember(
        persona,
        archive,
        [
            memory(
                f"{persona}/{archive}/{text}",
                text,
                kind=EventKind.IMPORT if archive else EventKind.SEED,
                speaker=speaker,
            )
            for text in texts
        ],
        people={"Ana": author("Ana").account},
        vectors=directions(*range(len(texts))),
        embedder=ENCODER,
        emotions=[NEUTRAL] * len(texts),
        scorer="fake",
    )


async def test_a_personas_past_is_heard_wherever_it_speaks(store: SqliteStorage) -> None:
    await seeds(store, "ida", "", "secret of the lamp")
    for where in (dm(), dm("ben"), channel(), channel("p", private=True), group()):
        assert await heard(store, where) == {"secret of the lamp"}
        assert await heard(store, where, "noel") == set()


async def test_an_archive_is_heard_in_dms_with_its_members(store: SqliteStorage) -> None:
    await seeds(store, "ida", "letters", "secret letter", speaker="Ana")
    await hears(store, message(1, "hello"))
    await hears(store, message(1, "hello", by="Ben", where=dm("ben")))
    await hears(store, message(1, "hello", where=channel()))
    assert await heard(store, dm()) == {"secret letter"}
    for elsewhere in (dm("ben"), channel(), group()):
        assert await heard(store, elsewhere) == set()
    assert await heard(store, dm(), "noel") == set()


async def test_looking_in_from_outside_hears_dms_and_archives_of_those_people(
    store: SqliteStorage,
) -> None:
    ana = await hears(store, message(1, "secret of Ana"))
    ben = await hears(store, message(1, "secret of Ben", by="Ben", where=dm("ben")))
    await hears(store, message(1, "secret of the channel", where=channel()))
    await seeds(store, "ida", "", "secret of the lamp")
    await seeds(store, "ida", "letters", "secret letter", speaker="Ana")
    past = {"secret of the lamp"}
    assert await heard(store, None, people=(ana.speaker.id,)) == past | {
        "secret of Ana",
        "secret letter",
    }
    assert await heard(store, None, people=(ben.speaker.id,)) == past | {"secret of Ben"}
    assert await heard(store, None) == past


async def test_linked_accounts_share_archives_but_not_dms(
    store: SqliteStorage, driver: Driver
) -> None:
    await seeds(store, "ida", "letters", "secret letter", speaker="Ana")
    ana = await hears(store, message(1, "secret of Ana"))
    other = await hears(store, message(1, "hello", by="Annie", where=dm("annie")))
    look(
        driver,
        store.path,
        "update agent set merged_into = ? where id = ?",
        ana.speaker.id,
        other.speaker.id,
    )
    assert await heard(store, dm("annie")) == {"secret letter"}
    both = {"secret letter", "secret of Ana"}
    assert await heard(store, None, people=(other.speaker.id,)) == both


async def test_an_intersection_is_heard_only_where_all_its_parts_are(
    store: SqliteStorage, driver: Driver
) -> None:
    ana = await hears(store, message(1, "hello"))
    open_one = await hears(store, message(2, "hello", where=channel("a")))
    derived = await hears(store, message(3, "secret conclusion", where=channel("a")))
    look(
        driver,
        store.path,
        "insert into scope (id, kind) values (900, 'meet')",
    )
    for event in (ana, open_one):
        look(
            driver,
            store.path,
            "insert into scope_part select 900, scope from event where id = ?",
            event.id,
        )
    look(driver, store.path, "update event set scope = 900 where id = ?", derived.id)
    for where in (dm(), channel("a"), channel("b")):
        assert await heard(store, where) == set()
    look(
        driver,
        store.path,
        "delete from scope_part where part in (select scope from event where id = ?)",
        open_one.id,
    )
    await store.drop_vectors("none")
    assert await heard(store, dm()) == {"secret conclusion"}


async def test_people_who_opted_out_are_not_recalled(store: SqliteStorage) -> None:
    event = await hears(store, message(1, "secret of Ana", where=channel()))
    await hears(store, message(2, "secret of Ben", by="Ben", where=channel()))
    both = {"secret of Ana", "secret of Ben"}
    assert await heard(store, channel()) == both
    await store.opt_out(author("Ana").account, event.at)
    assert await heard(store, channel()) == {"secret of Ben"}
    window = await store.window(event.place_id, before=message(9, "").at, limit=9)
    assert [one.text for one in window] == ["secret of Ben"]
    await store.opt_in(author("Ana").account)
    assert await heard(store, channel()) == both
