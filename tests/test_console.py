"""The terminal: what a line means, what becomes of it, and what is shown."""

import asyncio
import contextlib
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adapters.console.platform import CHANGED, REMOVED
from adapters.console.screen import PlainScreen
from adapters.console.script import (
    _DIRECTIVES,
)
from bot.errors import SendError, StorageError
from bot.messages import (
    Button,
    Command,
    Delete,
    Edit,
    Inbound,
    Press,
    Rights,
)
from bot.ports import Send
from bot.world import PlaceKind
from tests.console_stage import Echo, Stage, play


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(files=tmp_path / "files")


class TestPlainTalk:
    async def test_each_line_is_answered_before_the_next_is_read(self, stage: Stage) -> None:
        await play(stage, "one", "two", "three")
        assert stage.typed.read_after == [0, 1, 2, 3]
        assert (
            stage.out.getvalue() == "Mara: You said one\nMara: You said two\nMara: You said three\n"
        )
        assert stage.err.getvalue() == ""

    async def test_empty_lines_are_passed_over(self, stage: Stage) -> None:
        echo = await play(stage, "", "   ", "hello")
        assert [m.text for m in echo.messages] == ["hello"]

    async def test_ids_differ_between_two_runs_of_the_same_lines(self, stage: Stage) -> None:
        first = await play(stage, "hello", "hello")
        second = await play(stage, "hello")
        assert len({m.id for m in first.messages + second.messages}) == 3

    async def test_it_is_a_dm_of_the_one_who_types(self, stage: Stage) -> None:
        [message] = (await play(stage, "hello")).messages
        assert message.where.kind is PlaceKind.DM
        assert (message.author.name, message.author.account.user) == ("Ana", "ana")
        assert not message.mentions_me

    async def test_quit_ends(self, stage: Stage) -> None:
        assert (await play(stage, "/quit", "hello")).inbounds == []

    async def test_a_failure_is_said_and_counted_and_the_next_line_is_read(
        self, stage: Stage
    ) -> None:
        class Full(Echo):
            async def __call__(self, inbound: Inbound, send: Send) -> None:
                self.inbounds.append(inbound)
                raise StorageError("The disk is full; make room.")

        console = stage.console(["one", "two"], lambda: 0)
        echo = Full()
        await console.run(echo)
        assert console.failed == len(echo.inbounds) == 2
        assert stage.err.getvalue() == "The disk is full; make room.\n" * 2

    async def test_interrupted_while_it_thinks_it_says_that_the_message_is_kept(
        self, stage: Stage
    ) -> None:
        class Slow(Echo):
            begun = asyncio.Event()

            async def __call__(self, inbound: Inbound, send: Send) -> None:
                self.begun.set()
                await asyncio.Event().wait()

        echo = Slow()
        task = asyncio.create_task(stage.console(["hello"], lambda: 0).run(echo))
        await echo.begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert "kept" in stage.err.getvalue()

    async def test_a_reader_that_went_away_ends_it(self, stage: Stage) -> None:
        class Closed(io.StringIO):
            def write(self, text: str) -> int:
                raise BrokenPipeError

        class Careful(Echo):
            async def __call__(self, inbound: Inbound, send: Send) -> None:
                with contextlib.suppress(SendError):  # as the engine, which records it
                    await super().__call__(inbound, send)

        stage.screen = PlainScreen(out=Closed(), err=stage.err, files=Path())
        with pytest.raises(BrokenPipeError):
            await play(stage, "one", "two", handler=Careful())


