"""The rules of the house at work: who is answered, and what is kept of those who are not."""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from bot.engine import Engine
from bot.house.plan import Plan
from bot.messages import Change, Edit, Membership, Rights
from bot.ports import Storage
from bot.world import Author, Where
from storage.driver import pick_driver
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ListPlatform, ScriptedChat, person, room, says
from tests.house.someone import Someone
from tests.storage.scenes import look

ME = Author(account=person("Bot").account, name="Bot", is_bot=True, is_me=True)


@pytest.fixture
def platform() -> ListPlatform:
    return ListPlatform()


@pytest.fixture
async def engine(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
    async with make_engine(store) as made:
        yield made


@pytest.fixture
def ana(engine: Engine, platform: ListPlatform) -> Someone:
    return Someone(engine, platform)


@pytest.fixture
def admin(engine: Engine, platform: ListPlatform) -> Someone:
    return Someone(engine, platform, "Olga", rights=Rights.ADMIN)


Reasons = Callable[[], list[object]]


@pytest.fixture
def reasons(tmp_path: Path) -> Reasons:
    """Why messages were not answered, oldest first."""

    def read() -> list[object]:
        sql = "select reason from inbox where state = 'ignored' order by event"
        return [row[0] for row in look(pick_driver(), tmp_path / "bower.db", sql)]

    return read


async def test_a_muted_member_is_not_answered_and_the_reason_is_recorded(
    ana: Someone, admin: Someone, reasons: Reasons
) -> None:
    await ana.say("Ida, hello")
    await admin.ask("/mute Ana")
    assert await ana.say("Ida, hello?") == []
    assert await admin.say("Ida, hello?") == ["I heard: Ida, hello?"]
    assert reasons() == ["muted here"]
    assert await ana.say("hello", ana.dm) == ["I heard: hello"]


async def test_a_pause_silences_the_server_and_keeps_nothing_that_was_not_addressed(
    ana: Someone, admin: Someone, reasons: Reasons, store: Storage
) -> None:
    await admin.ask("/settings opened yes server")
    await admin.ask("/pause")
    events = (await store.counts())["events"]
    assert await ana.say("Ida, hello") == []
    assert await ana.say("Ida, hello", room("hall")) == []
    assert await ana.say("hi Ben") == []
    assert reasons() == ["paused here"] * 2
    assert (await store.counts())["events"] == events + 2
    await admin.ask("/resume")
    assert await ana.say("Ida, hello") == ["I heard: Ida, hello"]


async def test_a_pause_and_a_mute_hold_rerolls_back_too(
    ana: Someone, admin: Someone, model: ScriptedChat
) -> None:
    await ana.say("Ida, hello")
    await admin.ask("/pause")
    assert "paused here. The old reply stays" in (await ana.ask("/reroll")).text
    assert len(model.prompts) == 1


async def test_another_server_goes_on(ana: Someone, admin: Someone) -> None:
    await admin.ask("/pause")
    elsewhere = room("square", server="town")
    assert await ana.say("Ida, hello", elsewhere) == ["I heard: Ida, hello"]


async def test_in_quiet_hours_nobody_is_answered(
    ana: Someone, admin: Someone, clock: FakeClock, reasons: Reasons
) -> None:
    await admin.ask("/settings quiet 22:00-06:00")
    await admin.ask("/settings time_zone Asia/Tokyo")  # noon in UTC is 21:00 there
    assert await ana.say("Ida, hello") == ["I heard: Ida, hello"]
    clock.pass_time(hours=2)
    assert await ana.say("Ida, hello") == []
    assert reasons() == ["quiet hours"]
    clock.pass_time(hours=7)
    assert await ana.say("Ida, hello") == ["I heard: Ida, hello"]


async def test_the_cooldown_counts_for_each_member(
    ana: Someone, admin: Someone, clock: FakeClock, reasons: Reasons
) -> None:
    await admin.ask("/settings cooldown 60")
    ben = Someone(ana.engine, ana.platform, "Ben")
    assert await ana.say("Ida, one")
    clock.pass_time(seconds=30)
    assert await ana.say("Ida, two") == []
    assert await ben.say("Ida, three")
    clock.pass_time(seconds=31)
    assert await ana.say("Ida, four")
    assert reasons() == ["cooldown"]


async def test_a_second_delivery_during_the_cooldown_changes_nothing(
    ana: Someone, admin: Someone, clock: FakeClock, reasons: Reasons
) -> None:
    await admin.ask("/settings cooldown 60")
    message = says("Ana", "Ida, hello", room(), at=clock.now())
    for _ in range(2):
        await ana.engine.handle(message, ana.platform.send)
        clock.pass_time(seconds=20)
    assert ana.platform.texts[1:] == ["I heard: Ida, hello"]
    assert reasons() == []


async def test_words_of_self_harm_are_answered_in_quiet_hours_too(
    ana: Someone, admin: Someone, model: ScriptedChat
) -> None:
    await admin.ask("/settings quiet 00:00-23:59")
    (answer,) = await ana.say("Ida, I want to kill myself")
    assert "emergency" in answer
    assert model.prompts == []


async def test_where_a_persona_never_speaks_a_place_may_be_an_exception(
    ana: Someone, admin: Someone
) -> None:
    await admin.ask("/settings speak never server")
    assert await ana.say("Ida, hello") == []
    await admin.ask("/settings speak always here", room("bots"))
    assert await ana.say("hello", room("bots")) == ["I heard: hello"]


async def test_an_opened_place_keeps_what_addresses_nobody(
    ana: Someone, admin: Someone, store: Storage
) -> None:
    await admin.ask("/settings opened yes")
    assert await ana.say("hi Ben") == []
    assert (await store.counts())["events"] == 1
    assert await ana.say("hi Ben", room("hall")) == []
    assert (await store.counts())["events"] == 1


async def test_an_edit_does_not_get_round_a_mute(ana: Someone, admin: Someone) -> None:
    message = says("Ana", "Ida, hello", room())
    await ana.engine.handle(message, ana.platform.send)
    await admin.ask("/mute Ana")
    second = says("Ana", "hello", room())
    edited = says("Ana", "Ida, hello", room(), id=second.id)
    before = len(ana.platform.sent)
    for one in (second, Edit(message=edited, at=edited.at + timedelta(seconds=5))):
        await ana.engine.handle(one, ana.platform.send)
    assert len(ana.platform.sent) == before


class TestBudget:
    @pytest.fixture
    async def engine(self, store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
        async with make_engine(store, plan=Plan(budget_tokens=4)) as made:
            yield made

    async def test_says_so_politely_once_a_day_and_is_silent_then(
        self,
        ana: Someone,
        clock: FakeClock,
        reasons: Reasons,
        caplog: pytest.LogCaptureFixture,
        model: ScriptedChat,
    ) -> None:
        for n in range(2):  # a scripted answer costs two tokens
            assert await ana.say(f"Ida, {n}") == [f"I heard: Ida, {n}"]
        (notice,) = await ana.say("Ida, more")
        assert "Tomorrow" in notice
        assert ana.platform.sent[-1].speaker == ""
        assert await ana.say("Ida, more") == []
        assert await ana.say("Ida, more", room("hall")) == []
        assert reasons() == ["over budget"] * 3
        assert caplog.text.count("is used up") == 1
        assert len(model.prompts) == 2
        clock.pass_time(hours=12)
        assert await ana.say("Ida, again") == ["I heard: Ida, again"]

    async def test_counts_for_each_server_alone(self, ana: Someone) -> None:
        for n in range(3):
            await ana.say(f"Ida, {n}")
        assert await ana.say("Ida, hi", room("square", server="town")) == ["I heard: Ida, hi"]
        assert await ana.say("hi", ana.dm) == ["I heard: hi"]

    async def test_a_restart_does_not_say_it_again(
        self, ana: Someone, store: Storage, make_engine: MakeEngine
    ) -> None:
        for n in range(3):
            await ana.say(f"Ida, {n}")
        async with make_engine(store, plan=Plan(budget_tokens=4)) as again:
            assert await Someone(again, ana.platform).say("Ida, more") == []


class TestComingAndGoing:
    async def _change(self, engine: Engine, where: Where, change: Change, at: object) -> None:
        await engine.handle(
            Membership(where=where, author=ME, change=change, at=at),  # type: ignore[arg-type]
            ListPlatform().send,
        )

    async def test_a_removed_bot_sleeps_in_all_places_of_the_server_until_it_is_back(
        self, ana: Someone, store: Storage, clock: FakeClock
    ) -> None:
        await ana.say("Ida, hello")
        await ana.say("Ida, hello", room("hall"))
        gone = Where(key=room("home").key, kind=room().kind, server="home", name="home")
        await self._change(ana.engine, gone, Change.LEFT, clock.now())
        assert (await store.place(room())).asleep
        assert (await store.place(room("hall"))).asleep
        clock.pass_time(minutes=1)
        await self._change(ana.engine, gone, Change.JOINED, clock.now())
        assert not (await store.place(room())).asleep
        assert (await store.counts())["places"] == 2

    async def test_somebody_who_writes_wakes_the_place_but_a_late_message_does_not(
        self, ana: Someone, store: Storage, clock: FakeClock
    ) -> None:
        await ana.say("Ida, hello")
        late = clock.now() - timedelta(seconds=5)
        await self._change(ana.engine, room(), Change.LEFT, clock.now())
        assert await ana.say("Ida, there?", at=late) == []
        assert (await store.place(room())).asleep
        clock.pass_time(minutes=1)
        assert await ana.say("Ida, there?") == ["I heard: Ida, there?"]
        assert not (await store.place(room())).asleep

    async def test_what_a_killed_process_left_in_a_sleeping_place_is_not_sent(
        self, ana: Someone, store: Storage, clock: FakeClock, reasons: Reasons
    ) -> None:
        await store.received(says("Ana", "Ida, hello", room()), persona="ida")
        await store.left(room(), clock.now())
        assert await ana.engine.resume(ana.platform) == 0
        assert reasons() == ["asleep here"]

    async def test_others_who_come_and_go_change_nothing(
        self, ana: Someone, store: Storage, clock: FakeClock
    ) -> None:
        await ana.say("Ida, hello")
        left = Membership(where=room(), author=person("Ben"), change=Change.LEFT, at=clock.now())
        await ana.engine.handle(left, ana.platform.send)
        assert not (await store.place(room())).asleep


async def test_what_the_prompt_says_about_language_clock_and_rating(
    ana: Someone, admin: Someone, model: ScriptedChat
) -> None:
    await ana.say("Ida, hello")
    assert "All ages here" in model.prompts[-1][0].text
    assert "12:00" in model.prompts[-1][0].text
    await admin.ask("/settings language es")
    await admin.ask("/settings time_zone Asia/Tokyo")
    await ana.say("Ida, hola")
    assert "language with the code es" in model.prompts[-1][0].text
    assert "21:00" in model.prompts[-1][0].text
