"""Commands that show and correct what is remembered: /why, /memories, /correct."""

import re

from bot.commands.call import Answer, Call
from bot.memory import Event, Recalled
from bot.passages import passage
from bot.prompt import when_said
from bot.stream.corrections import matters
from bot.text import clean, shorten
from bot.world import Hearing

SHOWN = 10
MORE_KEPT = "Older ones are kept too: /memories and a word finds them, /export gives you all."
NEAREST = 20
QUOTE_TOKENS = 40
SAME_STATEMENT = {"all-MiniLM-L6-v2": 0.55, "multilingual-e5-small-q4": 0.93}
"""Cosine from which two statements fill the same place ("I live in Paris", "I live in Lyon":
.61 with MiniLM; "My mother lives in Paris": .39). E5's cosines bunch, hence its own figure."""

SAME_STATEMENT_ELSEWHERE = 0.7
"""The same for encoders that were not measured: rather too little than too much."""


async def why(call: Call) -> Answer:
    """What was recalled for the last reply here, and the numbers behind it."""
    turn = await call.desk.storage.last_turn(call.place.id, call.persona.key)
    if turn is None:
        return Answer(text=f"{call.persona.name} has not answered here yet.")
    if not turn.recalled:
        return Answer(text="Nothing was recalled for the last reply.")
    rows = [_why_row(r, call.persona.time_zone) for r in turn.recalled]
    head = f"Recalled for the last reply (strategy {turn.strategy}; score = sum of its parts):"
    return Answer(text="\n".join([head, *rows]))


def _why_row(recalled: Recalled, time_zone: str) -> str:
    counted = {name: value for name, value in recalled.parts.items() if abs(value) >= 0.0005}
    parts = ", ".join(f"{name} {value:+.3f}" for name, value in counted.items()) or "nothing"
    return f"{recalled.score:.3f} ({parts}) {_quote(recalled.event, time_zone)}"


async def memories(call: Call) -> Answer:
    """One's own lines as kept, newest first."""
    about = call.args.get("about", "").strip()
    words = (
        await call.desk.storage.own_words(call.person.id, about, None, limit=SHOWN + 1)
        if call.person
        else []
    )
    if not words:
        return Answer(text=f"Nothing of yours is kept{f' about {clean(about)}' if about else ''}.")
    rows = [_quote(event, call.persona.time_zone) for event in words[:SHOWN]]
    more = [MORE_KEPT] if len(words) > SHOWN else []
    return Answer(text="\n".join(["Your own words, newest first:", *rows, *more]))


async def correct(call: Call) -> Answer:
    """A fact about oneself is put right: the old line stays as past, the new one holds."""
    old, new = _split_correction(call.args["fact"])
    if not new:
        return Answer(text="Write what is true now: /correct I live in Lyon (or: old -> new).")
    if call.person is None:
        return Answer(text="Nothing of yours is kept yet; just say it in the conversation.")
    desk, now = call.desk, call.desk.clock.now()
    outdated = await _outdated(call, old, new)
    event = await desk.storage.correction(
        call.person.id, call.place.id, new, now, persona=call.persona.key
    )
    desk.learning.add(event)
    for earlier in outdated:
        await desk.storage.supersede(earlier.id, event.id, now)
    if not outdated:
        return Answer(text=f'Kept: "{clean(new)}". No earlier line of yours says otherwise.')
    rows = [_quote(e, call.persona.time_zone) for e in outdated]
    return Answer(text="\n".join([f'Kept: "{clean(new)}". From now on this is past:', *rows]))


def _split_correction(text: str) -> tuple[str, str]:
    parts = re.split(r"\s*(?:->|=>|→)\s*", text.strip(), maxsplit=1)
    return (parts[0], parts[1]) if len(parts) == 2 else ("", parts[0])


async def _outdated(call: Call, old: str, new: str) -> list[Event]:
    """One's own lines that the correction replaces: they say what `old` says (or, without
    it, fill the same place as `new`), and not the new thing already."""
    about = old or new
    lines = [
        event
        for event in await _own_lines_about(call, about)
        if event.superseded_by is None and event.text.strip() != new.strip()
    ]
    if not lines:
        return []
    embedder = call.desk.embedder
    # without the speaker's name: it is the same in all and would make short lines alike
    vectors = await embedder.embed([about, *(event.text for event in lines)], kind="passage")
    same = SAME_STATEMENT.get(embedder.name, SAME_STATEMENT_ELSEWHERE)
    return [
        event
        for event, cosine in zip(lines, vectors[1:] @ vectors[0], strict=True)
        if cosine >= same or (_of_oneself(event.text) and matters(event.text) & matters(about))
    ]


async def _own_lines_about(call: Call, about: str) -> list[Event]:
    assert call.person is not None
    storage, embedder = call.desk.storage, call.desk.embedder
    vector = (await embedder.embed([passage(call.inbound.author.name, about)], kind="passage"))[0]
    persona = (await storage.persona(call.persona.key, call.persona.name)).id
    found: dict[int, Event] = {}
    for hearing in (
        Hearing(persona=persona, place=call.place.id),
        Hearing(persona=persona, people=(call.person.id,)),
    ):
        near = await storage.nearest(vector, embedder.name, hearing, limit=NEAREST)
        found |= {c.event.id: c.event for c in near}
    return [event for event in found.values() if event.speaker.id == call.person.id]


def _of_oneself(text: str) -> bool:
    """Whether a line is about its speaker and not about somebody of theirs."""
    return (
        re.match(r"(?:I|I['’]\w+|we|yo|vivo|trabajo|soy|me\b|我)(?!\w)", text, re.IGNORECASE)
        is not None
    )


def _quote(event: Event, time_zone: str) -> str:
    past = " (no longer so)" if event.superseded_by is not None else ""
    text = shorten(" ".join(clean(event.text).split()), QUOTE_TOKENS)
    return f'- {when_said(event, time_zone)}, {event.speaker_name}{past}: "{text}"'