class TestInARoom:
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Stage:
        return Stage(group=True, files=tmp_path)

    async def test_speakers_stand_before_the_text(self, stage: Stage) -> None:
        echo = await play(stage, "Ben: hello", "Alex#2: I am Alex", "just me")
        assert [(m.author.account.user, m.author.name, m.text) for m in echo.messages] == [
            ("ben", "Ben", "hello"),
            ("alex#2", "Alex", "I am Alex"),
            ("ana", "Ana", "just me"),
        ]
        assert {m.where.key.chat for m in echo.messages} == {"room"}

    async def test_the_room_is_opened_before_anything_is_said(self, stage: Stage) -> None:
        await play(stage, "@place kitchen private")
        assert [w.name for w in stage.rooms] == ["room", "kitchen"]
        assert stage.rooms[1].private

    async def test_an_at_before_the_personas_name_is_a_mention(self, stage: Stage) -> None:
        echo = await play(
            stage, "Ben: @Mara hello", "@captain?", "hi Mara", "mail@mara.org", "@marauder x"
        )
        assert [m.mentions_me for m in echo.messages] == [True, True, False, False]
        assert "@marauder is neither" in stage.err.getvalue()

    async def test_people_of_the_session_can_be_mentioned(self, stage: Stage) -> None:
        echo = await play(stage, "Ben: hello", "@Ben look")
        assert [a.name for a in echo.messages[1].mentions] == ["Ben"]

    async def test_only_whoever_started_it_operates_it(self, stage: Stage) -> None:
        echo = await play(stage, "/about", "Ben: /about")
        commands = [i for i in echo.inbounds if isinstance(i, Command)]
        assert [c.rights for c in commands] == [Rights.OPERATOR, Rights.MEMBER]

    async def test_the_prompt_says_who_and_where(self, stage: Stage) -> None:
        await play(stage, "@place kitchen", "@dm Ben")
        assert stage.typed.prompts == ["Ana in room> ", "Ana in kitchen> ", "Ben> "]


class TestDirectives:
    async def test_dm_changes_speaker_and_place_for_good(self, stage: Stage) -> None:
        echo = await play(stage, "@dm Ben", "hello", "@room", "in the room", "@dm", "again")
        assert [(m.author.name, m.where.key.chat) for m in echo.messages] == [
            ("Ben", "dm:ben:mara"),
            ("Ben", "room"),
            ("Ben", "dm:ben:mara"),
        ]

    async def test_as_in_a_dm_makes_it_the_dm_of_that_person(self, stage: Stage) -> None:
        echo = await play(stage, "@as Ben", "hello", "@place pier", "@as Cleo", "ahoy")
        assert [(m.author.name, m.where.key.chat) for m in echo.messages] == [
            ("Ben", "dm:ben:mara"),
            ("Cleo", "place:pier"),
        ]

    async def test_at_sets_the_clock_in_the_time_zone(self, stage: Stage) -> None:
        echo = await play(stage, "@at 2026-07-01 18:00", "one", "@at +3 days", "two")
        first, second = (m.at for m in echo.messages)
        assert timedelta(0) <= first - datetime(2026, 7, 1, 17, tzinfo=UTC) < timedelta(minutes=1)
        assert timedelta(days=3) <= second - first < timedelta(days=3, minutes=1)

    async def test_edit_changes_ones_last_message_or_a_numbered_one(self, stage: Stage) -> None:
        echo = await play(stage, "one", "two", "@edit zwei", "@edit #1 eins")
        edits = [i for i in echo.inbounds if isinstance(i, Edit)]
        one, two = echo.messages
        assert [(e.message.id, e.message.text) for e in edits] == [
            (two.id, "zwei"),
            (one.id, "eins"),
        ]
        assert all(e.message.at <= e.at for e in edits)

    async def test_without_a_name_the_last_line_of_a_room_is_edited(self, stage: Stage) -> None:
        echo = await play(stage, "@room", "Ben: tea", "Cleo: rum", "@edit gin")
        [edit] = [i for i in echo.inbounds if isinstance(i, Edit)]
        assert (edit.message.author.name, edit.message.text) == ("Cleo", "gin")

    async def test_edit_in_a_room_takes_the_speakers_own(self, stage: Stage) -> None:
        echo = await play(stage, "@room", "Ben: tea", "Cleo: rum", "Ben: @edit coffee")
        [edit] = [i for i in echo.inbounds if isinstance(i, Edit)]
        assert (edit.message.author.name, edit.message.text) == ("Ben", "coffee")

    async def test_delete_names_the_message_and_its_place(self, stage: Stage) -> None:
        echo = await play(stage, "one", "@room", "two", "@delete #1")
        [delete] = [i for i in echo.inbounds if isinstance(i, Delete)]
        assert delete.ids == (echo.messages[0].id,)
        assert delete.place.chat == "dm:ana:mara"

    async def test_reply_carries_what_it_replies_to(self, stage: Stage) -> None:
        echo = await play(stage, "one", "two", "@reply #1 really", "@reply indeed")
        third, fourth = echo.messages[2:]
        assert third.replies_to_me
        assert third.quoted == "You said one"
        assert fourth.quoted == "You said really"
        assert third.reply_to != fourth.reply_to

    async def test_a_command_can_reply_too(self, stage: Stage) -> None:
        echo = await play(stage, "one", "@reply /why")
        [command] = [i for i in echo.inbounds if isinstance(i, Command)]
        assert (command.name, bool(command.reply_to)) == ("why", True)

    async def test_attach_and_forward(self, stage: Stage) -> None:
        echo = await play(stage, "@attach a photo | look", "@forward rain tomorrow")
        first, second = echo.messages
        assert (first.attachments[0].description, first.text) == ("a photo", "look")
        assert second.forwarded

    async def test_a_burst_comes_in_at_once(self, stage: Stage) -> None:
        together: list[int] = []

        class Counting(Echo):
            async def __call__(self, inbound: Inbound, send: Send) -> None:
                self.inbounds.append(inbound)
                await asyncio.sleep(0)
                together.append(len(self.inbounds))

        echo = await play(stage, "@room", "@burst Ben: a | b | Ben: c", handler=Counting())
        assert [(m.author.name, m.text) for m in echo.messages] == [
            ("Ben", "a"),
            ("Ana", "b"),
            ("Ben", "c"),
        ]
        assert together[0] == 3

    async def test_wait_waits_for_the_learning(self, stage: Stage) -> None:
        await play(stage, "@wait")
        assert stage.waited == 1

    @pytest.mark.parametrize(
        "line",
        [
            "@nothing",
            "@place",
            "@as",
            "@at",
            "@at soon",
            "@at 2026-13-01",
            "@edit",
            "@edit text with nothing said",
            "@edit #7 text",
            "@delete #0",
            "@delete everything",
            "@reply hello",
            "@reply #3",
            "@attach",
            "@forward",
            "@burst | |",
            "@burst a | @wait",
            "/press 1",
            "/press it",
            "/nonsense",
            "/forget yesterday",
        ],
    )
    async def test_what_cannot_be_followed_is_one_sentence_on_stderr(
        self, stage: Stage, line: str
    ) -> None:
        echo = await play(stage, line)
        assert echo.inbounds == []
        assert stage.err.getvalue().count("\n") == 1
        assert stage.err.getvalue().endswith(".\n")
        assert stage.out.getvalue() == ""

    async def test_help_names_every_directive(self, stage: Stage) -> None:
        await play(stage, "@help")
        for word in set(_DIRECTIVES) - {"group", "help"}:
            assert f"@{word}" in stage.err.getvalue()


