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

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from adapters.embedder import load_embedder
from benchmarks.cached import CachedEmbedder
from benchmarks.names_series import SHARED_NAME, SHARING, Spoken, drawn, read_series, renamed
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
ROUNDS = 8
PROFILE = 60
"""Of a bearer, so many of the newest lines are looked at, as in the program."""

BEGAN = datetime(1995, 5, 4, 20, 0, tzinfo=UTC)


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
