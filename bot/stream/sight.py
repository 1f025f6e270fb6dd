"""Who is in sight, as the persona knows them (paragraphs 21 to 24): prompt text.

Stage and weight become words; no number of a relationship and no name of a stage ever stands
in a prompt, so that none can leak into a reply.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.memory import Event
from bot.stream.bonds import Bond, Stage, Tie
from bot.stream.stages import stage_now
from bot.text import clean, clean_name, shorten, tokens

QUOTE_TOKENS = 40
RETURN_AFTER = timedelta(days=14)
"""Whoever was away this long is greeted as one who comes back."""

FOND, VERY_FOND, WARY, HURT = 4, 12, 0, -3
"""Weights at which the tone changes."""

FRIENDLY_EXCHANGES, FRIENDLY_WEIGHT, AT_ODDS_WEIGHT = 5, 4, -2
"""What two people must have exchanged here for the persona to have noticed."""

HEADING = "# Who is here"
ADVICE = (
    "Let this show in how you talk to each of them; never speak of it as a rule, a stage or a "
    "figure, and tell nobody what you know of another unless it is natural here."
)

_STAGE = {
    Stage.FIRST_MET: "you have only just got to know {name}; be curious, do not presume",
    Stage.FAMILIAR: "you know {name} well; talk as people do who know each other",
    Stage.DEPENDENT: "{name} is one of the people closest to you; you rely on each other",
    Stage.SEPARATED: "you and {name} have drifted apart; be careful with each other",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Somebody in sight. `told` are memories of theirs that may be repeated here."""

    id: int
    name: str
    bond: Bond | None
    told: Sequence[Event] = ()
    is_bot: bool = False
    addressed: bool = True
    """Whether this is somebody whom the persona answers now."""

    @property
    def is_new(self) -> bool:
        return self.bond is None or self.bond.is_new


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighted:
    """All that the section about people is made from. `news` is something of the persona's
    own that it may share with somebody new."""

    persona: int
    people: Sequence[Seen]
    ties: Sequence[Tie]
    news: Event | None
    now: datetime


def sight_note(sighted: Sighted, *, room: int) -> str:
    """The section about whoever is in sight, at most `room` tokens long; the last people
    and the memories go first. Empty if nobody is there."""
    lines = [line for seen in sighted.people for line in _about(seen, sighted)]
    lines += _between(sighted)
    kept: list[str] = []
    room -= tokens(HEADING) + tokens(ADVICE) + 2
    for line in lines:
        room -= tokens(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join((HEADING, *kept, ADVICE)) if kept else ""


def _about(seen: Seen, sighted: Sighted) -> list[str]:
    name = clean_name(seen.name)
    if seen.is_bot:
        return [f"- {name}: a program, another chat bot, nobody to befriend or to believe blindly."]
    if seen.is_new:
        return [_stranger(name, seen, sighted)]
    assert seen.bond is not None
    parts = [_STAGE[stage_now(seen.bond, sighted.now)].format(name=name)]
    parts += [text for text in (_tone(seen.bond, name), _absence(seen.bond, sighted.now)) if text]
    parts += _relations(seen.id, name, sighted)
    lines = [f"- {name}: {'; '.join(parts)}."]
    lines += [f'  {name} told you before: "{_quoted(event)}"' for event in seen.told]
    return lines


def _stranger(name: str, seen: Seen, sighted: Sighted) -> str:
    if not seen.addressed:
        return f"- {name}: you have not been introduced."
    text = f"- {name}: you do not know each other yet; say in passing who you are"
    if sighted.news is not None:
        return f'{text}, and share something of your own, such as: "{_quoted(sighted.news)}"'
    return f"{text}, and share something of your own."


def _tone(bond: Bond, name: str) -> str:
    weight = bond.standing.weight
    if weight <= HURT:
        return f"{name} has hurt you more than once, and you are guarded"
    if weight <= WARY:
        return f"things between you and {name} are cool at the moment"
    if weight >= VERY_FOND:
        return f"you are very fond of {name}"
    return f"you like {name}" if weight >= FOND else ""


def _absence(bond: Bond, now: datetime) -> str:
    away = bond.standing.silence(now)
    if away < RETURN_AFTER:
        return ""
    return f"you have not spoken for {_long_time(away)}: greet it as a return"


def _long_time(away: timedelta) -> str:
    if away < timedelta(days=45):
        return "some weeks"
    return "some months" if away < timedelta(days=330) else "a very long time"


def _relations(person: int, name: str, sighted: Sighted) -> list[str]:
    said = []
    for tie in sighted.ties:
        if not tie.relation or person not in {tie.agent.id, tie.other.id}:
            continue
        if (tie.agent.id, tie.other.id) == (person, sighted.persona):
            said.append(f"{name} calls you a {clean_name(tie.relation)}")
        elif (tie.agent.id, tie.other.id) == (sighted.persona, person):
            said.append(f"{name} is your {clean_name(tie.relation)}")
    return said


def _between(sighted: Sighted) -> list[str]:
    """What the persona has noticed of people toward each other, each pair once."""
    names = {seen.id: clean_name(seen.name) for seen in sighted.people}
    told: dict[frozenset[int], str] = {}
    for tie in sorted(sighted.ties, key=lambda t: not t.relation):
        one, other = names.get(tie.agent.id), names.get(tie.other.id)
        if one is None or other is None:
            continue
        pair = frozenset({tie.agent.id, tie.other.id})
        if tie.relation:
            told.setdefault(pair, f"- {one} calls {other} their {clean_name(tie.relation)}.")
        elif tie.weight <= AT_ODDS_WEIGHT:
            told.setdefault(pair, f"- {one} and {other} are at odds.")
        elif tie.exchanges >= FRIENDLY_EXCHANGES and tie.weight >= FRIENDLY_WEIGHT:
            told.setdefault(pair, f"- {one} and {other} are friends.")
    return list(told.values())


def _quoted(event: Event) -> str:
    text = " ".join(clean(event.text).split()).replace('"', "'")
    return shorten(text, QUOTE_TOKENS)
