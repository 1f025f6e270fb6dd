"""The persona's words: asked of the model, held against the rules, shown as they grow."""

import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from bot.clock import Clock
from bot.engine.limits import Limits
from bot.engine.showing import show
from bot.errors import ModelError
from bot.guard import (
    Rules,
    first_of,
    problem_with,
    reminder,
    sentences,
    truth,
    without_repetition,
)
from bot.memory import Turn
from bot.messages import Draft
from bot.persona import Persona
from bot.ports import ChatModel, Line, Send, Storage
from bot.prompt import Expand, Prompt
from bot.reply import clean_reply, showable, unlabelled

log = logging.getLogger(__name__)

MODEL_TRIES = 2
"""An answer that breaks off, is empty or leaves the role is asked for once more."""

LOOK_GROWTH = 0.05
"""A growing answer is judged again when it is so much longer: each look reads all of it."""

EMPTY = "it says nothing as the persona"


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What it takes to speak once. `others` are the names of those who are not the persona."""

    turn: Turn
    persona: Persona
    prompt: Prompt
    rules: Rules
    others: Sequence[str]
    fill: Expand  # for the author's stock phrases
    send: Send


class Speaking:
    """Asks the model for the persona's words, and for better ones if they leave the role."""

    def __init__(self, *, storage: Storage, model: ChatModel, clock: Clock, limits: Limits) -> None:
        self._storage = storage
        self._model = model
        self._clock = clock
        self._limits = limits

    async def speak(self, speech: Speech) -> str:
        """The persona's words: the model's if they hold the role, else a deflection (or, to a
        sincere question, the truth). Raises ModelError where the model gave nothing."""
        lines, problem = speech.prompt.lines, ""
        failure: ModelError | None = None
        for left in range(MODEL_TRIES - 1, -1, -1):
            try:
                raw = await self._stream(lines, speech)
            except ModelError as error:
                failure = error
                continue
            failure = None
            text = self._said(raw, speech, last_try=not left)
            problem = problem_with(text, speech.rules) if text else EMPTY
            if not problem:
                return text
            log.info("An answer was held back: %s.", problem)
            hint = reminder(problem, speech.persona.name)
            lines = (*speech.prompt.lines, Line(role="system", text=hint))
        if failure is not None or problem == EMPTY:
            raise failure or ModelError("The model's answer was empty; try another MODEL.")
        return self._instead(speech)

    def _said(self, raw: str, speech: Speech, *, last_try: bool) -> str:
        text = clean_reply(raw, speech.persona.name, speech.others)
        if last_try and not text:
            text = unlabelled(raw, speech.persona.name, speech.others)
        return without_repetition(text)

    def _instead(self, speech: Speech) -> str:
        persona = speech.persona
        if speech.rules.in_earnest:
            return truth(persona.language, persona.name)
        phrases = persona.deflections or persona.apologies
        return speech.fill(first_of(phrases, speech.turn.id, ""))

    async def _stream(self, lines: Sequence[Line], speech: Speech) -> str:
        raw, shown, turn, next_look = "", "", speech.turn, 0.0
        answer = self._model.stream(lines, max_tokens=self._limits.reply_tokens, purpose="answer")
        async with aclosing(answer) as pieces:
            async for piece in pieces:
                raw += piece.text
                if piece.usage:
                    await self._storage.used(piece.usage, place=turn.place.id, at=self._clock.now())
                if len(raw) < next_look:
                    continue
                next_look = len(raw) * (1 + LOOK_GROWTH)
                text = self._showable(raw, speech)
                if text and text != shown:
                    shown = text
                    turn = await self._show(text, turn, speech)
        return raw

    def _showable(self, raw: str, speech: Speech) -> str:
        """What of a growing answer may be seen: finished sentences that hold the role."""
        text = sentences(showable(raw, speech.persona.name, speech.others)).strip()
        return "" if text and problem_with(text, speech.rules) else text

    async def _show(self, text: str, turn: Turn, speech: Speech) -> Turn:
        draft = Draft(
            text=text, nonce=turn.nonce, speaker=speech.persona.name, reply_to=turn.reply_to
        )
        ids = tuple(await show(speech.send, draft))
        if not ids or ids == turn.drafts:
            return turn
        await self._storage.drafted(turn.id, ids)
        return replace(turn, drafts=ids)
