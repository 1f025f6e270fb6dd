"""One batch of messages becomes one answer: recall, prompt, model, reply, delivery."""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.clock import Clock
from bot.engine.conversations import Waiting
from bot.engine.delivery import Delivery
from bot.engine.limits import Limits
from bot.errors import EmbeddingError, ModelError, SendError
from bot.memory import Event, Turn
from bot.messages import Draft, Dropped, Outbound, Thinking
from bot.persona import Persona
from bot.ports import ChatModel, Embedder, Line, Send, Storage
from bot.prompt import Prompt, Scene, build_prompt
from bot.recall import DEFAULT_STRATEGY, Mind, bring_to_mind
from bot.reply import clean_reply, showable
from bot.world import Hearing

log = logging.getLogger(__name__)

MODEL_TRIES = 2
"""An answer that breaks off or comes out empty is asked for once more."""

QUERY_CHARACTERS = 2000
"""Recall looks at the end of what was said, up to this length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """An answer that is ready to be stored."""

    text: str
    mind: Mind
    failed: bool = False


class Answering:
    """Composes and sends answers. Holds no state: all of it is in the store."""

    def __init__(
        self,
        *,
        storage: Storage,
        model: ChatModel,
        embedder: Embedder,
        delivery: Delivery,
        clock: Clock,
        limits: Limits,
    ) -> None:
        self._storage = storage
        self._model = model
        self._embedder = embedder
        self._delivery = delivery
        self._clock = clock
        self._limits = limits

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
        await _show(last.send, Thinking(speaker=last.persona.name))
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
            await _show(last.send, Dropped(nonce=turn.nonce))
            return None
        await self._delivery.deliver(answered, last.send)
        return answered

    async def compose(self, turn: Turn, persona: Persona, send: Send) -> Composed:
        """An answer to what the turn covers, shown as it grows; the persona's apology when
        the model fails."""
        window = await self._window(turn)
        mind = await self._mind(turn, [*window, *turn.said])
        prompt = build_prompt(
            Scene(
                persona=persona,
                persona_id=turn.persona.id,
                place_name=turn.place.where.name,
                is_dm=turn.place.is_dm,
                now=self._now(turn),
                said=turn.said,
                window=window,
                recalled=mind.recalled,
                room=self._model.context_tokens - self._limits.reply_tokens,
            )
        )
        mind = Mind(recalled=prompt.recalled, strategy=mind.strategy)
        others = tuple({e.speaker_name for e in (*window, *turn.said)} - {persona.name})
        try:
            async with asyncio.timeout(self._limits.answer_seconds):
                text = await self._ask(prompt, turn, persona, others, send)
        except (ModelError, TimeoutError) as error:
            log.warning("The language model gave no answer: %s", error or "it took too long.")
            apologies = persona.apologies
            return Composed(text=apologies[turn.id % len(apologies)], mind=mind, failed=True)
        return Composed(text=text, mind=mind)

    async def _window(self, turn: Turn) -> list[Event]:
        said = {event.id for event in turn.said}
        lines = await self._storage.window(
            turn.place.id,
            before=max(event.at for event in turn.said) + timedelta(microseconds=1),
            limit=self._limits.window_lines + len(said),
        )
        return [event for event in lines if event.id not in said][-self._limits.window_lines :]

    async def _mind(self, turn: Turn, in_view: Sequence[Event]) -> Mind:
        query = "\n".join(event.text for event in turn.said)[-QUERY_CHARACTERS:]
        try:
            return await bring_to_mind(
                query,
                Hearing(persona=turn.persona.id, place=turn.place.id),
                storage=self._storage,
                embedder=self._embedder,
                limit=self._limits.recall_limit,
                without={event.id for event in in_view},
            )
        except EmbeddingError as error:
            log.warning("Nothing comes to mind: %s", error)
            return Mind(recalled=(), strategy=DEFAULT_STRATEGY)

    def _now(self, turn: Turn) -> datetime:
        return max(self._clock.now(), turn.said[-1].at)

    async def _ask(
        self, prompt: Prompt, turn: Turn, persona: Persona, others: Sequence[str], send: Send
    ) -> str:
        """The persona's words. Raises ModelError when also the last try gives none."""
        problem: ModelError = ModelError("The model's answer was empty; try another MODEL.")
        for _ in range(MODEL_TRIES):
            try:
                raw = await self._stream(prompt.lines, turn, persona, others, send)
            except ModelError as error:
                problem = error
                continue
            if text := clean_reply(raw, persona.name, others):
                return text
        raise problem

    async def _stream(
        self,
        lines: Sequence[Line],
        turn: Turn,
        persona: Persona,
        others: Sequence[str],
        send: Send,
    ) -> str:
        raw, shown = "", ""
        drafts = turn.drafts
        stream = self._model.stream(lines, max_tokens=self._limits.reply_tokens, purpose="answer")
        async with aclosing(stream) as pieces:
            async for piece in pieces:
                raw += piece.text
                if piece.usage:
                    await self._storage.used(piece.usage, place=turn.place.id, at=self._clock.now())
                if (text := showable(raw, persona.name, others)) and text != shown:
                    shown = text
                    draft = Draft(
                        text=text, nonce=turn.nonce, speaker=persona.name, reply_to=turn.reply_to
                    )
                    ids = await _show(send, draft)
                    if ids and tuple(ids) != drafts:
                        drafts = tuple(ids)
                        await self._storage.drafted(turn.id, drafts)
        return raw


async def _show(send: Send, outbound: Outbound) -> Sequence[str]:
    """Shows what may as well be missed: a failure here must not cost the reply."""
    try:
        return await send(outbound)
    except SendError as error:
        log.debug("Not shown: %s", error)
        return ()
