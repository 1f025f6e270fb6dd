"""What admins decide: each command as member, admin and operator, in a room and in a DM."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.commands import COMMANDS
from bot.commands.call import Where as Offered
from bot.engine import Engine
from bot.house.figures import Price
from bot.house.plan import Plan
from bot.house.rules import Rules
from bot.messages import Command, Rights
from bot.ports import Storage
from bot.world import Answers, Place, PlaceKey, PlaceKind, Where
from tests.conftest import MakeEngine
from tests.fakes import NOON, FakeClock, ListPlatform, ScriptedChat, a_persona, person, room
from tests.house.someone import Someone

GROUP = Where(
    key=PlaceKey(platform="list", bot_account="bot", chat="-100"),
    kind=PlaceKind.GROUP,
    name="Family",
)
PLAN = Plan(prices={"scripted": Price(prompt=1_000_000, completion=2_000_000)})


@pytest.fixture
async def engine(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
    personas = (a_persona(), a_persona("olga", "Olga", nicknames=["Keeper"]))
    owners = frozenset({person("Root").account})
    async with make_engine(store, personas=personas, plan=PLAN, owners=owners) as made:
        yield made


@pytest.fixture
def platform() -> ListPlatform:
    return ListPlatform()


@pytest.fixture
def ana(engine: Engine, platform: ListPlatform) -> Someone:
    return Someone(engine, platform)


@pytest.fixture
def admin(engine: Engine, platform: ListPlatform) -> Someone:
    return Someone(engine, platform, "Mod", rights=Rights.ADMIN)


@pytest.fixture
def operator(engine: Engine, platform: ListPlatform) -> Someone:
    return Someone(engine, platform, "Root")


async def rules(engine: Engine, where: Where) -> Rules:
    place = await engine._storage.place(where)
    return await engine._house.rules(place)


async def audit(store: Storage) -> list[tuple[str, str, str]]:
    return [(d.actor, d.action, d.target) for d in await store.deeds(limit=99)]


NEEDED = {spec.name: spec for spec in COMMANDS if spec.rights is not Rights.MEMBER}


class TestRights:
    @pytest.mark.parametrize("name", NEEDED)
    async def test_a_member_is_refused_privately_and_nothing_is_written_down(
        self, ana: Someone, store: Storage, name: str
    ) -> None:
        for where in (room(), GROUP, ana.dm):
            reply = await ana.ask(f"/{name}", where)
            assert reply.text == f"/{name} is for {NEEDED[name].rights}s."
            assert reply.private
        assert await audit(store) == []

    @pytest.mark.parametrize("name", NEEDED)
    async def test_an_admin_is_let_in_unless_it_is_for_operators(
        self, admin: Someone, name: str
    ) -> None:
        refused = NEEDED[name].rights is Rights.OPERATOR
        assert ("is for operators" in (await admin.ask(f"/{name}")).text) is refused

    @pytest.mark.parametrize("name", NEEDED)
    async def test_an_operator_by_account_may_do_everything_in_a_room(
        self, operator: Someone, name: str
    ) -> None:
        assert f"/{name} is for" not in (await operator.ask(f"/{name}")).text

    async def test_what_is_about_a_server_cannot_be_done_in_a_dm(self, operator: Someone) -> None:
        for spec in COMMANDS:
            if spec.where is Offered.SERVER:
                reply = await operator.ask(f"/{spec.name}", operator.dm)
                assert "in the server or group" in reply.text
                assert reply.private

    async def test_help_shows_what_one_may_do_where_one_is(
        self, ana: Someone, admin: Someone, operator: Someone
    ) -> None:
        shown = {
            who: set((await asker.ask("/help", where)).text.split())
            for who, asker, where in [
                ("member", ana, None),
                ("admin", admin, None),
                ("admin in a DM", admin, admin.dm),
                ("operator", operator, None),
            ]
        }
        assert "/pause" not in shown["member"]
        assert {"/pause", "/settings"} <= shown["admin"]
        assert "/budget" not in shown["admin"]
        assert "/pause" not in shown["admin in a DM"]
        assert "/budget" in shown["operator"]


class TestPersona:
    async def test_is_chosen_for_one_place_by_key_name_or_nickname(
        self, ana: Someone, admin: Someone, store: Storage
    ) -> None:
        for wanted in ("olga", "OLGA", "keeper"):
            await admin.ask("/persona use default")
            assert "Olga speaks here" in (await admin.ask(f"/persona use {wanted}")).text
        await ana.say("hello", mentions_me=True)
        assert ana.platform.sent[-1].speaker == "Olga"
        await ana.say("hello", room("hall"), mentions_me=True)
        assert ana.platform.sent[-1].speaker == "Ida"
        assert ("list:mod", "persona", "place 1") in await audit(store)

    async def test_several_may_share_a_place(self, admin: Someone, ana: Someone) -> None:
        told = (await admin.ask("/persona use olga, Ida")).text
        assert told == (
            "From now on Olga and Ida speak here: whoever is named or replied to, else Olga."
        )
        listed = (await admin.ask("/persona")).text
        assert listed.count("speaks here") == 2
        for said, who in (("Ida, hello", "Ida"), ("Olga, hello", "Olga")):
            await ana.say(said)
            assert ana.platform.sent[-1].speaker == who

    async def test_list_and_show(self, admin: Someone) -> None:
        await admin.ask("/persona use olga")
        listed = (await admin.ask("/persona")).text
        assert "- Ida (ida), en" in listed
        assert "- Olga (olga), en, speaks here" in listed
        assert "keeps the lighthouse" in (await admin.ask("/persona show Ida")).text
        assert "Olga (olga), also called Keeper" in (await admin.ask("/persona show")).text

    async def test_an_unknown_one_is_answered_with_those_there_are(
        self, admin: Someone, store: Storage
    ) -> None:
        assert "there are ida, olga" in (await admin.ask("/persona use Nobody")).text
        assert "Say which" in (await admin.ask("/persona use")).text
        assert await audit(store) == []

    async def test_an_account_that_plays_one_persona_keeps_it(self, admin: Someone) -> None:
        reply = await admin.ask("/persona use olga", persona="ida")
        assert "plays Ida alone" in reply.text


class TestSettings:
    async def test_are_shown_with_where_they_come_from(
        self, admin: Someone, operator: Someone
    ) -> None:
        await operator.ask("/settings cooldown 5 everywhere")
        await admin.ask("/settings retention 90 server")
        await admin.ask("/settings quiet 23:00-07:00")
        text = (await admin.ask("/settings")).text
        assert "- cooldown = 5 (of all servers)" in text
        assert "- retention = 90 (of the server)" in text
        assert "- quiet = 23:00-07:00 (set here)" in text
        assert "- language = own (default)" in text
        assert (
            "Change it: /settings quiet HH:MM-HH:MM|off"
            in (await admin.ask("/settings quiet")).text
        )

    async def test_hold_here_or_in_the_whole_server_and_can_be_reset(
        self, engine: Engine, admin: Someone
    ) -> None:
        await admin.ask("/settings cooldown 10 server")
        assert "Here it stays" not in (await admin.ask("/settings cooldown 20")).text
        assert (await rules(engine, room())).cooldown_seconds == 20
        assert (await rules(engine, room("hall"))).cooldown_seconds == 10
        assert (await rules(engine, room("x", server="town"))).cooldown_seconds == 0
        assert "stays 20" in (await admin.ask("/settings cooldown 11 server")).text
        await admin.ask("/settings cooldown reset")
        assert (await rules(engine, room())).cooldown_seconds == 11

    async def test_of_a_group_without_a_server_are_its_own(
        self, engine: Engine, admin: Someone
    ) -> None:
        await admin.ask("/settings time_zone Europe/Lisbon", GROUP)
        await admin.ask("/settings cooldown 9 server", GROUP)
        held = await rules(engine, GROUP)
        assert (held.time_zone, held.cooldown_seconds) == ("Europe/Lisbon", 9)

    async def test_opening_a_place_is_also_kept_with_the_place(
        self, engine: Engine, admin: Someone, store: Storage
    ) -> None:
        assert "/privacy" in (await admin.ask("/settings opened yes")).text
        await admin.ask("/settings speak always")
        place: Place = await store.place(room())
        assert (place.listens, place.answers) == (True, Answers.ALWAYS)
        await admin.ask("/settings speak reset")
        assert (await store.place(room())).answers is Answers.ADDRESSED

    async def test_mature_is_refused_its_effect_where_the_age_is_not_restricted(
        self, engine: Engine, admin: Someone
    ) -> None:
        assert "stays general" in (await admin.ask("/settings rating mature")).text
        assert not (await rules(engine, room())).mature
        adults = replace(room("cellar"), age_restricted=True)
        await admin.ask("/settings rating mature", adults)
        assert (await rules(engine, adults)).mature

    @pytest.mark.parametrize(
        ("line", "sentence"),
        [
            ("/settings quiet late", "quiet was not changed"),
            ("/settings time_zone Mars here", "whole server"),
            ("/settings cooldown 5 everywhere", "Only operators"),
        ],
    )
    async def test_a_wrong_option_changes_nothing(
        self, engine: Engine, admin: Someone, store: Storage, line: str, sentence: str
    ) -> None:
        assert sentence in (await admin.ask(line)).text
        assert await rules(engine, room()) == Rules()
        assert await audit(store) == []

    @pytest.mark.parametrize(
        "options", [{"name": "nonsense"}, {"name": "speak", "value": "x", "where": "moon"}]
    )
    async def test_options_that_a_platform_did_not_check_are_checked(
        self, admin: Someone, options: dict[str, str]
    ) -> None:
        command = Command(
            id="c",
            name="settings",
            options=options,
            where=room(),
            author=person("Mod"),
            at=NOON,
            rights=Rights.ADMIN,
        )
        await admin.engine.handle(command, admin.platform.send)
        assert "none of these" in admin.platform.sent[-1].text

    async def test_every_change_is_written_down(self, admin: Someone, store: Storage) -> None:
        await admin.ask("/settings cooldown 5 server")
        (deed,) = await store.deeds(limit=9)
        assert (deed.actor, deed.action, deed.target, deed.detail) == (
            "list:mod",
            "setting",
            "server list:home",
            "cooldown = 5",
        )


class TestMute:
    async def test_by_name_mention_account_id_and_reply(
        self, engine: Engine, ana: Someone, admin: Someone
    ) -> None:
        await ana.say("Ida, hello", id="m-ana")
        number = "123456789012345678"
        for line, account in [
            ("/mute ana", "list:ana"),
            ("/mute @Ana", "list:ana"),
            ("/mute list:ana", "list:ana"),
            (f"/mute <@{number}>", f"list:{number}"),
            (f"/mute <@!{number}>", f"list:{number}"),
            (f"/mute {number}", f"list:{number}"),
        ]:
            assert "is muted" in (await admin.ask(line)).text
            assert (await rules(engine, room("hall"))).muted == {account}
            assert account in (await admin.ask("/mute")).text
            await admin.ask(line.replace("/mute", "/unmute"))
            assert (await rules(engine, room())).muted == frozenset()
        await admin.ask("/mute", reply_to="m-ana")
        assert (await rules(engine, room())).muted == {"list:ana"}

    async def test_two_of_one_name_are_told_apart(
        self, engine: Engine, ana: Someone, admin: Someone
    ) -> None:
        await ana.say("Ida, hello")
        other = person("Ana", user="ana2")
        await ana.say("Ida, hello", author=other)
        await ana.say("Ida, hello", room("square", server="town"), author=person("Ana", user="3"))
        reply = await admin.ask("/mute Ana")
        assert "list:ana)" in reply.text
        assert "list:ana2)" in reply.text
        assert "list:3" not in reply.text
        assert (await rules(engine, room())).muted == frozenset()

    async def test_a_stranger_or_an_operator_is_not_muted(
        self, ana: Someone, admin: Someone, operator: Someone
    ) -> None:
        assert "Nobody called Zoe" in (await admin.ask("/mute Zoe")).text
        await operator.say("Ida, hello")
        assert "operator cannot" in (await admin.ask("/mute Root")).text
        assert "is not muted" in (await admin.ask("/unmute Root")).text
        assert "Say whom" in (await admin.ask("/unmute")).text
        assert "Nobody is muted" in (await admin.ask("/mute")).text


class TestPause:
    async def test_here_alone_and_in_the_whole_server(self, engine: Engine, admin: Someone) -> None:
        async def paused() -> list[bool]:
            return [(await rules(engine, room(name))).paused for name in ("kitchen", "hall")]

        await admin.ask("/pause here")
        assert await paused() == [True, False]
        await admin.ask("/pause")
        assert await paused() == [True, True]
        assert "still paused" in (await admin.ask("/resume here")).text
        assert "answer again" in (await admin.ask("/resume")).text
        assert await paused() == [False, False]
        assert "Nothing is paused" in (await admin.ask("/resume")).text


class TestReset:
    async def test_shows_counts_asks_and_takes_one_place_alone(
        self, ana: Someone, admin: Someone, store: Storage
    ) -> None:
        await ana.say("Ida, in the kitchen")
        await ana.say("Ida, in the hall", room("hall"))
        await ana.say("privately", ana.dm)
        await admin.ask("/settings cooldown 1")
        preview = await admin.ask("/reset")
        assert "1 message, 1 reply" in preview.text
        assert preview.private
        assert (await store.counts())["events"] == 6
        assert all(len(button.data.encode()) <= 64 for button in preview.buttons)
        assert "Forgotten: 1 message" in (await admin.press(preview.buttons[0].data)).text
        assert (await store.counts())["events"] == 4
        assert "Nothing is kept" in (await admin.ask("/reset")).text
        assert ("list:mod", "reset", "place 1") in await audit(store)
        assert "- cooldown = 1 (set here)" in (await admin.ask("/settings")).text

    async def test_takes_the_whole_server_and_nothing_beyond(
        self, ana: Someone, admin: Someone, store: Storage
    ) -> None:
        for where in (room(), room("hall"), room("square", server="town"), ana.dm, GROUP):
            await ana.say("Ida, hello", where)
        preview = await admin.ask("/reset server")
        await admin.press(preview.buttons[0].data)
        assert (await store.counts())["events"] == 6

    async def test_only_the_admin_who_asked_confirms_in_time_and_in_place(
        self, ana: Someone, admin: Someone, store: Storage, clock: FakeClock
    ) -> None:
        await ana.say("Ida, hello")
        await ana.say("Ida, hello", room("hall"))
        data = (await admin.ask("/reset")).buttons[0].data
        other = Someone(ana.engine, ana.platform, "Eve", rights=Rights.ADMIN)
        assert "Only the admin" in (await ana.press(data)).text
        assert "Only the admin" in (await other.press(data)).text
        assert "Only the admin" in (await admin.press(data, room("hall"))).text
        admin.rights = Rights.MEMBER
        assert "Only the admin" in (await admin.press(data)).text
        admin.rights = Rights.ADMIN
        clock.pass_time(minutes=11)
        assert "too old" in (await admin.press(data)).text
        assert (await store.counts())["events"] == 4

    async def test_a_broken_button_is_out_of_date(self, admin: Someone) -> None:
        for data in ("reset", "reset:moon:1:x:1", "reset:place:1:x"):
            assert "out of date" in (await admin.press(data)).text


class TestStats:
    async def test_of_a_server_count_that_server_alone(
        self, ana: Someone, admin: Someone, clock: FakeClock
    ) -> None:
        await ana.say("Ida, long ago")
        clock.pass_time(days=40)
        for where in (room(), room("hall"), room("square", server="town"), ana.dm):
            await ana.say("Ida, hello", where)
        text = (await admin.ask("/stats")).text
        assert text.startswith(
            "This server, in the last 30 days: 2 messages of 1 person in 2 places, 2 replies."
        )
        assert "- answer (scripted): 2 calls, 2 + 2 tokens, 0.0 s each" in text
        assert "Cost" not in text
        assert "Today: 4 tokens; there is no budget." in text
        assert "3 messages" in (await admin.ask("/stats 60")).text

    async def test_an_operator_sees_costs_here_and_everything_in_a_dm(
        self, ana: Someone, operator: Someone
    ) -> None:
        await ana.say("Ida, hello")
        await ana.say("hello", ana.dm)
        here = (await operator.ask("/stats")).text
        assert "Cost: 3.00." in here
        text = (await operator.ask("/stats", operator.dm)).text
        assert text.startswith("Everything, in the last 30 days: 2 messages")
        assert "Cost: 6.00." in text
        assert "Kept: 4 events" in text
        assert "2 messages kept, 2 answers (0 apologies)" in text

    async def test_without_calls_and_with_wrong_days(self, admin: Someone) -> None:
        assert "No model was called" in (await admin.ask("/stats")).text
        for wrong in ("0", "x", "-1", "9999"):
            assert "whole number" in (await admin.ask(f"/stats {wrong}")).text

    async def test_an_admin_in_a_dm_is_sent_to_the_server(self, admin: Someone) -> None:
        assert "in the server or group" in (await admin.ask("/stats", admin.dm)).text


class TestBudget:
    async def test_is_set_for_a_server_by_operators(
        self, engine: Engine, operator: Someone, ana: Someone, store: Storage
    ) -> None:
        await ana.say("Ida, hello")
        assert "2 of 50,000 tokens" in (await operator.ask("/budget 50,000")).text
        assert (await rules(engine, room("hall"))).budget_tokens == 50_000
        assert "used up" in (await operator.ask("/budget 1")).text
        assert "no budget" in (await operator.ask("/budget none")).text
        assert "no budget" in (await operator.ask("/budget default")).text
        assert (await audit(store))[0] == ("list:root", "budget", "server list:home")

    async def test_a_wrong_number_changes_nothing(self, engine: Engine, operator: Someone) -> None:
        for wrong in ("-5", "many", "1.5", "9" * 20):
            assert "whole number" in (await operator.ask(f"/budget {wrong}")).text
        assert (await rules(engine, room())).budget_tokens is None

    async def test_in_a_dm_lists_who_spent_most_today(
        self, operator: Someone, ana: Someone, model: ScriptedChat
    ) -> None:
        where = replace(room(), server_name="Home of the lamp")
        for place in (where, where, ana.dm):
            await ana.say("Ida, hello", place)
        rows = (await operator.ask("/budget", operator.dm)).text.splitlines()
        assert rows[1:] == ["- Home of the lamp: 4 tokens", "- a private conversation: 2 tokens"]
        assert "in the server" in (await operator.ask("/budget 5", operator.dm)).text