class TestButtons:
    BUTTONS = (
        Button(label="Yes, forget", data="forget:7", danger=True),
        Button(label="No, keep", data="keep"),
    )

    @pytest.mark.parametrize("answer", ["1", "[1]", "yes", "YES, FORGET", "yes forget", "/press 1"])
    async def test_are_pressed_by_number_or_label(self, stage: Stage, answer: str) -> None:
        echo = await play(stage, "/forget", answer, handler=Echo(buttons=self.BUTTONS))
        [press] = [i for i in echo.inbounds if isinstance(i, Press)]
        assert press.data == "forget:7"
        assert "  [1] Yes, forget   [2] No, keep\n" in stage.out.getvalue()

    async def test_only_the_next_line_presses_by_label(self, stage: Stage) -> None:
        echo = await play(stage, "/forget", "well", "yes", handler=_ButtonsOnce(self.BUTTONS))
        assert [m.text for m in echo.messages] == ["well", "yes"]

    async def test_a_button_is_pressed_where_it_was_shown(self, stage: Stage) -> None:
        echo = await play(stage, "/forget", "@room", "/press 2", handler=Echo(buttons=self.BUTTONS))
        assert not any(isinstance(i, Press) for i in echo.inbounds)
        assert "no button 2" in stage.err.getvalue()


class _ButtonsOnce(Echo):
    def __init__(self, buttons: tuple[Button, ...]) -> None:
        super().__init__(buttons=buttons)

    async def __call__(self, inbound: Inbound, send: Send) -> None:
        await super().__call__(inbound, send)
        self._buttons = ()


async def test_a_deleted_message_is_no_longer_ones_last(stage: Stage) -> None:
    echo = await play(stage, "one", "two", "@delete", "@edit eins", "@edit #2 zwei")
    [edit] = [i for i in echo.inbounds if isinstance(i, Edit)]
    assert edit.message.id == echo.messages[0].id
    assert stage.err.getvalue().splitlines() == [REMOVED, CHANGED, "Message #2 was deleted."]
