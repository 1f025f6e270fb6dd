"""What stands around a memory lends it weight: its neighbours, and the sitting it belongs to.

An answer rarely repeats the question before it: "It's Miso" is found by "What is your cat
called?" one line above. And a conversation in which much fits is likely the one that is meant.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from bot.memory import Beside, Event, Precision

NEXT: Final = {1: 0.35, -1: 0.15, 2: 0.15, -2: 0.05}
"""What a match lends to the line so many steps after it (before it, if negative)."""

REACH: Final = 2
"""As many lines on either side count."""

LENDERS: Final = 40
"""So many of the best matches lend to their neighbours."""

NEIGHBOURS_WITHIN: Final = timedelta(hours=1)
SITTING_GAP: Final = timedelta(hours=3)
"""A pause this long ends a sitting."""

SITTING_BEST: Final = 2
"""A sitting is as good as the mean of this many of its best lines."""


def lent(matches: Mapping[int, float], beside: Sequence[Beside]) -> dict[int, float]:
    """What each event gets from its neighbours: of their own match (0 where it is negative),
    by event id. Lines among which nobody else speaks lend nothing: one entry of a diary says
    nothing of the next."""
    near = [one for one in beside if is_near(one.event, one.to)]
    answered = {one.to.id for one in near if one.event.speaker.id != one.to.speaker.id}
    found: dict[int, float] = {}
    for one in near:
        share = NEXT.get(one.steps, 0.0) * max(matches.get(one.to.id, 0.0), 0.0)
        if share and one.to.id in answered:
            found[one.event.id] = found.get(one.event.id, 0.0) + share
    return found


def is_near(one: Event, other: Event) -> bool:
    """Whether two lines of a place are of one exchange; what is known to the day alone may
    have any order."""
    exact = one.precision is other.precision is Precision.MINUTE
    return exact and abs(one.at - other.at) <= NEIGHBOURS_WITHIN


def sittings(events: Sequence[Event]) -> list[list[Event]]:
    """The events by the sitting they belong to: one place without a long pause."""
    timed = [event for event in events if event.precision is Precision.MINUTE]
    found = [[event] for event in events if event.precision is not Precision.MINUTE]
    last: Event | None = None
    for event in sorted(timed, key=lambda e: (e.place_id, e.at, e.id)):
        if last and last.place_id == event.place_id and event.at - last.at <= SITTING_GAP:
            found[-1].append(event)
        else:
            found.append([event])
        last = event
    return found


def worth(scores: Mapping[int, float], sitting: Sequence[Event]) -> float:
    """How good a sitting is: the mean of its best lines, 0 for those it lacks."""
    best = sorted((max(scores[event.id], 0.0) for event in sitting), reverse=True)
    return sum(best[:SITTING_BEST]) / SITTING_BEST
