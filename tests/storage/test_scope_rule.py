"""The rule of who may hear what, told without SQL, against random places and lines."""

import asyncio
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.world import PlaceKind, Where
from storage import open_storage
from tests.storage.scenes import channel, dm, group, message
from tests.storage.test_scope import heard

PERSONAS = ("ida", "noel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A line of a random scene: where, to whom, who else is present."""

    place: int
    persona: str
    hearers: tuple[str, ...]


@st.composite
def worlds(draw: st.DrawFn) -> list[Where]:
    flags = draw(st.lists(st.booleans(), min_size=12, max_size=12))
    channels = [
        channel(f"{server}-{name}", server=server, bot=bot, private=flags.pop())
        for server in ("s1", "s2")
        for name in ("a", "b")
        for bot in ("bot", "second")
    ]
    threads = [channel(f"s1-{name}", server="s1", thread="t", private=flags.pop()) for name in "ab"]
    return [*channels, *threads, dm("ana"), dm("ben"), dm("ana", bot="second"), group()]


LINES = st.lists(
    st.builds(
        Said,
        place=st.integers(0, 13),
        persona=st.sampled_from(PERSONAS),
        hearers=st.lists(st.sampled_from(PERSONAS), max_size=2).map(tuple),
    ),
    min_size=1,
    max_size=6,
)


def may_hear(places: list[Where], said: Said, listener: int, persona: str) -> bool:
    """The rule, told without SQL."""
    if persona not in {said.persona, *said.hearers}:
        return False
    source, target = places[said.place], places[listener]
    if source.key == target.key:
        return source.kind is not PlaceKind.DM or persona == said.persona
    if PlaceKind.DM in {source.kind, target.kind} or not source.server:
        return False
    parent = next((one for one in places if one.key == replace(source.key, thread="")), source)
    return (
        source.server == target.server
        and source.key.bot_account == target.key.bot_account
        and not source.private
        and not parent.private
    )


@settings(max_examples=25, deadline=None)
@given(worlds(), LINES)
def test_no_event_is_ever_heard_outside_its_scope(places: list[Where], lines: list[Said]) -> None:
    async def play(folder: str) -> None:
        async with open_storage(Path(folder) / "bower.db") as store:
            for where in places:
                await store.place(where)
            for number, said in enumerate(lines):
                await store.received(
                    message(number, f"secret {number}", where=places[said.place]),
                    persona=said.persona,
                    hearers=said.hearers,
                )
            for listener, where in enumerate(places):
                for persona in PERSONAS:
                    expected = {
                        f"secret {number}"
                        for number, said in enumerate(lines)
                        if may_hear(places, said, listener, persona)
                    }
                    assert await heard(store, where, persona) == expected

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(folder))
