"""Who is spoken to: whether a message wants an answer, and from which persona."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.messages import Message
from bot.persona import Persona
from bot.text import mentions_name
from bot.world import Answers, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """Either the persona that answers, or why nobody does."""

    persona: Persona | None = None
    reason: str = ""


def who_answers(message: Message, place: Place, present: Sequence[Persona]) -> Attention:
    """Decides from what the platform knows (mention, reply) and from names in the text.

    `present` are the personas that may speak there, the place's own first; not empty.
    """
    if place.asleep or place.answers is Answers.NEVER:
        return Attention(reason="asleep here")
    named = [p for p in present if any(mentions_name(message.text, name) for name in p.names)]
    own = next((p for p in present if p.key == message.persona), present[0])
    if place.is_dm or place.answers is Answers.ALWAYS or message.mentions_me:
        return Attention(persona=named[0] if named and not place.is_dm else own)
    if message.replies_to_me:
        return Attention(persona=own)
    if named:
        return Attention(persona=named[0])
    return Attention(reason="not addressed")


def said_text(message: Message) -> str:
    """What the message says, with a line for each attachment. Empty if it says nothing."""
    parts = [message.text.strip()]
    for attachment in message.attachments:
        parts.append(f"[{attachment.description}]")
        if attachment.text:
            parts.append(attachment.text.strip())
    return "\n".join(part for part in parts if part)
