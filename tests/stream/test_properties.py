"""What holds whatever happens: sums, scopes, and nothing that dangles."""

import asyncio
import itertools
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.engine import Engine
from bot.memory import Selection, Share
from bot.ports import Storage
from bot.world import Answers, Where
from storage import open_storage
from storage.driver import pick_driver
from tests.conftest import LIMITS
from tests.fakes import (
    NOON,
    FakeClock,
    ListPlatform,
    ScriptedChat,
    WordEmbedder,
    a_persona,
    room,
)
from tests.fakes import says as message
from tests.ready_database import ready
from tests.storage.scenes import assert_sound, look
from tests.stream.feelings import WordScorer

FEW = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PLACES: tuple[Where | None, ...] = (
    None,
    room(),
    room("cellar", private=True),
    room("yard", server="far"),
)
SECRETS = ("heron", "lantern", "walnut", "copper")
"""A word of its own for each place."""

TEXTS = (
    "what a lovely evening", "I hate you", "my dog died", "Ben is moving to Porto", "no, not true",
    "yes, I heard it too", "this is my brother Ben", "*lights the fire*", "Ida, hello",
)  # fmt: skip

line = st.tuples(
    st.sampled_from(("Ana", "Ben", "Cleo")), st.sampled_from(range(len(PLACES))),
    st.sampled_from(TEXTS),
)  # fmt: skip


def an_engine(store: Storage, model: ScriptedChat, clock: FakeClock) -> Engine:
    return Engine(
        storage=store,
        model=model,
        small_model=model,
        embedder=WordEmbedder(),
        scorer=WordScorer(),
        personas={"ida": a_persona()},
        default_persona="ida",
        clock=clock,
        limits=LIMITS,
    )


async def play(
    path: Path,
    lines: Sequence[tuple[str, int, str]],
    *,
    forget: str = "",
    says: str = "I see.",
    secrets: bool = True,
) -> ScriptedChat:
    """All lines at once, as fast as they come; then somebody is forgotten."""
    clock = FakeClock()
    model = ScriptedChat(lambda _: says)
    async with open_storage(ready(path)) as store:
        await store.persona("ida", "Ida")
        for where in PLACES:
            if where is not None:
                place = await store.place(where)
                await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
        async with an_engine(store, model, clock) as engine:
            await asyncio.gather(
                *(
                    engine.handle(
                        message(name, f"{text} {SECRETS[place]}" if secrets else text,
                                PLACES[place], at=NOON + timedelta(minutes=number)),
                        ListPlatform().send,
                    )
                    for number, (name, place, text) in enumerate(lines)
                )
            )  # fmt: skip
            await engine.idle()
            await _weights_are_sums(store, path)
            if forget:
                for agent, _ in await store.people_named(forget):
                    await store.forget(
                        Selection(agent=agent.id, share=Share.EVERYTHING, now=clock.now())
                    )
                await _weights_are_sums(store, path)
    return model


async def _weights_are_sums(store: Storage, path: Path) -> None:
    rows = look(
        pick_driver(), path,
        "select r.agent, r.other, d.delta from relationship_delta d "
        "join relationship r on r.id = d.relationship",
    )  # fmt: skip
    sums: Counter[tuple[object, object]] = Counter()
    for agent, other, delta in rows:
        assert isinstance(delta, int)
        sums[agent, other] += delta
    for agent, other in sums:
        assert isinstance(agent, int)
        assert isinstance(other, int)
        (bond,) = await store.bonds(agent, others=[other])
        assert bond.standing.weight == 1 + sums[agent, other]
        history = await store.bond_history(agent, other)
        assert history[-1].weight == bond.standing.weight


DANGLING = (
    "select 1 from relationship_delta where event is null or answer is null",
    "select 1 from relationship_delta d where not exists (select 1 from event where id = d.event)",
    "select 1 from claim c where not exists (select 1 from event where id = c.event)",
    "select 1 from claim_check c where not exists (select 1 from claim where id = c.claim)",
    "select 1 from relationship where relation <> '' and relation_event is null",
    "select 1 from event e where e.kind = 'reflection' "
    "and not exists (select 1 from evidence where event = e.id)",
)


