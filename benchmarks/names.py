"""Who is meant by a name: minor characters of a series, renamed to shared first names.

Built from `friends` (character-identification-dev.json, who is meant by each mention). Minor
characters who are called by name twice or more get one first name in groups of `SHARING`;
then the program's own code reads the series line by line and says whom the name means each
time: a bearer known by then, or somebody new. Groups are drawn anew in every round.

*told*: after each mention everybody learns who it was, as where people answer "which Alex?".
*alone*: each goes on with its own decisions. The baselines take the most recent or the most
frequent bearer, and somebody new only where there is none yet. Accuracy counts a mention as
right where it is given to the right person, or rightly to somebody new; `known` leaves first
mentions out; `asked` is the share in which the program would ask (it is scored by its guess).
The constants of the decision were fitted to this development part.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from adapters.embedder import load_embedder
from benchmarks.cached import CachedEmbedder
from benchmarks.record import Options, Record, Row, bootstrap
from bot.memory import Event, EventKind, Vector
from bot.names.forms import skeleton
from bot.names.meant import decide, likeliest
from bot.names.profile import AT_HOME_FOR, About, Bearer, Context
from bot.names.said import NameSaid, names_said
from bot.names.values import Outcome
from bot.passages import passage
from bot.world import Agent, AgentKind

FILE = "friends/character-identification-dev.json"
MAIN = frozenset(
    {
        "Ross Geller", "Rachel Green", "Monica Geller", "Chandler Bing", "Joey Tribbiani",
        "Phoebe Buffay",
    }
)  # fmt: skip
NICKNAMES = {"Pete": "Peter", "Barr": "Barry"}
SHARED_NAME = "Alex"
SHARING = 3
ROUNDS = 8
PROFILE = 60
"""Of a bearer, so many of the newest lines are looked at, as in the program."""

MINUTES_A_SCENE, SECONDS_A_LINE = 60, 6
BEGAN = datetime(1995, 5, 4, 20, 0, tzinfo=UTC)


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


@dataclass(slots=True)
class Judged:
    """One mention: what was given and what was true. `known`: the bearer was known by then."""

    group: int
    truth: str
    given: str
    right: bool
    known: bool
    asked: bool = False


@dataclass(slots=True)
class World:
    """What is known of the bearers of the shared name while the series goes on."""

    lines: dict[str, list[About]] = field(default_factory=dict)
    really: dict[str, str] = field(default_factory=dict)  # by agent
    circle: dict[str, set[str]] = field(default_factory=dict)
    spoke: set[str] = field(default_factory=set)

    def note(self, agent: str, about: About, who: str) -> None:
        self.lines.setdefault(agent, []).append(about)
        self.really.setdefault(agent, who)


Chooser = Callable[[NameSaid, Context, World, "Ids"], tuple[str | None, bool]]
"""Whom a name means (None: somebody new), and whether it would have been asked."""


async def run(options: Options) -> Record | None:
    """The file of the folder `friends` under the data folder."""
    file = options.data / FILE if options.data else None
    if file is None or not file.is_file():
        options.say(f"names: no {FILE} under --data; skipped.")
        return None
    series = read_series(file)[: options.limit]
    vectors = Vectors()
    rounds = {
        "any episodes": [drawn(series, options.seed + n, one_episode=False) for n in range(ROUNDS)],
        "one episode": [drawn(series, options.seed + n, one_episode=True) for n in range(ROUNDS)],
    }
    async with load_embedder("bundled") as embedder:
        cached = CachedEmbedder(embedder, options.cache, options.progress)
        for every_round in rounds.values():
            await vectors.make(series, every_round, cached)
        cached.save()
    rows, mentions = [], 0
    for subset, draws in rounds.items():
        for name, choose in CHOOSERS.items():
            for told in (True, False):
                judged: list[Judged] = []
                for number, groups in enumerate(draws):
                    options.progress(f"{subset}: {name}", number + 1, ROUNDS)
                    for group in groups:
                        judged += play(series, group, choose, vectors, told=told,
                                       number=len(judged))  # fmt: skip
                mentions = max(mentions, len(judged))
                rows.append(row_of(name, f"{subset}, {'told' if told else 'alone'}", judged,
                                   options.seed))  # fmt: skip
    settings: Mapping[str, object] = {"rounds": ROUNDS, "sharing": SHARING, "profile": PROFILE}
    return Record(bench="names", n=mentions, seed=options.seed, settings=settings, rows=rows)


# -- the series ----------------------------------------------------------------------------
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


# -- playing -------------------------------------------------------------------------------
class Vectors:
    """What the program would have stored for each line: one vector per text."""

    def __init__(self) -> None:
        self._known: dict[str, Vector] = {}

    async def make(
        self, series: Sequence[Spoken], rounds: Sequence[Sequence[frozenset[str]]],
        embedder: CachedEmbedder,
    ) -> None:  # fmt: skip
        texts = {passage(x.speaker, renamed(x, frozenset())) for x in series}
        for groups in rounds:
            for group in groups:
                texts |= {
                    passage(called(line.speaker, group), renamed(line, group))
                    for line in series
                    if line.speaker in group or any(m.who in group for m in line.meant)
                }
        wanted = sorted(texts - set(self._known))
        rows = await embedder.embed(wanted, kind="passage")
        self._known |= dict(zip(wanted, rows, strict=True))

    def of(self, event: Event) -> Vector | None:
        return self._known.get(passage(event.speaker_name, event.text))


class Ids:
    """Numbers for agents, who are names in the data."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def of(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers) + 1)


def called(name: str, group: frozenset[str]) -> str:
    return SHARED_NAME if name in group else name


