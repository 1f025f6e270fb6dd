"""One contract for all platforms: a subclass gives a `world`, and every test here runs in it.

A world is a real engine and store behind a real adapter, driven from the platform's own side
(typed lines, gateway events, updates), and seen from there: what people could read.
"""

import asyncio
from typing import Protocol

import pytest

from bot.errors import ModelDown
from tests.conftest import LIMITS
from tests.fakes import ScriptedChat, a_persona, dialogue_end, last_said, until

PERSONA = a_persona(
    "ida", "Ida", apologies=["The lamp needs me; ask again."], greetings=["Evening."]
)


class World(Protocol):
    """One persona, Ida, in a DM with each person and in a room that listens.

    Texts are what people see in a place, oldest first, parts of one reply joined. Every
    method returns when what it did is dealt with. Ids are whatever the platform uses.
    """

    model: ScriptedChat
    lacks: frozenset[str]  # what this platform has no notion of

    async def say(
        self,
        text: str,
        *,
        who: str = "Ana",
        room: bool = False,
        mention: bool = False,
        reply_to_persona: bool = False,
        attachment: str = "",
        bot: bool = False,
    ) -> str: ...

    async def burst(self, *texts: str, who: str = "Ana", in_order: bool = True) -> None:
        """Several messages at once; out of order, the later sent arrive first."""
        ...

    async def edit(self, message: str, text: str) -> None: ...

    async def delete(self, message: str) -> None: ...

    async def redeliver(self, message: str) -> None:
        """The platform delivers a message once more."""
        ...

    async def command(self, line: str, *, who: str = "Ana", room: bool = False) -> None: ...

    async def press_first(self, *, who: str = "Ana") -> None:
        """Presses the first button of the newest answer."""
        ...

    def fail_next_send(self, *, for_good: bool = False) -> None: ...

    async def restart(self) -> None:
        """Stops program and adapter without mercy and starts them over the same store."""
        ...

    def seen(self, *, who: str = "Ana", room: bool = False) -> list[str]: ...

    async def events(self) -> int:
        """How many events the store holds."""
        ...


