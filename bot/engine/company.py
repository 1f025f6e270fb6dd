"""Several personas in one place: who is there, and when one of them answers another."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from bot.attention import Talk, who_is_next
from bot.called import called_together
from bot.clock import Clock
from bot.engine.conversations import Conversations, Waiting
from bot.engine.limits import Limits
from bot.house.house import House
from bot.memory import Event, Turn
from bot.messages import Message
from bot.persona import Persona
from bot.ports import Send, Storage
from bot.safety import SAFETY
from bot.text import clean_name
from bot.world import AccountKey, AgentKind, Answers, Place

MINUTE = timedelta(minutes=1)
SPARE_LINES = 12
"""People's lines between those of the personas, when the last minute is looked at."""


class Company:
    """Knows the personas of each place. Holds no state: who is next is told by the store."""

    def __init__(
        self,
        *,
        storage: Storage,
        house: House,
        personas: Mapping[str, Persona],
        default: str,
        clock: Clock,
        limits: Limits,
    ) -> None:
        self._storage = storage
        self._house = house
        self._personas = personas
        self._default = default
        self._clock = clock
        self._limits = limits

    def present(self, named: str | None, place: Place | None) -> list[Persona]:
        """The personas that may speak in a place, its own first and the one named before it;
        never empty. In a DM there is one."""
        chosen = place.personas if place is not None else ()
        keys = dict.fromkeys([*([named] if named else []), *chosen])
        found = [self._personas[key] for key in keys if key in self._personas]
        if place is not None and place.is_dm:
            found = found[:1]
        return found or [self._personas[self._default]]

    async def replied_to(self, message: Message, place: Place) -> str | None:
        """The key of the persona whose words the message replies to, where there is more than
        one and the platform does not tell."""
        if not message.replies_to_me or message.reply_to is None or len(place.personas) < 2:
            return None
        turn = await self._storage.turn_of_reply(place.where.key, message.reply_to)
        present = self.present(None, place)
        return next((p.key for p in present if turn and p.name == turn.persona.name), None)

    def note(self, persona: Persona, turn: Turn, window: Sequence[Event]) -> str:
        """What the prompt says of the other personas in the place, and of a person who spoke to
        this one as well and was answered by another first."""
        present = self.present(None, turn.place)
        others = [one.name for one in present if one.key != persona.key]
        if not others or turn.place.is_dm:
            return ""
        names = ", ".join(others)
        return (
            f"# Also here\n{names}. Leave their lines to them; name one of them only if you want "
            f"an answer of theirs.{_called_as_well(persona, present, turn, window)}"
        )

    async def next_speaker(self, turn: Turn) -> str | None:
        """The key of the persona that the reply of a turn speaks to and that shall answer it;
        None if it speaks to none, or the limits and the rules of the house say enough."""
        reply, place = turn.reply, turn.place
        if reply is None or turn.failed or turn.strategy == SAFETY or place.is_dm:
            return None
        present = self.present(None, place)
        if len(present) < 2 or not self._limits.persona_turns:
            return None
        lines = await self._storage.window(
            place.id,
            before=reply.at + timedelta(microseconds=1),
            limit=max(self._limits.persona_turns, self._limits.persona_turns_per_minute)
            + SPARE_LINES,
        )
        talk = Talk(reply=reply, answers=turn.said, lines=lines)
        chosen = who_is_next(
            talk,
            present,
            in_a_row=self._limits.persona_turns,
            in_a_minute=self._limits.persona_turns_per_minute,
        )
        return chosen.key if chosen is not None and await self._may_speak(chosen, place) else None

    async def _may_speak(self, persona: Persona, place: Place) -> bool:
        rules = await self._house.rules(place)
        if place.asleep or rules.speak is Answers.NEVER:
            return False
        nobody = AccountKey(platform="persona", user=persona.key)
        return not await self._house.why_no_model(nobody, place)

    async def pass_on(self, turn: Turn, send: Send, conversations: Conversations) -> None:
        """If the reply of a sent turn waits for another persona, it is on its way there."""
        if turn.reply is None or turn.place.is_dm or len(turn.place.personas) < 2:
            return
        for waiting in await self.waiting(turn, send):
            if not conversations.waiting_for(waiting.event.id, waiting.persona.key):
                conversations.add(waiting)

    async def waiting(self, turn: Turn, send: Send) -> Sequence[Waiting]:
        """The reply, as what it is to the persona that is to answer it."""
        assert turn.reply is not None
        others = [p for p in self.present(None, turn.place) if p.name != turn.persona.name]
        return [
            Waiting.made(
                event=one.event,
                place=one.place,
                persona=persona,
                send=send,
                message_id=one.message_id,
            )
            for persona in others
            for one in await self._storage.pending(turn.place.id, persona.key)
            if one.event.id == turn.reply.id
        ]


def _called_as_well(
    persona: Persona, present: Sequence[Persona], turn: Turn, window: Sequence[Event]
) -> str:
    """A sentence about the person whose call another persona answered first; usually empty."""
    if any(event.speaker.kind is not AgentKind.PERSONA for event in turn.said):
        return ""
    asked = next((e for e in reversed(window) if e.speaker.kind is AgentKind.PERSON), None)
    if asked is None or persona.key not in {p.key for p in called_together(asked.text, present)}:
        return ""
    if any(e.speaker.id == turn.persona.id for e in window if e.id > asked.id):
        return ""  # and answered it already
    who = clean_name(asked.speaker_name)
    return f" {who} spoke to you as well: answer {who} too."
