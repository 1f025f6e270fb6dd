"""People who talk with a persona and give commands, one line a minute."""

from bot.commands import parse_command
from bot.engine import Engine
from bot.messages import Command, Reply, Rights
from bot.world import Where
from tests.fakes import FakeClock, ListPlatform, dm_with, person, says


class Room:
    """Speaks to an engine and waits until all is learnt."""

    def __init__(self, engine: Engine, clock: FakeClock) -> None:
        self.engine, self.clock = engine, clock
        self.platform = ListPlatform()

    async def say(self, name: str, text: str, where: Where | None = None) -> None:
        self.clock.pass_time(minutes=1)
        await self.engine.handle(says(name, text, where, at=self.clock.now()), self.platform.send)
        await self.engine.idle()

    async def ask(self, name: str, line: str, where: Where | None = None) -> Reply:
        parsed = parse_command(line)
        command = Command(
            id=f"c{len(self.platform.sent)}",
            name=parsed.name,
            options=parsed.options,
            where=where or dm_with(name),
            author=person(name),
            at=self.clock.now(),
            rights=Rights.MEMBER,
        )
        await self.engine.handle(command, self.platform.send)
        return self.platform.sent[-1]
