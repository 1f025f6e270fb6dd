"""Deleting leaves nothing behind: no row that points at nothing, no text, no byte."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.emotion import NEUTRAL
from bot.memory import Event, EventKind, Recalled, Selection, Share, Turn
from bot.messages import Delete
from bot.world import Hearing
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
    composes,
    directions,
    dm,
    every_text,
    hears,
    look,
    memory,
    message,
)

LATER = NOON + timedelta(days=1)
SECRET = "my sister Eva lives in Lyon with three xanthippe cats"


def in_file(path: Path, *texts: str) -> set[str]:
    """Which of these texts are in the bytes of the database or of its log."""
    content = b"".join(
        file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name)
    ).lower()
    return {text for text in texts if text.lower().encode() in content}


def everything(event: Event) -> Selection:
    return Selection(agent=event.speaker.id, share=Share.EVERYTHING, now=LATER)


async def forget(store: SqliteStorage, selection: Selection) -> dict[str, int]:
    """Forgets, after checking that the preview says the same and changes nothing."""
    before = await store.counts()
    preview = await store.forgettable(selection)
    assert await store.counts() == before
    done = await store.forget(selection)
    assert done == preview
    assert done.total == sum(done.removed.values())
    return dict(done.removed)


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


async def derive(driver: Driver, path: Path, ana: Event, ben: Event, reply: Event) -> None:
    """Rows of later work that rest on events: relations, claims, a reflection, a scene."""
    at = "'2026-03-01T12:00:00.000000+00:00'"
    for sql in (
        f"""
        insert into relationship (id, agent, other, relation, relation_event, stage_since)
        values (1, {reply.speaker.id}, {ana.speaker.id}, 'friend', {ana.id}, {at}),
               (2, {reply.speaker.id}, {ben.speaker.id}, '', null, {at})
        """,
        f"""
        insert into relationship_delta (relationship, event, delta, reason, rule, at)
        values (1, {ana.id}, 1, 'glad about Ana', 'toward', {at}),
               (2, {ben.id}, 1, 'glad', 'toward', {at})
        """,
        f"""
        insert into claim (id, event, source, subject, scope, statement, opened, expires)
        select 1, id, speaker, {ben.speaker.id}, scope, 'Eva has cats', {at}, {at}
        from event where id = {ana.id}
        """,
        f"""
        insert into claim (id, event, source, scope, statement, status, opened, expires, resolved)
        select 2, id, speaker, scope, 'bees swarm', 'confirmed', {at}, {at}, {at}
        from event where id = {ben.id}
        """,
        f"""
        insert into claim_check (claim, event, agent, stance, at)
        values (2, {ana.id}, {ana.speaker.id}, 'support', {at})
        """,
        f"insert into claim_asked values (2, {ana.speaker.id}, null, {at})",
        f"""
        insert into event (id, kind, at, place, scope, speaker, speaker_name, text, remembered)
        select 800, 'reflection', {at}, place, scope, {reply.speaker.id}, 'Ida', 'Ana has cats', 1
        from event where id = {ana.id}
        """,
        f"insert into evidence values (800, {ana.id}), (800, {ben.id})",
        f"insert into event_agent values (800, {ana.speaker.id}, 'subject')",
        f"""
        insert into scene_item (place, item, state, since, until, event)
        values ({ana.place_id}, 'fire', 'cold', {at}, '2026-03-01T12:01:00.000000+00:00', null),
               ({ana.place_id}, 'fire', 'lit', '2026-03-01T12:01:00.000000+00:00', null, {ana.id})
        """,
        f"insert into supersession values ({ben.id}, {ana.id}, {at})",
        f"insert into audit (at, actor, action, detail) values ({at}, 'x', 'note', 'about Ana')",
    ):
        look(driver, path, sql)


async def test_what_is_derived_goes_with_what_it_rests_on(
    store: SqliteStorage, driver: Driver, path: Path
) -> None:
    ana = await hears(store, message(1, SECRET, where=channel()))
    ben = await hears(store, message(2, "bees swarm", by="Ben", where=channel()))
    turn = await answers(store, ana)
    assert turn.reply is not None
    await derive(driver, path, ana, ben, turn.reply)
    counts = await forget(store, Selection(events=(ana.id,)))
    assert counts == {
        "messages": 1,
        "replies": 1,
        "vectors": 2,
        "reflections": 1,
        "relationship changes": 1,
        "claims": 1,
        "answers to claims": 1,
        "scene changes": 1,
    }
    assert_sound(driver, path)
    assert look(driver, path, "select weight, exchanges from bond") == [(1, 0), (2, 1)]
    assert look(driver, path, "select relation from relationship where id = 1") == [("",)]
    # a confirmation whose testimony is gone is open again
    assert look(driver, path, "select id, status, resolved from claim") == [(2, "pending", None)]
    assert look(driver, path, "select state, until from scene_item") == [("cold", None)]
    (line,) = await store.window(ben.place_id, before=LATER, limit=9)
    assert line.superseded_by is None


async def test_a_claim_that_someone_else_vouches_for_stays(
    store: SqliteStorage, driver: Driver, path: Path
) -> None:
    ana = await hears(store, message(1, SECRET, where=channel()))
    ben = await hears(store, message(2, "bees swarm", by="Ben", where=channel()))
    turn = await answers(store, ana)
    assert turn.reply is not None
    await derive(driver, path, ana, ben, turn.reply)
    await store.deleted(Delete(place=channel().key, ids=("m2",), at=NOON))
    rows = look(driver, path, "select id, event, source, status from claim where id = 2")
    assert rows == [(2, ana.id, ana.speaker.id, "pending")]
    assert_sound(driver, path)


async def test_everything_takes_relationships_and_notes_about_the_person(
    store: SqliteStorage, driver: Driver, path: Path
) -> None:
    ana = await hears(store, message(1, SECRET, where=channel()))
    ben = await hears(store, message(2, "bees swarm", by="Ben", where=channel()))
    turn = await answers(store, ana)
    assert turn.reply is not None
    await derive(driver, path, ana, ben, turn.reply)
    counts = await forget(store, everything(ana))
    assert counts["relationships"] == 1
    assert "Ana" not in every_text(driver, path)
    assert look(driver, path, "select detail from audit") == [("about [someone]",)]
    assert_sound(driver, path)


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
