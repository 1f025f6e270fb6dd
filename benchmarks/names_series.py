"""The series of the names benchmark: its lines, and characters who share a name from now on."""

import json
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

MAIN = frozenset(
    {
        "Ross Geller", "Rachel Green", "Monica Geller", "Chandler Bing", "Joey Tribbiani",
        "Phoebe Buffay",
    }
)  # fmt: skip
NICKNAMES = {"Pete": "Peter", "Barr": "Barry"}
SHARED_NAME = "Alex"
SHARING = 3
MINUTES_A_SCENE, SECONDS_A_LINE = 60, 6


@dataclass(frozen=True, slots=True)
class Meant:
    start: int  # first token
    end: int
    who: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """A line of the series. `scene` counts through; `at` is since the first episode."""

    episode: str
    scene: int
    at: timedelta
    speaker: str
    tokens: tuple[str, ...]
    meant: tuple[Meant, ...]


def read_series(file: Path) -> list[Spoken]:
    """The lines of all episodes in order; of mentions, only proper names of one person."""
    found: list[Spoken] = []
    scene = 0
    for episode in json.loads(file.read_text("utf-8"))["episodes"]:
        name = str(episode["episode_id"])
        first = scene + 1
        day = (int(name[1:3]) - 1) * 365 + (int(name[5:7]) - 20) * 7
        for one in episode["scenes"]:
            scene += 1
            at = timedelta(days=day, minutes=MINUTES_A_SCENE * (scene - first))
            found += [
                _spoken(name, scene, at + timedelta(seconds=SECONDS_A_LINE * n), raw)
                for n, raw in enumerate(one["utterances"])
            ]
    return [line for line in found if line.tokens]


def _spoken(episode: str, scene: int, at: timedelta, raw: Mapping[str, object]) -> Spoken:
    sentences, entities = raw["tokens"], raw["character_entities"]
    speakers = raw["speakers"]
    assert isinstance(sentences, list)
    assert isinstance(entities, list)
    assert isinstance(speakers, list)
    tokens: list[str] = []
    meant: list[Meant] = []
    for sentence, marked in zip(sentences, entities, strict=True):
        for start, end, *who in marked:
            name = [NICKNAMES.get(word, word) for word in sentence[start:end]]
            if len(who) == 1 and set(name) & set(who[0].split()) and name[0][:1].isupper():
                meant.append(Meant(len(tokens) + start, len(tokens) + end, who[0]))
        tokens += sentence
    speaker = speakers[0] if speakers else "somebody"
    return Spoken(episode, scene, at, speaker, tuple(tokens), tuple(meant))


def drawn(series: Sequence[Spoken], seed: int, *, one_episode: bool) -> list[frozenset[str]]:
    """Groups of minor characters who share a name from now on; with `one_episode`, of those
    who are first called by name in the same one."""
    counts = Counter(m.who for line in series for m in line.meant if m.who not in MAIN)
    first = {m.who: line.episode for line in reversed(series) for m in line.meant}
    pools: dict[str, list[str]] = {}
    for who in sorted(who for who, count in counts.items() if count > 1):
        pools.setdefault(first[who] if one_episode else "", []).append(who)
    chance = random.Random(seed)
    groups = []
    for pool in pools.values():
        chance.shuffle(pool)
        groups += [frozenset(pool[n : n + SHARING]) for n in range(0, len(pool), SHARING)]
    return [group for group in groups if len(group) > 1]


def renamed(line: Spoken, group: frozenset[str]) -> str:
    """The text of a line in which all of the group bear the shared name."""
    words = list(line.tokens)
    for meant in line.meant:
        if meant.who in group:
            words[meant.start : meant.end] = [SHARED_NAME] + [""] * (meant.end - meant.start - 1)
    text = " ".join(word for word in words if word)
    text = re.sub(r"\s+(n't|'\w+|[,.!?;:])", r"\1", text)
    return text.replace("`` ", '"').replace(" ''", '"')
