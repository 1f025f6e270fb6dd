"""A persona's own past: the memories in its file, kept in step with the store."""

import hashlib
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from bot.memory import EventKind, Memory, Precision
from bot.passages import passage
from bot.persona import Persona, SeedMemory
from bot.ports import Embedder, EmotionScorer, Storage

_BATCH = 256  # memories that are embedded together and stored in one transaction


async def learn_past(
    persona: Persona, *, storage: Storage, embedder: Embedder, scorer: EmotionScorer
) -> int:
    """Stores the memories of a persona's file that are new, and removes those that are no
    longer in it. Safe to repeat and to interrupt. Returns how many were new."""
    await storage.persona(persona.key, persona.name)
    told = (_memory(persona, seed) for seed in persona.memories)
    memories = {memory.source: memory for memory in told}
    await storage.forget_seeds(persona.key, list(memories))
    known = await storage.known_sources(list(memories), persona=persona.key)
    fresh = [memory for source, memory in memories.items() if source not in known]
    new = 0
    for start in range(0, len(fresh), _BATCH):
        batch = fresh[start : start + _BATCH]
        passages = [passage(memory.speaker, memory.text) for memory in batch]
        new += await storage.remember(
            persona.key,
            "",
            batch,
            people={},
            vectors=await embedder.embed(passages, kind="passage"),
            embedder=embedder.name,
            emotions=await scorer.score([memory.text for memory in batch]),
            scorer=scorer.name,
        )
    return new


def _memory(persona: Persona, seed: SeedMemory) -> Memory:
    return Memory(
        source=_source(persona.key, seed),
        kind=EventKind.SEED,
        at=_moment(seed, persona.time_zone),
        precision=seed.precision,
        speaker=persona.name,
        text=seed.text,
        place=seed.place,
        people=seed.people,
        importance=seed.importance,
    )


def _moment(seed: SeedMemory, time_zone: str) -> datetime:
    """A time of day in a persona's past is its own local time."""
    if seed.precision is not Precision.MINUTE:
        return seed.at
    return seed.at.replace(tzinfo=ZoneInfo(time_zone)).astimezone(UTC)


def _source(persona: str, seed: SeedMemory) -> str:
    """ "past:<persona>:<digest of when and text>": a reworded memory is another one."""
    mark = hashlib.blake2b(f"{seed.when}\n{seed.text}".encode(), digest_size=10).hexdigest()
    return f"past:{persona}:{mark}"
