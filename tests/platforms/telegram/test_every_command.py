"""Every command, in a private chat, a group and a topic, by whoever may or may not give it."""

from dataclasses import dataclass

import pytest

from bot.commands import COMMANDS, CommandSpec
from bot.commands.call import Where
from bot.messages import Rights
from tests.platforms.telegram.fake_chats import BOT_GROUP_ADMIN, Json, group
from tests.platforms.telegram.world import BOT, PEOPLE, TelegramWorld

FORUM = -1001000000002
TOPIC = 7
ORDER = list(Rights)

LINES = {
    "correct": "/correct I live in Lyon",
    "persona": "/persona list",
    "scene": "/scene set fire: burning",
    "settings": "/settings quiet 22:00-07:00",
    "budget": "/budget 100000",
}
"""What is typed where the bare command would say little."""

GIVEN = [spec for spec in COMMANDS if spec.where is not Where.TERMINAL]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, and what that person may do in a group and in private."""

    name: str
    in_group: Rights
    in_private: Rights = Rights.MEMBER
    status: str = "member"
    anonymous: bool = False


ASKERS = {
    "member": Asker(name="Ben", in_group=Rights.MEMBER),
    "admin": Asker(name="Ana", in_group=Rights.ADMIN, status="administrator"),
    "anonymous admin": Asker(
        name="Ana", in_group=Rights.ADMIN, status="administrator", anonymous=True
    ),
    "operator": Asker(name="Olga", in_group=Rights.OPERATOR, in_private=Rights.OPERATOR),
}


class Room:
    """One place of a world, and how a command is given in it."""

    def __init__(self, world: TelegramWorld, kind: str, asker: Asker) -> None:
        self.world, self.kind, self.asker = world, kind, asker
        self.person = PEOPLE[asker.name]
        self.chat: Json = {
            "private chat": world.api.chats.private(self.person),
            "group": world.room,
            "topic": world.api.chats.add(group(FORUM, "island", is_forum=True)),
        }[kind]
        world.member(int(self.chat["id"]), self.person, asker.status)

    @property
    def is_private(self) -> bool:
        return self.kind == "private chat"

    @property
    def rights(self) -> Rights:
        return self.asker.in_private if self.is_private else self.asker.in_group

    async def give(self, line: str) -> tuple[list[Json], list[Json]]:
        """New messages of the bot: in the place, and in the private chat of who asked."""
        before = {chat: set(self.of_bot(chat)) for chat in (self.chat["id"], self.person["id"])}
        self.world.clock.pass_time(seconds=4)
        content: Json = {}
        if self.kind == "topic":
            content = {"message_thread_id": TOPIC, "is_topic_message": True}
        message = self.world.write(line, who=self.asker.name, chat=self.chat, **content)
        if self.asker.anonymous:
            message["sender_chat"] = {k: self.chat[k] for k in ("id", "type", "title")}
            message["from"] = {"id": BOT_GROUP_ADMIN, "is_bot": True, "first_name": "Group"}
        await self.world.deliver("message", message)
        return self.new(self.chat["id"], before), self.new(self.person["id"], before)

    def new(self, chat: int, before: dict[int, set[int]]) -> list[Json]:
        return [m for n, m in sorted(self.of_bot(chat).items()) if n not in before[chat]]

    def of_bot(self, chat: int) -> dict[int, Json]:
        found = self.world.api.chats.messages[chat]
        return {n: m for n, m in found.items() if m.get("from", {}).get("id") == BOT}


def refusal(spec: CommandSpec, room: Room) -> str:
    """What is said to who may not give a command there; empty if it may be given."""
    if ORDER.index(spec.rights) > ORDER.index(room.rights):
        return f"/{spec.name} is for {spec.rights}s."
    if spec.where is Where.SERVER and room.is_private:
        return f"Give /{spec.name} in the server or group that it is about."
    if spec.name == "scene" and not room.is_private and room.rights is Rights.MEMBER:
        return "Only admins set the scene of a place where several people are."
    return ""


def text_of(message: Json) -> str:
    return str(message.get("text") or message.get("document", {}).get("file_name", ""))


@pytest.mark.parametrize("asker", ASKERS)
@pytest.mark.parametrize("kind", ["private chat", "group", "topic"])
async def test_every_command_is_answered_to_whom_it_may_be(
    world: TelegramWorld, kind: str, asker: str
) -> None:
    if kind == "private chat" and ASKERS[asker].anonymous:
        pytest.skip("nobody is anonymous in private")
    room = Room(world, kind, ASKERS[asker])
    for spec in GIVEN:
        public, private = await room.give(LINES.get(spec.name, f"/{spec.name}"))
        refused = refusal(spec, room)
        said = [text_of(m) for m in (private if room.is_private else public)]
        alone = bool(refused) or spec.private
        if not room.is_private and alone and room.asker.anonymous:
            assert said == ["Only a person can get that answer: ask again without being anonymous."]
        elif not room.is_private and alone:
            assert said == [], spec.name
            said = [text_of(m) for m in private]
        assert len(said) == 1, (spec.name, said)
        if not (alone and room.asker.anonymous):
            assert (said[0] == refused) if refused else said[0], spec.name
            assert ("is for " in said[0]) is ("is for " in refused), said
        if kind == "topic":
            assert {m.get("message_thread_id") for m in public} <= {TOPIC}
        assert world.api.refused == 0
