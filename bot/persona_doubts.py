"""What in a persona can be used, but is hardly meant."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from bot.persona import Persona
from bot.prompt.quotes import MEMORY_TOKENS
from bot.text import same_text, tokens

COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an the and or but i you he she it we they me him her us them my your this that yes no "
        "hi hey hello not what who when why how is are was el la los las un una y o yo tú que sí "
        "hola ok de en mi su",
    )
)
"""Words that nearly every message holds."""


def doubts(personas: Mapping[str, Persona], folder: Path, now: datetime) -> Iterator[str]:
    """A sentence for each doubt: file, key and reason. `now` is aware; `folder` is where the
    files are, and where their pictures are looked for."""
    names = Counter(persona.name.casefold() for persona in personas.values())
    for key, persona in personas.items():
        if names[persona.name.casefold()] > 1:
            yield f"{key}: name: another file says {persona.name!r} too; people cannot choose."
        for said in (*_of_names(persona), *_of_memories(persona, now)):
            yield f"{key}: {said}"
        if persona.avatar and "://" not in persona.avatar:
            picture = folder / persona.avatar
            if not picture.is_file():
                yield f"{key}: avatar: there is no {picture}; the path starts at {folder}."


def _of_names(persona: Persona) -> Iterator[str]:
    for name in persona.nicknames:
        if name.casefold() in COMMON:
            yield f"nicknames: {name!r} stands in nearly every message; take a rarer one."


def _of_memories(persona: Persona, now: datetime) -> Iterator[str]:
    seen: dict[str, int] = {}
    for number, memory in enumerate(persona.memories, start=1):
        before = seen.setdefault(same_text(memory.text), number)
        if before != number:
            yield f"memories.{number}: says the same as memories.{before}."
        if memory.at > now:
            yield f"memories.{number}: {memory.when} is in the future; a memory is of the past."
        if tokens(memory.text) > MEMORY_TOKENS:
            yield (
                f"memories.{number}: longer than the {MEMORY_TOKENS} tokens that a prompt quotes; "
                "its middle would be left out, so make two of it."
            )