@FEW
@given(st.lists(line, min_size=1, max_size=10), st.sampled_from(("", "Ana", "Ben")))
def test_sums_hold_and_nothing_dangles_under_any_interleaving(
    lines: list[tuple[str, int, str]], forget: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "b.db"
        asyncio.run(play(path, lines, forget=forget))
        for sql in DANGLING:
            assert look(pick_driver(), path, sql) == [], sql
        assert_sound(pick_driver(), path)
        doubled = look(
            pick_driver(), path,
            "select place, text, count(*) from event where kind = 'message' group by 1, 2, at "
            "having count(*) > 1",
        )  # fmt: skip
        assert doubled == []


@FEW
@given(st.lists(line, min_size=2, max_size=10))
def test_no_prompt_holds_what_was_said_out_of_its_scope(
    lines: list[tuple[str, int, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = asyncio.run(play(Path(folder) / "b.db", lines))
    for prompt in model.prompts:
        text = "\n".join(one.text for one in prompt)
        places = {number for number, secret in enumerate(SECRETS) if secret in text}
        # a private room hears its own server's open rooms, nothing else mixes
        assert places <= {0} or places <= {1} or places <= {1, 2} or places <= {3}, places
        if 0 in places:
            speakers = {name for name in ("Ana", "Ben", "Cleo") if f"{name}: " in text}
            assert len(speakers) <= 1


rumour = st.sampled_from(("Ben is moving to Porto", "they say Ben is moving to Porto"))


@FEW
@given(st.lists(rumour, min_size=10, max_size=10))
def test_a_rumour_told_ten_times_by_one_person_stays_pending(said: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "b.db"
        asyncio.run(play(path, [("Ana", 1, text) for text in said]))
        claims = look(pick_driver(), path, "select status, count(*) from claim group by 1")
        assert [status for status, _ in claims] == ["pending"]


question = st.sampled_from(
    ("is Ben moving to Porto?", "who says that Ben is moving to Porto?", "Ben is moving to Porto?")
)


@FEW
@given(st.lists(st.tuples(st.sampled_from(("Ana", "Cleo")), question), min_size=1, max_size=6))
def test_a_question_never_becomes_a_claim(asked: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "b.db"
        asyncio.run(play(path, [(name, 1, text) for name, text in asked], secrets=False))
        assert look(pick_driver(), path, "select statement from claim") == []


@FEW
@given(st.lists(st.sampled_from(("Ida, and you?", "Ida, tell me", "Ida, is it so")), max_size=6))
def test_a_personas_words_never_confirm_anything(asked: list[str]) -> None:
    lines = [("Ana", 1, "Ben is moving to Porto"), *(("Cleo", 1, text) for text in asked)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "b.db"
        asyncio.run(play(path, lines, says="Yes, Ben is moving to Porto, I saw it myself."))
        assert look(pick_driver(), path, "select status from claim") == [("pending",)]
        persona = (
            "select 1 from claim_check c join agent a on a.id = c.agent where a.kind = 'persona'"
        )
        assert look(pick_driver(), path, persona) == []


async def test_fifty_conversations_at_once_with_shared_people_add_up(tmp_path: Path) -> None:
    people = [f"P{n}" for n in range(10)]
    rooms = [room(f"room{n}") for n in range(5)]
    model = ScriptedChat(lambda _: "I see.")
    async with open_storage(tmp_path / "b.db") as store:
        await store.persona("ida", "Ida")
        async with an_engine(store, model, FakeClock()) as engine:
            messages = [
                message(name, "Ida, what a lovely evening", where, at=NOON + timedelta(seconds=n))
                for n, (name, where) in enumerate(itertools.product(people, rooms))
            ]
            await asyncio.gather(*(engine.handle(m, ListPlatform().send) for m in messages))
            await engine.idle()
        ida = (await store.persona("ida", "Ida")).id
        bonds = await store.bonds(ida)
        assert len(bonds) == len(people)
        for bond in bonds:
            assert bond.standing.weight == 1 + bond.standing.exchanges
        turns = look(
            pick_driver(), tmp_path / "b.db",
            "select count(*) from (select distinct t.turn, e.speaker from turn_event t "
            "join event e on e.id = t.event)",
        )  # fmt: skip
        assert turns == [(sum(bond.standing.exchanges for bond in bonds),)]