def play(
    series: Sequence[Spoken],
    group: frozenset[str],
    choose: Chooser,
    vectors: Vectors,
    *,
    told: bool,
    number: int,
) -> list[Judged]:
    """Reads the whole series with one group renamed; `number` tells groups apart."""
    world, ids, judged = World(), Ids(), list[Judged]()
    sitting: list[Event] = []
    for at, line in enumerate(series):
        if at and series[at - 1].scene != line.scene:
            sitting = []
        event = event_of(line, at, group, ids)
        context = Context(event=event, before=sitting, vector=vectors.of(event),
                          hidden=frozenset({skeleton(SHARED_NAME)}))  # fmt: skip
        about = About(event=event, by_bearer=False, vector=context.vector)
        truths = list(dict.fromkeys(m.who for m in line.meant if m.who in group))
        for truth in truths:
            given, asked = choose(said_in(event.text), context, world, ids)
            known = truth in world.really.values()
            agent = given or f"new {number} {len(judged)}"
            right = world.really.get(agent) == truth if given else not known
            judged.append(Judged(number, truth, agent, right, known, asked))
            world.note(truth if told else agent, about, truth)
        if line.speaker in group:
            world.spoke.add(line.speaker)
            world.note(line.speaker, About(event=event, by_bearer=True, vector=context.vector),
                       line.speaker)  # fmt: skip
        exchange(world, line.speaker, sitting[-1].speaker.name if sitting else "")
        sitting.append(event)
    return judged


def event_of(line: Spoken, number: int, group: frozenset[str], ids: Ids) -> Event:
    return Event(
        id=number,
        kind=EventKind.MESSAGE,
        at=BEGAN + line.at,
        place_id=1,
        place_name="",
        speaker=Agent(id=ids.of(line.speaker), kind=AgentKind.PERSON, name=line.speaker),
        speaker_name=called(line.speaker, group),
        text=renamed(line, group),
    )


def said_in(text: str) -> NameSaid:
    """The shared name as the program reads it in the line."""
    form = skeleton(SHARED_NAME)
    found = [said for said in names_said(text, {form}) if said.form == form]
    return found[0] if found else NameSaid(name=SHARED_NAME, form=form, position=0)


def exchange(world: World, one: str, other: str) -> None:
    """Whoever speaks next in a scene answers: both belong to each other's circle."""
    if other and one != other:
        world.circle.setdefault(one, set()).add(other)
        world.circle.setdefault(other, set()).add(one)


# -- choosers ------------------------------------------------------------------------------
def program(said: NameSaid, context: Context, world: World, ids: Ids) -> tuple[str | None, bool]:
    """The program's own decision; where it would ask, its best guess."""
    names = {ids.of(agent): agent for agent in world.lines}
    bearers = [bearer(agent, world, ids, context.event.at) for agent in world.lines]
    if not bearers:
        return None, False
    guess = likeliest(said, context, bearers)
    asked = decide(said, context, bearers).outcome is Outcome.AMBIGUOUS
    return (None if guess is None else names[guess]), asked


def bearer(agent: str, world: World, ids: Ids, now: datetime) -> Bearer:
    spoke = agent in world.spoke
    spoken = [a.event.at for a in world.lines[agent] if a.by_bearer]
    kind = AgentKind.PERSON if spoke else AgentKind.THIRD_PARTY
    return Bearer(
        agent=Agent(id=ids.of(agent), kind=kind, name=SHARED_NAME),
        lines=world.lines[agent][-PROFILE:],
        circle=frozenset(ids.of(one) for one in world.circle.get(agent, ())),
        lives_here=bool(spoken) and now - spoken[-1] <= AT_HOME_FOR,
    )


def most_recent(
    said: NameSaid, context: Context, world: World, ids: Ids
) -> tuple[str | None, bool]:
    """Whoever spoke or was meant last."""
    del said, context, ids
    newest = max(world.lines, key=lambda one: world.lines[one][-1].event.id, default=None)
    return newest, False


def most_frequent(
    said: NameSaid, context: Context, world: World, ids: Ids
) -> tuple[str | None, bool]:
    """Whoever spoke or was meant most often."""
    del said, context, ids
    return max(world.lines, key=lambda one: len(world.lines[one]), default=None), False


CHOOSERS: Mapping[str, Chooser] = {
    "program": program,
    "most recent": most_recent,
    "most frequent": most_frequent,
}


# -- measures ------------------------------------------------------------------------------
def row_of(name: str, subset: str, judged: Sequence[Judged], seed: int) -> Row:
    right = [float(one.right) for one in judged]
    known = [float(one.right) for one in judged if one.known]
    return Row(
        name=name,
        subset=subset,
        metrics={
            "accuracy": float(np.mean(right)),
            "known": float(np.mean(known)),
            "B-cubed F1": b_cubed(judged),
            "asked": float(np.mean([one.asked for one in judged])),
        },
        interval={"accuracy": bootstrap(right, seed)},
    )


def b_cubed(judged: Sequence[Judged]) -> float:
    """F1 of the mean precision and recall of every mention's cluster, within its group."""
    given, truth = Counter[tuple[int, str]](), Counter[tuple[int, str]]()
    both = Counter[tuple[int, str, str]]()
    for one in judged:
        given[one.group, one.given] += 1
        truth[one.group, one.truth] += 1
        both[one.group, one.given, one.truth] += 1
    shared = [both[one.group, one.given, one.truth] for one in judged]
    precision = np.mean([n / given[j.group, j.given] for n, j in zip(shared, judged, strict=True)])
    recall = np.mean([n / truth[j.group, j.truth] for n, j in zip(shared, judged, strict=True)])
    return float(2 * precision * recall / (precision + recall))
