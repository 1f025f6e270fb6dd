"""A language model before a server that follows a script, for the tests of the adapter."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from adapters.llm import OpenAIModel, Patience, Timeouts
from adapters.settings import SystemRole
from bot.memory import Usage
from bot.ports import ChatModel, Line
from tests.fakes import FakeClock
from tests.scripted_answers import Script, Step
from tests.scripted_model import ScriptedModel

PROMPT = [
    Line(role="system", text="You are Ida."),
    Line(role="user", text="Ana: are you there?"),
]
QUICK = Timeouts(connect=2.0, first_word=5.0, between_words=5.0)


def model_at(
    url: str,
    *,
    clock: FakeClock | None = None,
    api_key: str | None = None,
    name: str = "scripted",
    system: SystemRole = SystemRole.SYSTEM,
    timeouts: Timeouts = QUICK,
    patience: Patience | None = None,
) -> OpenAIModel:
    return OpenAIModel(
        base_url=url,
        api_key=api_key,
        model=name,
        system=system,
        timeouts=timeouts,
        patience=patience or Patience(),
        clock=clock or FakeClock(),
    )


@asynccontextmanager
async def serving(
    script: Sequence[Step] | Script,
    *,
    refuses: Sequence[str] = (),
    clock: FakeClock | None = None,
    system: SystemRole = SystemRole.SYSTEM,
    timeouts: Timeouts = QUICK,
    patience: Patience | None = None,
) -> AsyncIterator[tuple[ScriptedModel, OpenAIModel]]:
    """A server, and a model that talks to it without really waiting."""
    async with (
        ScriptedModel(script, refuses=refuses) as server,
        model_at(
            server.url, clock=clock, system=system, timeouts=timeouts, patience=patience
        ) as model,
    ):
        yield server, model


async def ask(model: ChatModel, lines: Sequence[Line] = PROMPT) -> tuple[str, Usage | None]:
    return await complete(model, lines, max_tokens=64, purpose="answer")


async def text_of(model: ChatModel) -> str:
    return (await ask(model))[0]


async def hear(model: ChatModel, pieces: list[str]) -> None:
    """Puts the pieces of an answer into a list as they come, also of one that fails."""
    async for piece in model.stream(PROMPT, max_tokens=64, purpose="answer"):
        pieces.append(piece.text)  # noqa: PERF401  # those before a failure count


async def complete(
    model: ChatModel, lines: Sequence[Line], *, max_tokens: int, purpose: str
) -> tuple[str, Usage | None]:
    """The answer in one text, and what it cost if that is known. Raises ModelError."""
    text, usage = "", None
    async for piece in model.stream(lines, max_tokens=max_tokens, purpose=purpose):
        text += piece.text
        usage = piece.usage or usage
    return text, usage
