"""A file becomes memories of a persona: read, filtered, embedded and stored in batches."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.imports.conversation import Conversation, Format, Line, Reading
from bot.imports.detect import read_conversations
from bot.imports.people import Cast, cast, unknown_names
from bot.memory import EventKind, Memory
from bot.passages import passage
from bot.persona import Persona
from bot.ports import Embedder, EmotionScorer, Progress, Storage
from bot.world import AccountKey

BATCH = 256
"""Lines that are embedded together and stored in one transaction."""

COMPANY = 20
"""Whoever speaks within so many lines before or after a line took part in it."""

MOST_COMPANY = 8
"""People that one line points to, the nearest; a busy channel is not one conversation."""

_MOST_LISTED = 20  # speakers named in a warning


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of a file.

    `new` lines were stored, `known` ones had been before or were deleted for good,
    `skipped` ones were left out when reading, `withheld` ones are of people who opted
    out or of bots. `speakers` says who each became, by the name in the file.
    """

    format: Format
    archives: tuple[str, ...]
    new: int
    known: int
    skipped: int
    withheld: int
    speakers: Mapping[str, str]
    warnings: tuple[str, ...]


@dataclass(slots=True)
class _Tally:
    new: int = 0
    known: int = 0
    withheld: int = 0
    done: int = 0


async def import_file(
    path_name: str,
    data: bytes,
    *,
    persona: Persona,
    storage: Storage,
    embedder: Embedder,
    scorer: EmotionScorer,
    people: Mapping[str, AccountKey],
    default_time: datetime,
    progress: Progress,
    identities: bool = False,
) -> ImportReport:
    """Makes the conversations of a file memories of the persona.

    `people` are accounts by speaker (`read_map`); with `identities` the accounts in the
    file count too. `default_time` (aware) dates lines without a date, its zone times
    without one. Each batch is stored whole or not at all, and what is stored is passed
    over: an import that was cut off goes on where it was. Raises ImportFileError,
    EmbeddingError and StorageError.
    """
    reading = await asyncio.to_thread(
        read_conversations, data, path_name, default_time=default_time
    )
    await storage.persona(persona.key, persona.name)
    run = _Import(persona.key, storage, embedder, scorer)
    tally, speakers = _Tally(), dict[str, str]()
    total = sum(len(conversation.lines) for conversation in reading.conversations)
    progress(0, total)
    for conversation in reading.conversations:
        who = await cast(conversation, persona, people, identities=identities, storage=storage)
        speakers |= {label: who.became(label) for label in conversation.speakers}
        for lines in _batches(conversation, who):
            await run.remember(conversation.archive, lines, who, tally)
            progress(tally.done, total)
    return _report(reading, tally, speakers, people)


@dataclass(frozen=True, slots=True)
class _Import:
    """What stays the same for all batches of one import."""

    persona: str
    storage: Storage
    embedder: Embedder
    scorer: EmotionScorer

    async def remember(
        self, archive: str, memories: Sequence[Memory | None], who: Cast, tally: _Tally
    ) -> None:
        """Embeds, scores and stores what is new of one batch; None stands for a line of
        somebody of whom nothing is kept."""
        kept = [memory for memory in memories if memory is not None]
        known = await self.storage.known_sources(
            [memory.source for memory in kept], persona=self.persona
        )
        fresh = [memory for memory in kept if memory.source not in known]
        new = await self._store(archive, fresh, who) if fresh else 0
        tally.new += new
        tally.known += len(kept) - new
        tally.withheld += len(memories) - len(kept)
        tally.done += len(memories)

    async def _store(self, archive: str, fresh: Sequence[Memory], who: Cast) -> int:
        passages = [passage(memory.speaker, memory.text) for memory in fresh]
        vectors = await self.embedder.embed(passages, kind="passage")
        emotions = await self.scorer.score([memory.text for memory in fresh])
        return await self.storage.remember(
            self.persona,
            archive,
            fresh,
            people=who.people,
            vectors=vectors,
            embedder=self.embedder.name,
            emotions=emotions,
            scorer=self.scorer.name,
        )


def _batches(conversation: Conversation, who: Cast) -> Iterator[list[Memory | None]]:
    lines = conversation.lines
    for start in range(0, len(lines), BATCH):
        end = min(start + BATCH, len(lines))
        yield [_memory(lines, index, who) for index in range(start, end)]


def _memory(lines: Sequence[Line], index: int, who: Cast) -> Memory | None:
    line = lines[index]
    if line.speaker in who.absent:
        return None
    return Memory(
        source=line.source,
        kind=EventKind.IMPORT,
        at=line.at,
        precision=line.precision,
        speaker=who.names[line.speaker],
        text=line.text,
        people=_company(lines, index, who),
    )


def _company(lines: Sequence[Line], index: int, who: Cast) -> tuple[str, ...]:
    """Who else took part in a line: the others who speak around it, the nearest first."""
    own = who.names[lines[index].speaker]
    found: dict[str, None] = {}
    for distance in range(1, COMPANY + 1):
        for near in (index - distance, index + distance):
            if 0 <= near < len(lines) and (speaker := lines[near].speaker) not in who.absent:
                found[who.names[speaker]] = None
    return tuple(name for name in found if name != own)[:MOST_COMPANY]


def _report(
    reading: Reading,
    tally: _Tally,
    speakers: Mapping[str, str],
    people: Mapping[str, AccountKey],
) -> ImportReport:
    warnings = list(reading.warnings)
    if people and tally.known:
        warnings.append(
            f"{tally.known} lines were stored before, by the people they had then; --map changes "
            "only what is new. To map them, start from a backup made before that import."
        )
    if unknown := unknown_names(people, reading.conversations):
        listed = ", ".join(list(speakers)[:_MOST_LISTED])
        more = len(speakers) - _MOST_LISTED
        warnings.append(
            f"--map names {', '.join(unknown)}, but nobody there is called so;"
            f" the speakers are {listed}{f' and {more} more' if more > 0 else ''}."
        )
    return ImportReport(
        format=reading.format,
        archives=tuple(conversation.archive for conversation in reading.conversations),
        new=tally.new,
        known=tally.known,
        skipped=reading.skipped,
        withheld=tally.withheld,
        speakers=speakers,
        warnings=tuple(warnings),
    )
