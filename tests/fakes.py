"""Doubles that work: a model that follows a script, an encoder by words, a list as platform."""

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count

import numpy as np
from numpy.typing import NDArray

from bot.emotion import NEUTRAL, Emotion
from bot.errors import ModelError
from bot.memory import Usage
from bot.messages import Draft, Message, Outbound, Reply
from bot.persona import Persona
from bot.ports import Handler, Line, Piece, Send
from bot.world import AccountKey, Author, PlaceKey, PlaceKind, Where

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def a_persona(key: str = "ida", name: str = "Ida", **more: object) -> Persona:
    """A small persona; the default character of the tests."""
    return Persona.model_validate(
        {
            "key": key,
            "name": name,
            "description": f"{name} keeps the lighthouse at Skerry.",
            "greetings": ["Hello."],
            "apologies": [f"{name} is on the stairs; ask again.", "The lamp; ask again."],
            **more,
        }
    )


class FakeClock:
    """Time that passes only when somebody sleeps or `pass_time` is called."""

    def __init__(self, now: datetime = NOON) -> None:
        self._now = now
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._now += timedelta(seconds=seconds)
        await asyncio.sleep(0.15)  # so that what runs beside it comes to its turn

    def pass_time(self, **parts: float) -> None:
        self._now += timedelta(**parts)


class WordEmbedder:
    """Texts that share words are similar: each word has a direction of its own."""

    def __init__(self, name: str = "words", dimension: int = 64) -> None:
        self.name = name
        self.dimension = dimension
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], *, kind: str) -> NDArray[np.float32]:
        del kind
        self.asked += texts
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0] = 0.1
            for word in re.findall(r"\w+", text.casefold()):
                row[hash_of(word) % (self.dimension - 1) + 1] += 1.0
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / norms).astype(np.float32) if len(texts) else rows


def hash_of(word: str) -> int:
    return int.from_bytes(hashlib.blake2s(word.encode()).digest()[:4], "big")


class NeutralScorer:
    """Finds no feeling in anything."""

    name = "neutral"

    async def score(self, texts: Sequence[str]) -> list[Emotion]:
        return [NEUTRAL for _ in texts]


Script = Callable[[Sequence[Line]], str | Exception | Awaitable[str]]


class ScriptedChat:
    """A language model that answers by a function of the prompt, word by word."""

    def __init__(self, script: Script | None = None, *, context_tokens: int = 4000) -> None:
        self.name = "scripted"
        self.context_tokens = context_tokens
        self.script: Script = script or (lambda lines: f"I heard: {last_said(lines)}")
        self.prompts: list[Sequence[Line]] = []

    async def stream(
        self, lines: Sequence[Line], *, max_tokens: int, purpose: str
    ) -> AsyncGenerator[Piece, None]:
        del max_tokens
        self.prompts.append(tuple(lines))
        answer = self.script(lines)
        if isinstance(answer, Exception):
            raise answer
        text = answer if isinstance(answer, str) else await answer
        for word in re.findall(r"\S+\s*", text):
            yield Piece(text=word)
        usage = Usage(
            purpose=purpose, model=self.name, prompt_tokens=1, completion_tokens=1, seconds=0.0
        )
        yield Piece(text="", usage=usage)

    async def structured(
        self, lines: Sequence[Line], schema: Mapping[str, object], *, max_tokens: int, purpose: str
    ) -> tuple[object, Usage | None]:
        del lines, schema, max_tokens, purpose
        raise ModelError("This model gives no JSON.")


def dialogue_end(lines: Sequence[Line]) -> str:
    """The newest lines of the dialogue that are not the persona's."""
    return next(line.text for line in reversed(lines) if line.role == "user")


def last_said(lines: Sequence[Line]) -> str:
    """The text of the newest message in a prompt, without its speaker."""
    newest = dialogue_end(lines).splitlines()[-1]
    return newest.partition(": ")[2] or newest


async def until(condition: Callable[[], bool], *, seconds: float = 60) -> None:
    """Returns when something became true that has no event of its own.

    What is true for a moment only can be missed: wait for something that stays.

    Raises:
        AssertionError: it did not become true in that time.
    """
    last = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < last, f"still false after {seconds:g} s: {condition}"
        await asyncio.sleep(0.001)


class ListPlatform:
    """A platform that is a list: what was sent stands in `sent`, drafts in `drafts`.

    `fail` makes the next sends raise. With `idempotent`, one nonce appears once.
    """

    def __init__(self, name: str = "list", *, idempotent: bool = False) -> None:
        self.name = name
        self.idempotent = idempotent
        self.sent: list[Reply] = []
        self.drafts: list[Draft] = []
        self.outbound: list[Outbound] = []
        self.fail: list[Exception] = []
        self._ids = count(1)

    async def run(self, handle: Handler) -> None:
        del handle

    def reach(self, place: PlaceKey) -> Send:
        del place
        return self.send

    async def send(self, outbound: Outbound) -> Sequence[str]:
        self.outbound.append(outbound)
        if isinstance(outbound, Draft):
            self.drafts.append(outbound)
            return ()
        if not isinstance(outbound, Reply):
            return ()
        if self.fail:
            raise self.fail.pop(0)
        self.sent.append(outbound)
        return (f"r{next(self._ids)}",)

    @property
    def texts(self) -> list[str]:
        return [reply.text for reply in self.sent]


def dm_with(user: str, platform: str = "list") -> Where:
    key = PlaceKey(platform=platform, bot_account="bot", chat=f"dm-{user.casefold()}")
    return Where(key=key, kind=PlaceKind.DM)


def room(
    name: str = "kitchen", *, server: str = "home", platform: str = "list", private: bool = False
) -> Where:
    key = PlaceKey(platform=platform, bot_account="bot", chat=name)
    return Where(key=key, kind=PlaceKind.CHANNEL, name=name, server=server, private=private)


def person(name: str, platform: str = "list", user: str | None = None) -> Author:
    account = AccountKey(platform=platform, user=user or name.casefold())
    return Author(account=account, name=name)


_ids = count(1)


def says(name: str, text: str, where: Where | None = None, **more: object) -> Message:
    """A message; in the DM of its speaker unless a place is given."""
    fields: dict[str, object] = {
        "id": f"m{next(_ids)}",
        "where": where or dm_with(name),
        "author": person(name),
        "text": text,
        "at": NOON,
        **more,
    }
    return Message(**fields)  # type: ignore[arg-type]
