"""What people see of the stream: /relationship, /people, /scene, and the same for scripts."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from io import BytesIO

import pytest
from PIL import Image

from adapters.pictures import MatplotlibPictures
from bot.commands import parse_command
from bot.engine import Engine
from bot.messages import Command, Reply, Rights
from bot.ports import Storage
from bot.stream.bonds import Change
from bot.stream.chart import text_chart
from bot.world import Answers, PlaceKey, PlaceKind, Where
from tests.cli_house import House, Said, Typed, house, quiet_again, run, typed
from tests.conftest import MakeEngine
from tests.fakes import NOON, FakeClock, ListPlatform, a_persona, dm_with, person, room, says
from tests.stream.feelings import WordScorer

__all__ = ["house", "quiet_again", "typed"]  # fixtures


class Room:
    """People who talk and give commands."""

    def __init__(self, engine: Engine, store: Storage, clock: FakeClock) -> None:
        self.engine, self.store, self.clock = engine, store, clock
        self.platform = ListPlatform()

    async def say(self, name: str, text: str, where: Where | None = None) -> None:
        self.clock.pass_time(minutes=1)
        await self.engine.handle(says(name, text, where, at=self.clock.now()), self.platform.send)
        await self.engine.idle()

    async def ask(
        self, name: str, line: str, where: Where | None = None, rights: Rights = Rights.MEMBER
    ) -> Reply:
        parsed = parse_command(line)
        command = Command(
            id=f"c{len(self.platform.sent)}",
            name=parsed.name,
            options=parsed.options,
            where=where or dm_with(name),
            author=person(name),
            at=self.clock.now(),
            rights=rights,
        )
        await self.engine.handle(command, self.platform.send)
        return self.platform.sent[-1]


@pytest.fixture
async def here(store: Storage, make_engine: MakeEngine, clock: FakeClock) -> AsyncIterator[Room]:
    async with make_engine(
        store, personas=(a_persona(),), scorer=WordScorer(), pictures=MatplotlibPictures()
    ) as engine:
        place = await store.place(room())
        await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
        yield Room(engine, store, clock)


def steps(*deltas: int) -> list[Change]:
    weight, changes = 1, []
    for day, delta in enumerate(deltas):
        weight += delta
        changes.append(
            Change(at=NOON + timedelta(days=day), delta=delta, weight=weight, reason="r",
                   rule="toward", event=day)
        )  # fmt: skip
    return changes


async def test_relationship_shows_ones_own_with_a_picture(here: Room) -> None:
    assert "Nothing of yours" in (await here.ask("Ana", "/relationship")).text
    await here.say("Ana", "what a lovely day")
    await here.say("Ana", "I hate you")
    reply = await here.ask("Ana", "/relationship")
    assert reply.private
    assert "Ida toward you: first met; weight 1 after 2 exchanges on 1 day." in reply.text
    assert "+1 (pleasant and lively)" in reply.text
    assert "-1 (anger at the other)" in reply.text
    (picture,) = reply.files
    with Image.open(BytesIO(picture.content)) as image:
        assert image.format == "PNG"
        assert image.width > 400
    assert "Nothing of yours" in (await here.ask("Ben", "/relationship")).text


async def test_the_terminal_draws_with_characters(here: Room) -> None:
    key = PlaceKey(platform="terminal", bot_account="bot", chat="dm-ana")
    terminal = Where(key=key, kind=PlaceKind.DM)
    await here.say("Ana", "what a lovely day", terminal)
    reply = await here.ask("Ana", "/relationship", terminal)
    assert reply.files == ()
    assert "●" in reply.text


async def test_relationship_with_somebody_else_is_ones_own_too(here: Room) -> None:
    await here.say("Ana", "you are lovely", room())
    await here.say("Ben", "lovely yourself", room())
    assert (
        "Ben toward you: first met; weight 2" in (await here.ask("Ana", "/relationship Ben")).text
    )
    assert (
        "not talked with anybody called Cleo" in (await here.ask("Ana", "/relationship Cleo")).text
    )


async def test_people_lists_who_spoke_here_and_what_was_said_here_of_them(here: Room) -> None:
    assert "Nobody" in (await here.ask("Ana", "/people", room())).text
    await here.say("Ben", "good evening", room())
    await here.say("Ana", "this is my brother Ben", room())
    await here.say("Cleo", "Ida, you are my best friend")
    listed = (await here.ask("Ana", "/people", room())).text
    assert listed.splitlines()[1:] == ["Ana", "Ben"]
    shown = (await here.ask("Ben", "/people show Ana", room())).text
    assert "calls Ben their brother" in shown
    assert "called Ana here from 2026-03-01" in shown
    assert "Nobody called Cleo" in (await here.ask("Ana", "/people show Cleo", room())).text


async def test_the_scene_is_shown_to_all_and_set_by_admins(here: Room) -> None:
    assert "Nothing is known" in (await here.ask("Ana", "/scene", room())).text
    refused = await here.ask("Ana", "/scene set fire: burning", room())
    assert "Only admins" in refused.text
    done = await here.ask("Ana", "/scene set fire: burning; door: shut", room(), Rights.ADMIN)
    assert "Changed here: 2" in done.text
    here.clock.pass_time(minutes=20)
    shown = (await here.ask("Ben", "/scene", room())).text
    assert shown.splitlines() == [
        "fire: burning, for about 20 minutes",
        "door: shut, for about 20 minutes",
    ]
    assert "Type things and states" in (await here.ask("Ana", "/scene set nothing")).text


def test_a_chart_shows_the_way_up_and_down() -> None:
    lines = text_chart(steps(1, 1, 1, -1), width=8, height=5).splitlines()
    assert lines[0].startswith("4 |")
    assert "●" in lines[0]
    assert lines[-2].endswith("--------")
    assert "2026-03-01" in lines[-1]
    assert text_chart([]) == ""
    assert text_chart(steps(0)).count("●") > 0


def test_a_title_cannot_break_the_picture() -> None:
    picture = MatplotlibPictures().weight("$\\frac{ 小红 🙂", steps(1, -1, 0))
    assert picture.startswith(b"\x89PNG")


class TestScripts:
    @pytest.fixture
    def talked(self, house: House, typed: Typed, capsys: Said) -> House:
        typed("Hello there\n*lights the fire*\n")
        assert run(house.root(), ["chat", "--as", "Ana"]) == 0
        capsys.readouterr()
        return house

    def test_relationship(self, talked: House, capsys: Said) -> None:
        assert run(talked.root(), ["relationship", "--as", "Ana", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["persona"]["name"] == "Ida"
        (bond,) = found["relationships"]
        assert bond["other"]["name"] == "Ana"
        assert (bond["weight"], bond["exchanges"], bond["stage"]) == (1, 2, "first_met")
        assert [change["weight"] for change in found["history"]] == [1, 1]
        assert run(talked.root(), ["relationship", "--as", "Ana"]) == 0
        assert "Ana: first met; weight 1, 2 exchanges on 1 day" in capsys.readouterr().out

    def test_people(self, talked: House, capsys: Said) -> None:
        assert run(talked.root(), ["people", "--json"]) == 0
        listed = json.loads(capsys.readouterr().out)["people"]
        assert {one["name"]: one["kind"] for one in listed} == {"Ana": "person", "Ida": "persona"}
        assert run(talked.root(), ["people"]) == 0
        assert "Ana" in capsys.readouterr().out

    def test_scene(self, talked: House, capsys: Said) -> None:
        assert run(talked.root(), ["scene", "--json"]) == 0
        (place,) = json.loads(capsys.readouterr().out)["places"]
        assert set(place["place"]) == {"id", "name"}
        assert [(i["item"], i["state"]) for i in place["items"]] == [("fire", "burning")]
        assert run(talked.root(), ["scene", "--place", "nowhere"]) == 0
        assert capsys.readouterr().out == ""

    def test_without_a_database_it_says_so(self, house: House, capsys: Said) -> None:
        assert run(house.root(), ["people"]) == 2
        assert "There is no database" in capsys.readouterr().err
