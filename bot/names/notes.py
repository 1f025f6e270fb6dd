"""What a prompt says of names that several people bear."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.names.profile import Bearer
from bot.names.values import Meant, Outcome
from bot.text import clean, clean_name, shorten

HEADING = "# Names that several people bear"
HINT_TOKENS = 30
MOST_NAMED = 3
MOST_BEARERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A name in what is answered that more than one bears. `bearers` may be told of."""

    speaker: str
    meant: Meant
    bearers: Sequence[Bearer]


def names_note(doubts: Sequence[Doubt]) -> str:
    """The section of the prompt; empty without doubts."""
    lines = [line for doubt in doubts[:MOST_NAMED] for line in _lines(doubt)]
    return "\n".join((HEADING, *lines)) if lines else ""


def known_by(bearers: Mapping[str, Sequence[Bearer]]) -> dict[int, str]:
    """Bearers of names for a model to pick from, by id; namesakes with what tells them."""
    return {
        one.agent.id: f"{one.agent.name}, {_who(one)}" if len(group) > 1 else one.agent.name
        for group in bearers.values()
        for one in group
        if not one.left_out
    }


def _lines(doubt: Doubt) -> list[str]:
    name, speaker = clean_name(doubt.meant.said.name), clean_name(doubt.speaker)
    decision = doubt.meant.decision
    if decision.outcome is Outcome.NEW:
        return [f"- By {name}, {speaker} means somebody of whom you had not heard before."]
    if decision.outcome is Outcome.RESOLVED:
        meant = next((b for b in doubt.bearers if b.agent.id == decision.agent), None)
        return [] if meant is None else [f"- By {name}, {speaker} means {_who(meant)}."]
    rivals = [b for b in doubt.bearers if b.agent.id in decision.rivals][:MOST_BEARERS]
    if len(rivals) < 2:
        return []
    return [
        f"- {speaker} speaks of {name}, and you know several: {'; '.join(map(_who, rivals))}. If "
        f"it matters for your answer, ask which {name} is meant; do not guess, and mix nothing "
        "that you know of one with another."
    ]


def _who(bearer: Bearer) -> str:
    """Somebody by what may be told: their own words here, or what was said of them. Hearsay
    that nobody verified stands in a section of its own and describes nobody."""
    told = [a for a in bearer.lines if not a.event.hearsay]
    if not told:
        return "one who talks here" if bearer.lives_here else "one of whom you know nothing else"
    newest = told[-1]
    text = shorten(" ".join(clean(newest.event.text).split()).replace('"', "'"), HINT_TOKENS)
    if newest.by_bearer:
        return f'the one who said "{text}"'
    return f'the one of whom {clean_name(newest.event.speaker_name)} said "{text}"'
