"""One batch of messages becomes one answer: recall, prompt, model, reply, delivery."""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.clock import Clock
from bot.engine.company import Company
from bot.engine.conversations import Waiting
from bot.engine.delivery import Delivery
from bot.engine.limits import Limits
from bot.engine.names import Names
from bot.engine.rumours import Rumours
from bot.engine.scorers import Scorers
from bot.engine.showing import show
from bot.engine.sight import Sight
from bot.engine.speaking import Speaking, Speech
from bot.errors import EmbeddingError, ModelError
from bot.guard import Rules, first_of
from bot.house.house import House
from bot.house.rules import Rules as HouseRules
from bot.house.words import house_notes
from bot.memory import Event, Turn
from bot.messages import Dropped, Thinking
from bot.mood import Mood, for_recall, mood_after, mood_note
from bot.persona import Persona
from bot.ports import ChatModel, Embedder, Send, Storage
from bot.prompt import Scene, build_prompt, expander
from bot.recall import DEFAULT_STRATEGY, Earlier, Mind, Query, bring_to_mind
from bot.recall.surroundings import SITTING_GAP
from bot.safety import SAFETY, careful_answer, is_crisis
from bot.stream.hearsay import Question
from bot.world import AgentKind, Hearing

log = logging.getLogger(__name__)

QUERY_CHARACTERS = 2000

MOST_SINCE = 5000
"""Lines after those that are answered, among which the replies to earlier ones are looked for."""
"""Recall looks at the end of what was said, up to this length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """An answer that is ready to be stored. `failed`: it is no memory of the persona's."""

    text: str
    mind: Mind
    failed: bool = False
    question: Question | None = None  # about hearsay, which the prompt asked to raise


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ready:
    """What is at hand when the model is asked."""

    speech: Speech
    mind: Mind
    question: Question | None


