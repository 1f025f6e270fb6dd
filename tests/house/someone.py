"""A person with rights, who speaks, gives commands and presses buttons."""

from itertools import count

from bot.commands import parse_command
from bot.engine import Engine
from bot.messages import Command, Press, Reply, Rights
from bot.world import Where
from tests.fakes import ListPlatform, dm_with, person, room, says

_numbers = count(1)


class Someone:
    """`where` is where this person is unless a place is given."""

    def __init__(
        self,
        engine: Engine,
        platform: ListPlatform,
        name: str = "Ana",
        *,
        rights: Rights = Rights.MEMBER,
        where: Where | None = None,
        on: str = "list",
    ) -> None:
        self.engine, self.platform, self.name, self.rights = engine, platform, name, rights
        self.where = where or room()
        self.author = person(name, on)

    @property
    def dm(self) -> Where:
        return dm_with(self.name, self.author.account.platform)

    async def ask(
        self,
        line: str,
        where: Where | None = None,
        *,
        reply_to: str | None = None,
        persona: str | None = None,
    ) -> Reply:
        """The answer to a command."""
        parsed = parse_command(line)
        command = Command(
            id=f"c{next(_numbers)}",
            name=parsed.name,
            options=parsed.options,
            where=where or self.where,
            author=self.author,
            at=self.engine._clock.now(),
            rights=self.rights,
            reply_to=reply_to,
            persona=persona,
        )
        before = len(self.platform.sent)
        await self.engine.handle(command, self.platform.send)
        assert len(self.platform.sent) == before + 1, f"{line} was not answered once"
        return self.platform.sent[-1]

    async def press(self, data: str, where: Where | None = None) -> Reply:
        """The answer to a button."""
        press = Press(
            id=f"p{next(_numbers)}",
            data=data,
            where=where or self.where,
            author=self.author,
            at=self.engine._clock.now(),
            rights=self.rights,
        )
        await self.engine.handle(press, self.platform.send)
        return self.platform.sent[-1]

    async def say(self, text: str, where: Where | None = None, **more: object) -> list[str]:
        """What is answered to a message."""
        fields = {"author": self.author, "at": self.engine._clock.now(), **more}
        message = says(self.name, text, where or self.where, **fields)
        before = len(self.platform.sent)
        await self.engine.handle(message, self.platform.send)
        await self.engine.idle()
        return self.platform.texts[before:]
