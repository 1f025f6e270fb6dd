"""The stage of the story: who says what where, and what was in which prompt and reply."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.engine import Engine
from bot.memory import Event
from bot.names.values import Kept
from bot.ports import Line, Storage
from bot.stream.bonds import Bond, Stage
from bot.stream.claims import Claim
from bot.stream.stages import stage_now
from bot.world import Answers, Where
from tests.fakes import FakeClock, ListPlatform, ScriptedChat, a_persona, dm_with, room, says

KITCHEN, YARD = room("kitchen"), room("yard")
ANAS_DM, BENS_DM = dm_with("Ana"), dm_with("Ben")
IDA, OTTO = a_persona("ida", "Ida"), a_persona("otto", "Otto")

SECRETS = {"zeppelin": ANAS_DM, "xylophone": BENS_DM}
"""Words that are said in one DM alone."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A prompt or a reply, with where it was made."""

    where: Where
    text: str


class Story:
    """Tells the story line by line. Its personas cannot keep a secret: whatever word of
    `SECRETS` a prompt holds, the reply says aloud."""

    def __init__(
        self, engine: Engine, store: Storage, clock: FakeClock, model: ScriptedChat
    ) -> None:
        self.engine, self.store, self.clock = engine, store, clock
        self.platform = ListPlatform()
        self.prompts: list[Heard] = []
        self.replies: list[Heard] = []
        self.words: list[str] = []
        """What the personas answer next; "Aye." when all is said."""
        self._here = KITCHEN
        model.script = self._answer

    def _answer(self, lines: Sequence[Line]) -> str:
        prompt = "\n".join(line.text for line in lines)
        self.prompts.append(Heard(self._here, prompt))
        blurted = " ".join(word for word in SECRETS if word in prompt)
        return f"{self.words.pop(0) if self.words else 'Aye.'} {blurted}".strip()

    async def sit_down(self) -> None:
        """Ida is in the kitchen and Otto in the yard; both listen."""
        for where, persona in ((KITCHEN, "ida"), (YARD, "otto")):
            place = await self.store.place(where)
            await self.store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
            await self.store.choose_persona(place.id, persona)

    async def in_the(self, where: Where, *lines: str) -> str:
        """Lines like `Ana: hello`, twenty seconds apart. Returns the newest prompt of these
        lines; empty if nobody was asked."""
        self._here, before = where, len(self.prompts)
        for line in lines:
            self.clock.pass_time(seconds=20)
            name, _, text = line.partition(": ")
            sent = len(self.platform.sent)
            message = says(name, text, where, at=self.clock.now())
            await self.engine.handle(message, self.platform.send)
            await self.engine.idle()
            self.replies += [Heard(where, reply.text) for reply in self.platform.sent[sent:]]
        return self.prompts[-1].text if len(self.prompts) > before else ""

    async def agent(self, name: str) -> int:
        if name in {"Ida", "Otto"}:
            return (await self.store.persona(name.casefold(), name)).id
        return (await self.store.people_named(name))[0][0].id

    async def bond(self, of: str, toward: str) -> Bond:
        others = [await self.agent(toward)]
        (bond,) = await self.store.bonds(await self.agent(of), others=others)
        return bond

    async def stage(self, of: str, toward: str) -> Stage:
        return stage_now(await self.bond(of, toward), self.clock.now())

    async def claim(self, about: str) -> Claim:
        """The one claim whose statement holds these words."""
        claims = await self.store.claims(None, limit=40)
        (found,) = [claim for claim in claims if about in claim.statement]
        return found

    async def event(self, text: str) -> Event:
        """The newest event of this text."""
        stream = await self.store.full_stream(limit=400)
        return [event for event in stream if event.text == text][-1]

    async def meant(self, text: str) -> Sequence[Kept]:
        """The names of the newest line of this text, and whom they mean."""
        return await self.store.names_in((await self.event(text)).id)

    async def the_one_in(self, text: str) -> int:
        (kept,) = await self.meant(text)
        assert kept.agent is not None, kept
        return kept.agent
