"""Who is spoken to: whether a message wants an answer, and from which persona."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from bot.called import called_together
from bot.memory import Event
from bot.messages import Message
from bot.persona import Persona
from bot.text import place_of_name
from bot.world import Agent, AgentKind, Answers, Place

QUESTIONS = ("?", "\uff1f")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """Either the persona that answers, or why nobody does."""

    persona: Persona | None = None
    reason: str = ""


def who_answers(message: Message, place: Place, present: Sequence[Persona]) -> Attention:
    """Decides from what the platform knows (mention, reply) and from names in the text; with
    other bots from the former alone.

    `present` are the personas that may speak there, the place's own first; not empty.
    """
    if place.asleep or place.answers is Answers.NEVER:
        return Attention(reason="asleep here")
    if message.author.is_bot and not (message.mentions_me or message.replies_to_me):
        return Attention(reason="another bot")
    named = named_in(message.text, present)
    own = next((p for p in present if p.key == message.persona), present[0])
    if place.is_dm or place.answers is Answers.ALWAYS or message.mentions_me:
        return Attention(persona=named[0] if named and not place.is_dm else own)
    if message.replies_to_me:
        return Attention(persona=own)
    if named:
        return Attention(persona=named[0])
    return Attention(reason="not addressed")


def named_in(text: str, present: Sequence[Persona]) -> list[Persona]:
    """Those who are named in a text, whoever is named first before the others."""
    found = []
    for number, persona in enumerate(present):
        places = [place_of_name(text, name) for name in persona.names]
        if standing := [place for place in places if place >= 0]:
            found.append((min(standing), number, persona))
    return [persona for *_, persona in sorted(found, key=lambda one: one[:2])]


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What a persona just said, what it answered with that, and the lines of the place up to
    it (itself the last), oldest first."""

    reply: Event
    answers: Sequence[Event]
    lines: Sequence[Event]


def who_is_next(
    talk: Talk, present: Sequence[Persona], *, in_a_row: int, in_a_minute: int
) -> Persona | None:
    """The other persona that is to answer: one whom a person called as well and who has not
    spoken since, else the one named first, else the one that was answered and is asked back.
    None after `in_a_row` lines of personas without a person's, or when personas spoke
    `in_a_minute` times in the last minute."""
    if said_enough(
        talk.lines,
        AgentKind.PERSONA,
        now=talk.reply.at,
        in_a_row=in_a_row,
        in_a_minute=in_a_minute,
    ):
        return None
    if still_called := _still_called(talk, present):
        return still_called[0]
    others = [one for one in present if not _is(one, talk.reply.speaker)]
    named = named_in(talk.reply.text, others)
    if named or not any(mark in talk.reply.text for mark in QUESTIONS):
        return named[0] if named else None
    last = talk.answers[-1].speaker if talk.answers else None
    return next((one for one in others if last is not None and _is(one, last)), None)


def said_enough(
    lines: Sequence[Event], kind: AgentKind, *, now: datetime, in_a_row: int, in_a_minute: int
) -> bool:
    """Whether those of a kind spoke `in_a_row` times or more since a person last did, or
    `in_a_minute` times in the minute before `now`. `lines` are those of a place, oldest first."""
    alone = takewhile(lambda e: e.speaker.kind is not AgentKind.PERSON, reversed(lines))
    if sum(e.speaker.kind is kind for e in alone) >= in_a_row:
        return True
    since = now - timedelta(minutes=1)
    return sum(e.speaker.kind is kind and e.at > since for e in lines) >= in_a_minute


def _still_called(talk: Talk, present: Sequence[Persona]) -> list[Persona]:
    """Whom the person that was answered (or spoke last) called in one breath with others, as
    far as they have not spoken since."""
    people = [e for e in talk.answers if e.speaker.kind is AgentKind.PERSON]
    asked = people or [e for e in talk.lines if e.speaker.kind is AgentKind.PERSON][-1:]
    return [
        persona
        for line in asked
        for persona in called_together(line.text, present)
        if not any(_is(persona, e.speaker) for e in (*talk.lines, talk.reply) if e.id > line.id)
    ]


def _is(persona: Persona, speaker: Agent) -> bool:
    return speaker.kind is AgentKind.PERSONA and speaker.name == persona.name


def said_text(message: Message) -> str:
    """What the message says, with a line for each attachment. Empty if it says nothing."""
    parts = [message.text.strip()]
    for attachment in message.attachments:
        parts.append(f"[{attachment.description}]")
        if attachment.text:
            parts.append(attachment.text.strip())
    return "\n".join(part for part in parts if part)
