"""What a question sets its answer against: "the walk, not the funeral", "before the wedding".

A sentence encoder takes "not the funeral" for a wish to hear of the funeral. So the part that
a question rules out is searched by itself, and what fits it best steps back; of what was
*before* something, that thing itself is not meant, but what is older. Questions alone are
read so: in a statement ("we had dinner before the film") both parts are the topic.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.memory import Candidate, Event
from bot.recall.scale import Scale

_PART: Final = r"[^,;:()—\u2013?!？！，；：。]"
_UP_TO: Final = rf"({_PART}{{3,200}})"
_UP_TO_ZH: Final = rf"({_PART}{{1,60}})"
_DET: Final = (
    r"(?=(?:the|a|an|that|this|those|my|your|his|her|our|their|its|when|just|later|any|merely"
    r"|simply|only)\b)"
)
_DET_ES: Final = r"(?=(?:el|la|los|las|un|una|aquel|aquella|mi|tu|su|cuando|solo)\b)"

_RULED_OUT: Final = re.compile(
    rf"(?:[—\u2013,;(-]\s*|\b(?:and|but)\s+)not\s+{_DET}{_UP_TO}"
    r"|\b(?:rather than|instead of|as opposed to|other than|unlike"
    rf"|(?:distinct|different|apart) from)\s+{_UP_TO}"
    rf"|(?:[—\u2013,;(-]\s*|\by\s+)no\s+{_DET_ES}{_UP_TO}|\ben (?:vez|lugar) de\s+{_UP_TO}"
    rf"|(?:而不是|，不是|除了){_UP_TO_ZH}",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    r"\b(?:before|preced(?:ed|es|ing)|prior to|led to|leading to|until|ahead of)\s+"
    rf"{_UP_TO}|\bantes de(?:l| que)?\s+{_UP_TO}|(?:在)?([^，。？！；：]{{2,60}}?)(?:之前|以前)",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？\n])")

RULED_OUT: Final = 1.0
"""Against a memory, for each standard score by which it fits what is ruled out. With the two
below tuned on the `emotional_memory` scenarios (400 questions): top-1 .48 without, .64 with
them, hardly different between half and twice of each."""

ITSELF: Final = 1.0
"""The same for that before which something was."""

OLDER: Final = 1.0
"""For what is older than that, and against what is newer."""

FOUND: Final = 2.0
"""Standard scores from which a memory is the thing that a question names."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """The phrases that a question rules out, and that are newer than what it asks for."""

    ruled_out: str = ""
    before: str = ""

    @property
    def phrases(self) -> list[str]:
        return [phrase for phrase in (self.ruled_out, self.before) if phrase]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrasted:
    """Cosines to those phrases, by event id, for the events that are nearest to them."""

    ruled_out: Mapping[int, float]
    before: Mapping[int, float]


def contrast(text: str) -> Contrast:
    """What the last question in a text sets its answer against; nothing in most texts."""
    asked = [one for one in _SENTENCE.split(text) if one.endswith(("?", "？"))]
    if not asked:
        return Contrast()
    return Contrast(_phrase(_RULED_OUT, asked[-1]), _phrase(_BEFORE, asked[-1]))


def _phrase(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return next((part.strip() for part in match.groups() if part), "") if match else ""


def contrasted(contrast: Contrast, found: Sequence[Sequence[Candidate]]) -> Contrasted:
    """From what was found for each of the phrases, in their order."""
    cosines = [{c.event.id: c.semantic for c in one if c.semantic is not None} for one in found]
    by_phrase = dict(zip(contrast.phrases, cosines, strict=True))
    return Contrasted(
        ruled_out=by_phrase.get(contrast.ruled_out, {}), before=by_phrase.get(contrast.before, {})
    )


def set_against(
    events: Sequence[Event], against: Contrasted | None, scale: Scale
) -> dict[int, float]:
    """What each event gains or loses by what it is set against, by event id."""
    if against is None:
        return {}
    anchor = _anchor(events, against.before, scale)
    return {
        event.id: -RULED_OUT * _fit(event, against.ruled_out, scale)
        - ITSELF * _fit(event, against.before, scale)
        + (OLDER * ((event.at < anchor.at) - (event.at > anchor.at)) if anchor else 0.0)
        for event in events
    }


def _fit(event: Event, cosines: Mapping[int, float], scale: Scale) -> float:
    cosine = cosines.get(event.id)
    return 0.0 if cosine is None else max(scale.of(cosine), 0.0)


def _anchor(events: Sequence[Event], cosines: Mapping[int, float], scale: Scale) -> Event | None:
    """The memory of what a question names, if there is one."""
    best = max(events, key=lambda e: (cosines.get(e.id, -1.0), -e.id), default=None)
    return best if best and scale.of(cosines.get(best.id, -1.0)) >= FOUND else None