class Answering:
    """Composes and sends answers. What it knows is in the store.

    So many prompts are prepared at once that the event loop is never late for a heartbeat;
    whoever comes later waits in line, and the model is asked by all at once."""

    def __init__(
        self,
        *,
        storage: Storage,
        rumours: Rumours,
        names: Names,
        model: ChatModel,
        embedder: Embedder,
        scorers: Scorers,
        delivery: Delivery,
        clock: Clock,
        limits: Limits,
        house: House,
        company: Company,
        help_lines: str = "",
    ) -> None:
        self._company = company
        self._house = house
        self._help_lines = help_lines
        self._storage = storage
        self._model = model
        self._embedder = embedder
        self._scorers = scorers
        self._delivery = delivery
        self._speaking = Speaking(storage=storage, model=model, clock=clock, limits=limits)
        self._clock = clock
        self._limits = limits
        self._rumours = rumours
        self._sight = Sight(storage=storage, rumours=rumours, names=names)
        self._preparing = asyncio.Semaphore(limits.prepared_at_once)

    async def answer(self, batch: Sequence[Waiting]) -> Turn | None:
        """Answers messages of one conversation with one reply. None if none still waits
        (deleted meanwhile). The returned turn is answered, and sent unless sending failed."""
        last = batch[-1]
        turn = await self._storage.composing(
            last.place.id,
            last.persona.key,
            [waiting.event.id for waiting in batch],
            nonce=secrets.token_urlsafe(12),
            reply_to=last.message_id,
            at=self._clock.now(),
        )
        if turn is None:
            return None
        await show(last.send, Thinking(speaker=last.persona.name))
        composed = await self.compose(turn, last.persona, last.send)
        answered = await self._storage.answered(
            turn.id,
            composed.text,
            at=self._clock.now(),
            recalled=composed.mind.recalled,
            strategy=composed.mind.strategy,
            failed=composed.failed,
        )
        if answered.reply is None:  # what it answers was deleted meanwhile
            await show(last.send, Dropped(nonce=turn.nonce))
            return None
        await self._rumours.note_asked(answered, composed.question, self._clock.now())
        await self._delivery.deliver(answered, last.send)
        return answered

    async def compose(self, turn: Turn, persona: Persona, send: Send) -> Composed:
        """An answer to what the turn covers, shown as it grows; the persona's apology when
        the model fails; a careful answer in plain words to words of self-harm."""
        house = await self._house.rules(turn.place)
        persona = house.heard_by(persona)
        if any(is_crisis(event.text) for event in turn.said if _is_person(event)):
            log.warning("Turn %d got the careful answer to words of self-harm.", turn.id)
            text = careful_answer(persona.language, self._help_lines)
            return Composed(text=text, mind=Mind(recalled=(), strategy=SAFETY), failed=True)
        async with self._preparing:
            ready = await self._prepare(turn, persona, send, house)
        try:
            async with asyncio.timeout(self._limits.answer_seconds):
                text = await self._speaking.speak(ready.speech)
        except (ModelError, TimeoutError) as error:
            log.warning("The language model gave no answer: %s", str(error) or "it took too long.")
            apology = ready.speech.fill(first_of(persona.apologies, turn.id, ""))
            return Composed(text=apology, mind=ready.mind, failed=True)
        return Composed(text=text, mind=ready.mind, question=ready.question)

    async def _prepare(self, turn: Turn, persona: Persona, send: Send, house: HouseRules) -> _Ready:
        """Everything up to the finished prompt."""
        window = await self._window(turn)
        now = max(self._clock.now(), turn.said[-1].at)
        mood = await self._mood(turn, persona, window, now)
        query = replace(query_for(turn.said, window, persona), mood=for_recall(mood))
        mind = await self._mind(turn, query, window, house.strategy)
        room = self._model.context_tokens - self._limits.reply_tokens
        sights = await self._sight.notes(
            turn,
            persona,
            window=window,
            in_mind={e.id for e in (*window, *(r.event for r in mind.recalled))},
            now=now,
            room=room,
        )
        scene = Scene(
            persona=persona,
            persona_id=turn.persona.id,
            place_name=turn.place.where.name,
            is_dm=turn.place.is_dm,
            now=now,
            said=turn.said,
            window=window,
            recalled=mind.recalled,
            notes=[
                note
                for note in (
                    *house_notes(house),
                    mood_note(mood),
                    *sights.notes,
                    self._company.note(persona, turn, window),
                )
                if note
            ],
            room=room,
        )
        prompt = build_prompt(scene)
        speech = Speech(
            turn=turn,
            persona=persona,
            prompt=prompt,
            rules=Rules(
                instructions=prompt.instructions,
                language=persona.language,
                heard="\n".join(event.text for event in turn.said),
                in_earnest=scene.in_earnest,
            ),
            others=tuple(
                {n for e in (*window, *turn.said) for n in (e.speaker_name, scene.label(e))}
                - {persona.name}
            ),
            fill=expander(scene),
            send=send,
        )
        mind = replace(mind, recalled=prompt.recalled)
        return _Ready(speech=speech, mind=mind, question=sights.question)

    async def _window(self, turn: Turn) -> list[Event]:
        """The lines before what is answered, and the replies since: one to an earlier line may
        have come after it."""
        own = {event.id for event in turn.said} | ({turn.reply.id} if turn.reply else set())
        last, most = max(event.at for event in turn.said), self._limits.window_lines
        lines = await self._lines(turn, last, most + len(own))
        since = await self._since(turn, last)
        replies = [event for event in since if event.speaker.kind is AgentKind.PERSONA]
        return [event for event in [*lines, *replies] if event.id not in own][-most:]

    async def _since(self, turn: Turn, last: datetime) -> list[Event]:
        """All lines after a time: in a busy place there may be many."""
        limit = self._limits.window_lines
        found = await self._lines(turn, self._clock.now(), limit)
        while len(found) == limit and found[0].at > last and limit < MOST_SINCE:
            limit *= 4
            found = await self._lines(turn, self._clock.now(), limit)
        return [event for event in found if event.at > last]

    async def _lines(self, turn: Turn, until: datetime, limit: int) -> list[Event]:
        before = until + timedelta(microseconds=1)
        return await self._storage.window(turn.place.id, before=before, limit=limit)

    async def _mood(
        self, turn: Turn, persona: Persona, window: Sequence[Event], now: datetime
    ) -> Mood:
        """The persona's mood here, moved by what is said now as well."""
        scorer = await self._scorers.of(turn.place)
        felt = await scorer.score([event.text for event in turn.said])
        said = [replace(e, emotion=emotion) for e, emotion in zip(turn.said, felt, strict=True)]
        return mood_after([*window, *said], persona, now)

    async def _mind(
        self, turn: Turn, query: Query, window: Sequence[Event], strategy: str | None
    ) -> Mind:
        try:
            return await bring_to_mind(
                replace(query, limit=self._limits.recall_limit),
                Hearing(persona=turn.persona.id, place=turn.place.id),
                storage=self._storage,
                embedder=self._embedder,
                scorer=await self._scorers.of(turn.place),
                limit=self._limits.recall_limit,
                strategy=strategy or DEFAULT_STRATEGY,
                without={event.id for event in (*window, *turn.said)},
            )
        except EmbeddingError as error:
            log.warning("Nothing comes to mind: %s", error)
            return Mind(recalled=(), strategy=DEFAULT_STRATEGY)


def _is_person(event: Event) -> bool:
    return event.speaker.kind is AgentKind.PERSON


def query_for(said: Sequence[Event], window: Sequence[Event], persona: Persona) -> Query:
    """What recall is asked for: what was said, after the lines of the same sitting."""
    newest = said[-1]
    return Query(
        text="\n".join(event.text for event in said)[-QUERY_CHARACTERS:],
        before=tuple(
            Earlier(text=event.text, own=event.speaker.id == newest.speaker.id)
            for event in window
            if newest.at - event.at <= SITTING_GAP
        ),
        mode=persona.recall_mode,
        now=newest.at.astimezone(ZoneInfo(persona.time_zone)),
    )
