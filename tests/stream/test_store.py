"""Streams, circles and places in the file: pointers, rows, and what deletion leaves."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.memory import Event, Selection, Share
from bot.ports import Storage
from bot.stream.bonds import Delta, Exchange, Stage, StreamKind, WeightRule
from bot.stream.scenes import SceneChange
from bot.world import Hearing, Where
from storage import open_storage
from storage.driver import pick_driver
from tests.fakes import NOON, dm_with, person, room, says
from tests.storage.scenes import answers, assert_sound, look

Texts = list[str]


async def heard(
    store: Storage,
    name: str,
    text: str,
    where: Where | None = None,
    *,
    minutes: int = 0,
    persona: str | None = "ida",
    **more: object,
) -> Event:
    message = says(name, text, where, at=NOON + timedelta(minutes=minutes), **more)
    received = await store.received(message, persona=persona, ignored="" if persona else "room")
    assert received.event is not None
    return received.event


def texts(events: list[Event]) -> Texts:
    return [event.text for event in events]


def exchange(
    said: Event, answer: Event, delta: int, *, turn: int | None = None, back: int | None = None
) -> Exchange:
    one, other = said.speaker.id, answer.speaker.id
    return Exchange(
        said=said.id,
        answer=answer.id,
        deltas=[
            Delta(agent=one, other=other, delta=delta, reason="r"),
            Delta(agent=other, other=one, delta=delta if back is None else back, reason="r"),
        ],
        rule=WeightRule.TOWARD,
        begun=said.at,
        at=answer.at,
        turn=turn,
    )


async def weight(store: Storage, agent: int, other: int) -> int:
    (bond,) = await store.bonds(agent, others=[other])
    return bond.standing.weight


async def test_streams_are_views_of_one_store(store: Storage) -> None:
    alone = await heard(store, "Ana", "I hum to myself", room(), persona=None)
    await store.open_place(
        alone.place_id, listens=True, answers=(await store.place(room())).answers
    )
    ana = await heard(store, "Ana", "hello Ida", minutes=1)
    ben = await heard(store, "Ben", "Ben here", minutes=2)
    turn = await answers(store, ana, text="hello Ana")
    ida = turn.persona.id
    me = ana.speaker.id
    assert texts(await store.stream(StreamKind.INDEPENDENT, me, limit=9)) == ["I hum to myself"]
    assert texts(await store.stream(StreamKind.INTERACTION, me, limit=9)) == [
        "hello Ida", "hello Ana",
    ]  # fmt: skip
    assert len(await store.stream(StreamKind.EVENT, me, limit=9)) == 3
    shared = await store.stream(StreamKind.RELATIONSHIP, ida, other=me, limit=9)
    assert texts(shared) == ["hello Ida", "hello Ana"]
    assert texts(await store.stream(StreamKind.RELATIONSHIP, ida, other=ben.speaker.id, limit=9))
    assert len(await store.full_stream(limit=9)) == 4
    in_dm = Hearing(persona=ida, place=ben.place_id)
    assert await store.stream(StreamKind.EVENT, me, hearing=in_dm, limit=9) == []


async def test_who_is_only_talked_about_took_no_part(store: Storage) -> None:
    said = await heard(store, "Ana", "Ben is late", room(), mentions=(person("Ben"),))
    (ben, _), *_ = await store.people_named("Ben")
    assert await store.stream(StreamKind.EVENT, ben.id, limit=9) == []
    assert (await store.aims([said.id]))[said.id] >= {ben.id}


@pytest.mark.parametrize("agents", [2, 20])
async def test_no_event_is_stored_twice_however_many_witness_it(
    tmp_path: Path, agents: int
) -> None:
    path, lines = tmp_path / "b.db", 60
    async with open_storage(path) as store:
        hearers = [f"p{n}" for n in range(agents)]
        for n in range(lines):
            message = says("Ana", f"line {n} " + "word " * 60, room(), at=NOON)
            await store.received(message, persona=None, ignored="room", hearers=hearers)
    driver = pick_driver()
    found = look(driver, path, "select count(*), count(distinct text) from event")
    assert found == [(lines, lines)]
    pointers = look(driver, path, "select count(*) from event_agent")
    assert pointers == [(lines * (agents + 1),)]
    columns = look(
        driver, path,
        "select m.name, c.name from sqlite_master m, pragma_table_info(m.name) c "
        "where m.type = 'table' and m.name not like 'event_words%' and c.type = 'TEXT'",
    )  # fmt: skip
    holding = [
        (table, column)
        for table, column in columns
        if look(driver, path, f'select 1 from "{table}" where "{column}" like ? limit 1', "%word %")
    ]
    assert holding == [("event", "text")]


async def test_ten_times_the_witnesses_cost_pointers_not_texts(tmp_path: Path) -> None:
    sizes = {}
    for agents in (2, 20):
        path = tmp_path / f"{agents}.db"
        async with open_storage(path) as store:
            for n in range(100):
                message = says("Ana", f"line {n} " + "word " * 200, room(), at=NOON)
                await store.received(
                    message, persona=None, ignored="", hearers=[f"p{i}" for i in range(agents)]
                )
        sizes[agents] = path.stat().st_size
    text = 100 * 1000
    assert sizes[20] - sizes[2] < text, sizes


async def test_a_weight_is_one_plus_its_deltas_and_knows_its_days(store: Storage) -> None:
    turns = []
    for day in range(3):
        said = await heard(store, "Ana", f"day {day}", minutes=day * 24 * 60)
        turns.append(await answers(store, said))
    for turn, delta in zip(turns, (1, 1, -1), strict=True):
        assert turn.reply is not None
        assert await store.exchanged(exchange(turn.said[0], turn.reply, delta, turn=turn.id))
    ida, ana = turns[0].persona.id, turns[0].said[0].speaker.id
    (bond,) = await store.bonds(ida)
    standing = bond.standing
    assert (standing.weight, standing.exchanges, standing.days) == (2, 3, 3)
    assert (standing.recent, standing.bad_days, standing.lately) == (1, 1, 3)
    assert bond.stage is Stage.FIRST_MET
    history = await store.bond_history(ida, ana)
    assert [change.weight for change in history] == [2, 3, 2]
    assert turns[2].reply is not None
    await store.exchanged(exchange(turns[2].said[0], turns[2].reply, 1, turn=turns[2].id))
    assert await weight(store, ida, ana) == 4  # learnt again, not twice


async def test_a_deleted_event_takes_its_delta_back(store: Storage) -> None:
    said = await heard(store, "Ana", "what a day")
    turn = await answers(store, said)
    assert turn.reply is not None
    await store.exchanged(exchange(said, turn.reply, 1, turn=turn.id))
    await store.related(said.speaker.id, turn.persona.id, "friend", event=said.id, at=NOON)
    await store.forget(Selection(events=(said.id,)))
    (bond,) = await store.bonds(turn.persona.id)
    assert bond.is_new
    assert bond.standing.weight == 1
    (back,) = await store.bonds(said.speaker.id)
    assert back.relation == ""


@pytest.mark.parametrize("gone", [0, 1])
async def test_among_people_an_exchange_goes_with_either_side(store: Storage, gone: int) -> None:
    lines = [
        await heard(store, "Ana", "look, snow", room(), persona=None),
        await heard(store, "Ben", "lovely", room(), minutes=1, persona=None),
    ]
    assert await store.exchanged(exchange(lines[0], lines[1], 1))
    assert await weight(store, lines[0].speaker.id, lines[1].speaker.id) == 2
    await store.forget(Selection(events=(lines[gone].id,)))
    assert await weight(store, lines[0].speaker.id, lines[1].speaker.id) == 1


async def test_an_answer_does_not_begin_the_next_exchange(store: Storage) -> None:
    a1 = await heard(store, "Ana", "one", room(), persona=None)
    b1 = await heard(store, "Ben", "two", room(), minutes=1, persona=None)
    b2 = await heard(store, "Ben", "three", room(), minutes=2, persona=None)
    a2 = await heard(store, "Ana", "four", room(), minutes=3, persona=None)
    b3 = await heard(store, "Ben", "five", room(), minutes=4, persona=None)
    assert await store.exchanged(exchange(a1, b1, 1))
    assert await store.exchanged(exchange(a1, b2, -1))  # the answer went on: still one exchange
    assert not await store.exchanged(exchange(b2, a2, 1))
    assert await store.exchanged(exchange(a2, b3, 1))
    (bond,) = await store.bonds(a1.speaker.id)
    assert (bond.standing.exchanges, bond.standing.weight) == (2, 1)


async def test_nothing_is_kept_of_an_exchange_whose_event_is_gone(store: Storage) -> None:
    a1 = await heard(store, "Ana", "one", room(), persona=None)
    b1 = await heard(store, "Ben", "two", room(), minutes=1, persona=None)
    await store.forget(Selection(events=(a1.id,)))
    assert not await store.exchanged(exchange(a1, b1, 1))
    assert await store.bonds(b1.speaker.id) == []


async def test_what_people_are_to_each_other_is_told_only_where_it_may_be_heard(
    store: Storage,
) -> None:
    secret = await heard(store, "Ana", "Ben is my rival")
    open_line = await heard(store, "Ana", "hello Ben", room())
    answer = await heard(store, "Ben", "hello Ana", room(), minutes=1)
    ana, ben = open_line.speaker.id, answer.speaker.id
    ida = (await store.persona("ida", "Ida")).id
    await store.related(ana, ben, "rival", event=secret.id, at=NOON)
    await store.exchanged(exchange(open_line, answer, 1))
    at_room = await store.ties([ana, ben], Hearing(persona=ida, place=open_line.place_id))
    assert [(t.exchanges, t.weight, t.relation) for t in at_room] == [(1, 2, "")] * 2
    in_dm = await store.ties([ana, ben], Hearing(persona=ida, place=secret.place_id))
    assert [t.relation for t in in_dm] == ["rival"]


async def test_forgetting_a_person_leaves_no_relationship(store: Storage) -> None:
    said = await heard(store, "Ana", "what a day")
    turn = await answers(store, said)
    assert turn.reply is not None
    await store.exchanged(exchange(said, turn.reply, 1, turn=turn.id))
    await store.forget(Selection(agent=said.speaker.id, share=Share.EVERYTHING, now=NOON))
    assert await store.bonds(turn.persona.id) == []


async def test_a_scene_keeps_its_history_and_takes_deleted_narration_back(
    store: Storage, tmp_path: Path
) -> None:
    place = (await store.place(room())).id
    start = [SceneChange(item="fire", state="out"), SceneChange(item="window", state="open")]
    await store.start_scene(place, start, NOON)
    await store.start_scene(place, [SceneChange(item="x", state="y")], NOON)
    lit = await heard(store, "Ana", "*lights the fire*", room(), minutes=5)
    shut = await heard(store, "Ben", "*puts out the fire*", room(), minutes=9)
    burning = [SceneChange(item="fire", state="burning")]
    assert await store.change_scene(place, burning, at=lit.at, event=lit.id) == 1
    assert await store.change_scene(place, burning, at=lit.at, event=lit.id) == 0
    out = [SceneChange(item="fire", state="out")]
    assert await store.change_scene(place, out, at=shut.at, event=shut.id) == 1
    now = await store.scene(place)
    assert [(i.item, i.state, i.since) for i in now] == [
        ("fire", "out", shut.at), ("window", "open", NOON),
    ]  # fmt: skip
    history = await store.scene_history(place, limit=9)
    assert [(i.item, i.state) for i in history] == [
        ("fire", "out"), ("window", "open"), ("fire", "burning"), ("fire", "out"),
    ]  # fmt: skip
    await store.forget(Selection(events=(lit.id,)))
    assert [i.state for i in await store.scene(place)] == ["out", "open"]
    await store.forget(Selection(events=(shut.id,)))
    assert [(i.state, i.since) for i in await store.scene(place)] == [
        ("out", NOON), ("open", NOON),
    ]  # fmt: skip
    assert_sound(pick_driver(), tmp_path / "bower.db")


async def test_a_thing_taken_away_is_no_longer_there(store: Storage) -> None:
    place = (await store.place(dm_with("Ana"))).id
    await store.change_scene(place, [SceneChange(item="cup", state="full")], at=NOON)
    await store.change_scene(place, [SceneChange(item="cup", state="")], at=NOON)
    assert await store.scene(place) == []


async def test_a_thing_keeps_the_name_it_was_written_with(store: Storage) -> None:
    place = await store.place(room())
    await store.start_scene(place.id, [SceneChange(item="la Olivetti", state="En blanco")], NOON)
    later = SceneChange(item="olivetti", state="open")
    assert await store.change_scene(place.id, [later], at=NOON) == 1
    assert [(i.item, i.state) for i in await store.scene(place.id)] == [("la Olivetti", "open")]
