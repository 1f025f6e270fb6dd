"""What knowing people costs a turn: circle, hearsay and places, without a model.

A house with 100 000 lines of a thousand people, who talk in one room. Measured in processor
time of the whole process, so that the work of others does not count: what is looked up before
the answer, what is learnt after it, and beside them the trips to the database that a turn
takes anyway.
"""

import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.record import Options, Row
from benchmarks.synthetic import START, WORDS, vectors
from bot.emotion import NEUTRAL, Emotion
from bot.engine.circle import Circle
from bot.engine.names import Names
from bot.engine.rumours import Rumours
from bot.engine.sight import Sight
from bot.memory import EventKind, Memory, Precision, Turn
from bot.messages import Message
from bot.persona import Persona
from bot.ports import Storage
from bot.stream.bonds import WeightRule
from bot.stream.claims import ClaimRules
from bot.world import AccountKey, Answers, Author, PlaceKey, PlaceKind, Where
from storage import open_storage

LINES, PEOPLE, TURNS = 100_000, 1_000, 60
CHUNK: Final = 5_000
DIMENSION: Final = 32
ROOM: Final = Where(
    key=PlaceKey(platform="bench", bot_account="b", chat="room"), kind=PlaceKind.CHANNEL
)
IDA: Final = Persona(
    key="bench",
    name="Ida",
    description="Ida keeps the lighthouse at Skerry.",
    greetings=("Hello.",),
    apologies=("Ask again.",),
)
SAYINGS: Final = (
    "I brought some bread from the market today",
    "that was a lovely evening, thank you for the soup",
    "P7 is moving to Porto in May",
    "*lights the fire*",
    "what a long day, the train was late again",
    "you are right about the garden",
)
"""What people say in turns: a plain day with a rumour and a fire in it."""


async def turn_cost_rows(options: Options) -> list[Row]:
    """Milliseconds of processor time per turn, medians over turns."""
    lines = options.limit or LINES
    async with _house(lines, options) as storage:
        names = Names(storage=storage, embedder=_Flat())
        rumours = Rumours(storage=storage, embedder=_Flat(), rules=ClaimRules())
        parts = _Parts(
            sight=Sight(storage=storage, rumours=rumours, names=names),
            circle=Circle(
                storage=storage,
                rumours=rumours,
                names=names,
                rule=WeightRule.TOWARD,
                understanding=None,
            ),
        )
        spent = [await _turn(storage, parts, number) for number in range(TURNS)]
    before, after, rest = (float(np.median(part)) * 1000 for part in zip(*spent, strict=True))
    return [
        Row(
            name="time added per turn",
            subset=f"{lines} lines, {PEOPLE} people",
            metrics={
                "ms": before + after,
                "ms before the answer": before,
                "ms after it": after,
                "ms of a turn's other trips": rest,
            },
        )
    ]


class _Flat:
    """An encoder that finds everything alike but not the same."""

    name = "flat"
    dimension = DIMENSION

    async def embed(self, texts: Sequence[str], *, kind: str) -> NDArray[np.float32]:
        del kind
        chance = np.random.default_rng(len(texts))
        rows = chance.normal(size=(len(texts), DIMENSION)).astype(np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


class _Parts:
    def __init__(self, *, sight: Sight, circle: Circle) -> None:
        self.sight, self.circle = sight, circle


@asynccontextmanager
async def _house(lines: int, options: Options) -> AsyncIterator[Storage]:
    people = {f"P{n}": AccountKey(platform="bench", user=f"p{n}") for n in range(PEOPLE)}
    chunk = min(CHUNK, lines)
    rows = vectors(chunk, DIMENSION, options.seed)
    with tempfile.TemporaryDirectory() as folder:
        async with open_storage(Path(folder) / "turns.db") as storage:
            await storage.persona(IDA.key, IDA.name)
            for start in range(0, lines, chunk):
                await storage.remember(
                    IDA.key,
                    "house",
                    [_memory(number) for number in range(start, start + chunk)],
                    people=people,
                    vectors=rows,
                    embedder=_Flat.name,
                    emotions=[NEUTRAL] * chunk,
                    scorer="none",
                )
                options.progress("a house of many", start + chunk, lines)
            place = await storage.place(ROOM)
            await storage.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
            yield storage


def _memory(number: int) -> Memory:
    words = (WORDS[(number * step) % len(WORDS)] for step in (1, 3, 5, 7))
    return Memory(
        source=f"house:{number}",
        kind=EventKind.IMPORT,
        at=START + timedelta(minutes=number),
        precision=Precision.MINUTE,
        speaker=f"P{number % PEOPLE}",
        text=" ".join(words),
    )


async def _turn(storage: Storage, parts: _Parts, number: int) -> tuple[float, float, float]:
    """Seconds before the answer, after it, and of everything else."""
    at = START + timedelta(days=100, minutes=number)
    who = f"p{number % 8}"
    message = Message(
        id=str(number),
        where=ROOM,
        author=Author(account=AccountKey(platform="bench", user=who), name=who.upper()),
        text=SAYINGS[number % len(SAYINGS)],
        at=at,
    )
    began = time.process_time()
    received = await storage.received(message, persona=IDA.key)
    assert received.event is not None
    turn = await storage.composing(
        received.place.id,
        IDA.key,
        [received.event.id],
        nonce=str(number),
        reply_to="",
        at=at,
    )
    assert turn is not None
    window = await storage.window(received.place.id, before=at, limit=24)
    composed = time.process_time()
    await parts.sight.notes(turn, IDA, window=window, in_mind=(), now=at, room=3000)
    looked = time.process_time()
    turn = await _answered(storage, turn, number)
    answered = time.process_time()
    await parts.circle.learn(turn)
    learnt = time.process_time()
    await storage.learned(turn.id, turn.started_at)
    rest = composed - began + answered - looked + time.process_time() - learnt
    return looked - composed, learnt - answered, rest


async def _answered(storage: Storage, turn: Turn, number: int) -> Turn:
    at = turn.started_at + timedelta(seconds=2)
    answered = await storage.answered(
        turn.id, "Aye, so it goes.", at=at, recalled=(), strategy="none"
    )
    assert answered.reply is not None
    await storage.sent(turn.id, [f"r{number}"], at)
    ids = [*(event.id for event in answered.said), answered.reply.id]
    await storage.scored(ids, [Emotion(scores=(1.0,) * 8)] * len(ids), "none")
    return answered
