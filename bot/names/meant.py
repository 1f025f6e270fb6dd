"""Whom a name means: the decision among those who bear it (paragraphs 37 to 40)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from bot.names.apart import told_of, why_apart
from bot.names.profile import Bearer, Context, Signs, signs, tellings_of
from bot.names.said import NameSaid
from bot.names.values import Decision, Outcome

SAME: Final = 0.8
AGE: Final = -0.5
NEWEST: Final = 0.35
TOLD: Final = 1.0
PERSON: Final = 0.3
WORDS: Final = 0.4
COMPANY: Final = 0.6
LIKENESS: Final = 1.1
SOMEBODY_NEW: Final = -0.3
SILENT: Final = 0.4
"""What each sign adds to the log odds of a bearer, and what speaks for somebody new: always,
and where none of the bearers was in this sitting. A conditional logit fitted to the renamed
characters of `friends` (its development part), rounded."""

RELATION: Final = 2.0
"""The speaker calls this bearer by the very relation, or by another one (then it counts
against); set by hand: the data has too few such lines."""

AT_HOME: Final = 1.5
"""Whoever has an account and talks in this place is meant rather than a stranger."""

CALLED: Final = 2.0
"""Whoever is called out is somebody who talks here now."""

_NEVER: Final = datetime.min.replace(tzinfo=UTC)

MARGIN: Final = 0.5
"""Two options nearer than this cannot be told apart: it is asked."""


@dataclass(frozen=True, slots=True)
class _Option:
    """`bearer` None is somebody new."""

    bearer: Bearer | None
    score: float


def decide(said: NameSaid, context: Context, bearers: Sequence[Bearer]) -> Decision:
    """Whom the name means in this line.

    Nobody is meant by name alone: a bearer whom the line excludes (the speaker, one who was
    elsewhere at that time, the one meant last by "the other Alex") is out. Of the others the
    likeliest is meant; where two are about as likely, it stays open.
    """
    apart = {b.agent.id: why_not(said, context, b, bearers) for b in bearers}
    possible = [b for b in bearers if not apart[b.agent.id]]
    if not possible and not (said.is_introduced or said.is_other):
        own = [b.agent.id for b in bearers if b.agent.id == context.event.speaker.id]
        if own and len(bearers) == 1:  # "Dan is not moving", says Dan
            return Decision(outcome=Outcome.RESOLVED, agent=own[0], why="the speaker's own name")
    if said.is_introduced or not possible:
        why = "introduced" if said.is_introduced else "; ".join(filter(None, apart.values()))
        return Decision(outcome=Outcome.NEW, why=why or "nobody known")
    ranked = _ranked(said, context, possible)
    best = ranked[0]
    near = [o for o in ranked if best.score - o.score < MARGIN]
    rivals = tuple(o.bearer.agent.id for o in ranked if o.bearer is not None and o in near)
    if len(rivals) > 1 or (len(near) > 1 and len(bearers) > 1):
        return Decision(outcome=Outcome.AMBIGUOUS, rivals=rivals, why="about as likely")
    if best.bearer is None and len(near) == 1:
        return Decision(outcome=Outcome.NEW, why="fits nobody known")
    meant = best.bearer or next(o.bearer for o in near if o.bearer is not None)
    others = [why for why in apart.values() if why]
    why = others[0] if others and len(possible) == 1 else "likeliest"
    return Decision(outcome=Outcome.RESOLVED, agent=meant.agent.id, why=why)


def likeliest(said: NameSaid, context: Context, bearers: Sequence[Bearer]) -> int | None:
    """The best guess where nobody can be asked: a bearer, or None for somebody new."""
    decision = decide(said, context, bearers)
    if decision.outcome is Outcome.AMBIGUOUS:
        possible = [b for b in bearers if not why_not(said, context, b, bearers)]
        best = _ranked(said, context, possible)[0].bearer
        return None if best is None else best.agent.id
    return decision.agent


def why_not(said: NameSaid, context: Context, bearer: Bearer, bearers: Collection[Bearer]) -> str:
    """What excludes a bearer; empty if nothing does."""
    if bearer.agent.id == context.event.speaker.id:
        return "nobody speaks of themselves so"
    if said.is_other and len(bearers) > 1:
        newest = max(bearers, key=lambda b: max((a.event.at for a in b.lines), default=_NEVER))
        if newest is bearer:
            return "the other one"
    told = told_of(context.event, said.name)
    return why_apart(told, bearer.lines, [said.name, bearer.agent.name]) if told else ""


def _ranked(said: NameSaid, context: Context, possible: Sequence[Bearer]) -> list[_Option]:
    tellings = tellings_of(possible)
    found = {b.agent.id: signs(b, context, tellings) for b in possible}
    youngest = min(one.age for one in found.values())
    options = [
        _Option(b, _score(said, b, found[b.agent.id], is_newest=found[b.agent.id].age <= youngest))
        for b in possible
    ]
    silent = not any(one.same for one in found.values())
    new = SOMEBODY_NEW + SILENT * silent
    if said.relation and any(b.relation for b in possible):
        new += RELATION / 2
    options.append(_Option(None, new))
    return sorted(options, key=lambda o: -o.score)


def _score(said: NameSaid, bearer: Bearer, fits: Signs, *, is_newest: bool) -> float:
    score = (
        SAME * fits.same
        + AGE * (fits.age if bearer.lines else 0)
        + NEWEST * is_newest
        + TOLD * fits.told
        + PERSON * fits.person
        + WORDS * fits.words
        + COMPANY * fits.company
        + LIKENESS * fits.likeness
        + AT_HOME * bearer.lives_here
    )
    if said.relation and bearer.relation:
        score += RELATION if said.relation == bearer.relation else -RELATION
    if said.is_called and bearer.agent.kind != "third_party" and fits.same:
        score += CALLED
    return score