class PlatformContract:
    """Inherit, and define the fixture `world`."""

    async def test_everything_in_a_dm_is_answered(self, world: World) -> None:
        await world.say("hello")
        assert world.seen() == ["I heard: hello"]

    async def test_in_a_room_only_who_speaks_to_the_persona_is_answered(self, world: World) -> None:
        await world.say("hello Ben", room=True)
        assert world.seen(room=True) == []
        await world.say("Ida, tea?", room=True)
        assert world.seen(room=True) == ["I heard: Ida, tea?"]
        await world.say("and you?", room=True, reply_to_persona=True)
        assert len(world.seen(room=True)) == 2
        await world.say("are you there", room=True, mention=True)
        assert len(world.seen(room=True)) == 3

    async def test_every_speaker_is_named_to_the_model(self, world: World) -> None:
        await world.say("the key is under the mat", who="Ana", room=True)
        await world.say("Ida, heard that?", who="Ben", room=True)
        dialogue = dialogue_end(world.model.prompts[-1])
        assert "Ana: the key is under the mat" in dialogue
        assert "Ben: Ida, heard that?" in dialogue

    async def test_a_room_never_hears_a_dm(self, world: World) -> None:
        await world.say("my secret is the blue heron")
        await world.say("Ida, tell us the secret of the blue heron", who="Ben", room=True)
        prompt = "\n".join(line.text for line in world.model.prompts[-1])
        assert "my secret is" not in prompt

    async def test_own_messages_and_other_bots_are_not_answered(self, world: World) -> None:
        if "bots" in world.lacks:
            pytest.skip("there are no bots here")
        await world.say("Ida, hello from a bot", room=True, bot=True)
        await world.say("hello from a bot", room=True, bot=True, mention=True)
        assert world.seen(room=True) == []
        assert await world.events() == 0

    async def test_where_admins_allow_it_other_bots_are_answered_within_limits(
        self, world: World
    ) -> None:
        if "bots" in world.lacks:
            pytest.skip("there are no bots here")
        await world.command("/settings bots yes", who="Olga", room=True)
        before = len(world.seen(room=True))

        def replies() -> int:
            return len(world.seen(room=True)) - before

        await world.say("Ida is a name that bots write, too", room=True, bot=True)
        assert replies() == 0
        for _ in range(LIMITS.persona_turns + 2):
            await world.say("hello from a bot", room=True, bot=True, mention=True)
        assert replies() == LIMITS.persona_turns
        await world.say("Ida, is that your friend?", room=True)
        assert replies() == LIMITS.persona_turns + 1
        for _ in range(4):  # a person spoke, but now it is too often for one minute
            await world.say("again", room=True, bot=True, reply_to_persona=True)
        assert replies() == LIMITS.persona_turns_per_minute

    async def test_an_edit_changes_the_memory_without_a_second_answer(self, world: World) -> None:
        message = await world.say("I like tea")
        await world.edit(message, "I like coffee")
        assert len(world.seen()) == 1
        await world.say("what do I like")
        prompt = "\n".join(line.text for line in world.model.prompts[-1])
        assert "I like coffee" in prompt
        assert "Ana: I like tea" not in prompt

    async def test_an_edit_that_now_speaks_to_the_persona_is_answered(self, world: World) -> None:
        message = await world.say("tea?", room=True)
        await world.edit(message, "Ida, tea?")
        assert world.seen(room=True) == ["I heard: Ida, tea?"]

    async def test_a_deleted_message_goes_with_the_reply(self, world: World) -> None:
        if "deletes" in world.lacks:
            pytest.skip("deletions are not reported here")
        message = await world.say("forget this")
        assert await world.events() == 2
        await world.delete(message)
        assert await world.events() == 0

    async def test_a_burst_gets_one_reply(self, world: World) -> None:
        await world.burst("hi", "are you", "there?")
        assert world.seen() == ["I heard: there?"]
        assert dialogue_end(world.model.prompts[-1]).endswith("Ana: hi\nAna: are you\nAna: there?")

    async def test_a_burst_out_of_order_is_read_in_order(self, world: World) -> None:
        if "out of order" in world.lacks:
            pytest.skip("lines have an order here")
        await world.burst("first", "second", in_order=False)
        assert dialogue_end(world.model.prompts[-1]).endswith("Ana: first\nAna: second")

    async def test_an_attachment_is_noted(self, world: World) -> None:
        await world.say("look", attachment="a photo of a heron")
        assert "a photo of a heron" in dialogue_end(world.model.prompts[-1])

    async def test_a_long_reply_arrives_whole(self, world: World) -> None:
        words = " ".join(f"word{n}" for n in range(2000))
        world.model.script = lambda _: words
        await world.say("go on")
        assert " ".join(" ".join(world.seen()).split()) == words

    async def test_a_send_that_fails_once_is_tried_again(self, world: World) -> None:
        world.fail_next_send()
        await world.say("hello")
        assert world.seen() == ["I heard: hello"]

    async def test_what_can_never_be_sent_is_not_tried_for_ever(self, world: World) -> None:
        world.fail_next_send(for_good=True)
        await world.say("hello")
        assert world.seen() == []
        await world.say("again")
        assert world.seen() == ["I heard: again"]

    async def test_when_the_model_is_down_the_persona_says_so_its_own_way(
        self, world: World
    ) -> None:
        world.model.script = lambda _: ModelDown("down")
        await world.say("hello")
        assert world.seen() == ["The lamp needs me; ask again."]

    async def test_a_message_that_was_being_answered_is_answered_after_a_restart(
        self, world: World
    ) -> None:
        async def never(_: object) -> str:
            await asyncio.Event().wait()
            return ""

        world.model.script = never
        waiting = asyncio.create_task(world.say("hello"))
        await until(lambda: bool(world.model.prompts))
        world.model.script = lambda lines: f"late: {last_said(lines)}"
        await world.restart()
        await asyncio.wait([waiting], timeout=1)
        assert world.seen() == ["late: hello"]

    async def test_what_was_said_before_a_restart_is_remembered(self, world: World) -> None:
        await world.say("my cat is called Miso")
        await world.restart()
        await world.say("what is my cat called")
        assert "my cat is called Miso" in "\n".join(line.text for line in world.model.prompts[-1])

    async def test_a_second_delivery_is_not_answered(self, world: World) -> None:
        message = await world.say("hello")
        await world.redeliver(message)
        await world.restart()
        await world.redeliver(message)
        assert world.seen() == ["I heard: hello"]

    async def test_what_concerns_one_person_is_shown_to_nobody_else(self, world: World) -> None:
        await world.say("Ida, I keep bees", room=True)
        before = world.seen(who="Ben", room=True)
        await world.command("/memories", room=True)
        assert not [t for t in world.seen(who="Ben", room=True) if "Your own words" in t]
        assert len(world.seen(who="Ben", room=True)) == len(before)

    async def test_forget_asks_first_and_then_forgets(self, world: World) -> None:
        await world.say("my secret is the blue heron")
        await world.command("/forget everything")
        assert await world.events() == 2
        await world.press_first()
        assert await world.events() == 0
