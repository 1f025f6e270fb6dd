"""What was concluded from a deleted event goes with it."""

from pathlib import Path

from bot.memory import Event, Selection
from bot.messages import Delete
from storage import SqliteStorage
from storage.driver import Driver
from tests.storage.forgetting import LATER, SECRET, everything, forget
from tests.storage.scenes import (
    NOON,
    answers,
    assert_sound,
    channel,
    every_text,
    hears,
    look,
    message,
)


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
