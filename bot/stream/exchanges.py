"""Who answers whom among people in one place.

A reply or a mention says it. Without either, whoever speaks right after somebody answers
them, unless one of the two lines was aimed at somebody else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from bot.memory import Event
from bot.text import mentions_name
from bot.world import AgentKind

ADJACENT = timedelta(minutes=10)
"""A line later than this after another answers it only if it says so."""

LONGEST_RUN = 12
"""So many lines of one side count as what it said."""

SHORTEST_NAME = 2
"""A name of fewer characters is no sign that somebody is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """What one person said and what another answered, both oldest first, never empty."""

    said: tuple[Event, ...]
    answer: tuple[Event, ...]


def answered(lines: Sequence[Event], aimed: Mapping[int, frozenset[int]]) -> Pairing | None:
    """What the newest line answers; None if that is nobody among these people.

    `lines` are the newest of one place, oldest first, the newest last. `aimed` tells at whom
    lines were aimed by reply, mention or by the platform (persons and personas).
    """
    if not lines or lines[-1].speaker.kind is not AgentKind.PERSON:
        return None
    newest = lines[-1]
    whom = _aimed_at(newest, lines, aimed)
    if whom is None:
        whom = _just_spoke(lines, aimed)
    if whom is None:
        return None
    return _runs(lines, whom, newest.speaker.id)


def _aimed_at(
    line: Event, lines: Sequence[Event], aimed: Mapping[int, frozenset[int]]
) -> int | None:
    """The person the line is aimed at who spoke last; -1 if it is aimed elsewhere."""
    targets = aimed.get(line.id, frozenset()) - {line.speaker.id}
    people = [
        e.speaker.id
        for e in reversed(lines[:-1])
        if e.speaker.kind is AgentKind.PERSON and e.speaker.id != line.speaker.id
    ]
    named = {
        e.speaker.id
        for e in lines[:-1]
        if len(e.speaker_name.strip()) >= SHORTEST_NAME and mentions_name(line.text, e.speaker_name)
    }
    found = next((one for one in people if one in targets), None)
    found = found if found is not None else next((one for one in people if one in named), None)
    return found if found is not None else (-1 if targets else None)


def _just_spoke(lines: Sequence[Event], aimed: Mapping[int, frozenset[int]]) -> int | None:
    newest = lines[-1]
    before = next((e for e in reversed(lines[:-1]) if e.speaker.id != newest.speaker.id), None)
    if before is None or before.speaker.kind is not AgentKind.PERSON:
        return None
    targets = aimed.get(before.id, frozenset()) - {before.speaker.id}
    if newest.at - before.at > ADJACENT or (targets and newest.speaker.id not in targets):
        return None
    return before.speaker.id


def _runs(lines: Sequence[Event], one: int, other: int) -> Pairing | None:
    """The last lines of `one`, and those of `other` after them."""
    answer: list[Event] = []
    said: list[Event] = []
    for line in reversed(lines):
        if line.speaker.id == other:
            if said:
                break
            answer.append(line)
        elif line.speaker.id == one:
            said.append(line)
        if len(said) == LONGEST_RUN:
            break
    if not said or not answer:
        return None
    return Pairing(said=tuple(said[::-1]), answer=tuple(answer[::-1][-LONGEST_RUN:]))
