"""Several language models as one: when the first fails, the next answers."""

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from bot.clock import Clock, SystemClock
from bot.errors import ModelDown, ModelRefused
from bot.memory import Usage
from bot.ports import ChatModel, Line, Piece

log = logging.getLogger(__name__)

REST = timedelta(seconds=30)
"""How long a model that is down is not asked while another answers; longer if it says so."""


class FallbackModel:
    """A ChatModel that asks its models in turn, until one begins to answer.

    It has the first one's name, and the smallest context, so that a prompt fits whichever
    answers; usage names the model that did. An answer that has begun is never begun anew by
    another model. If all fail, the first one's error is raised, but ModelDown before
    ModelRefused, since later may be better. The models belong to whoever made them.
    """

    def __init__(self, models: Sequence[ChatModel], *, clock: Clock | None = None) -> None:
        if not models:
            raise ValueError("a FallbackModel needs a model")
        self.name = models[0].name
        self.context_tokens = min(model.context_tokens for model in models)
        self._models = list(models)
        self._clock = clock or SystemClock()
        self._failing: set[int] = set()
        self._rests_until: dict[int, datetime] = {}

    async def stream(
        self, lines: Sequence[Line], *, max_tokens: int, purpose: str
    ) -> AsyncGenerator[Piece, None]:
        errors: list[ModelDown | ModelRefused] = []
        for at in self._in_turn():
            model, begun = self._models[at], False
            answer = model.stream(lines, max_tokens=max_tokens, purpose=purpose)
            try:
                async with _closing(answer):
                    async for piece in answer:
                        if not begun:
                            self._answered(at)
                        begun = True
                        yield piece
            except (ModelDown, ModelRefused) as error:
                self._failed(at, error)
                if begun:
                    raise
                errors.append(error)
            else:
                return
        raise _worst(errors)

    async def structured(
        self, lines: Sequence[Line], schema: Mapping[str, object], *, max_tokens: int, purpose: str
    ) -> tuple[object, Usage | None]:
        errors: list[ModelDown | ModelRefused] = []
        for at in self._in_turn():
            try:
                answer = await self._models[at].structured(
                    lines, schema, max_tokens=max_tokens, purpose=purpose
                )
            except (ModelDown, ModelRefused) as error:
                self._failed(at, error)
                errors.append(error)
            else:
                self._answered(at)
                return answer
        raise _worst(errors)

    def _in_turn(self) -> list[int]:
        """The models to ask, best first; those that rest come last."""
        now = self._clock.now()
        resting = [at for at in range(len(self._models)) if self._rests_until.get(at, now) > now]
        return [at for at in range(len(self._models)) if at not in resting] + resting

    def _failed(self, at: int, error: ModelDown | ModelRefused) -> None:
        """Notes it, and says so once until the model answers again."""
        if isinstance(error, ModelDown):
            rest = max(REST, timedelta(seconds=min(error.retry_after or 0.0, 3600.0)))
            self._rests_until[at] = self._clock.now() + rest
        if at not in self._failing and len(self._models) > 1:
            self._failing.add(at)
            log.warning("%s fails, the next model is asked: %s", self._models[at].name, error)

    def _answered(self, at: int) -> None:
        self._rests_until.pop(at, None)
        if at in self._failing:
            self._failing.remove(at)
            log.info("%s answers again.", self._models[at].name)


@asynccontextmanager
async def _closing(answer: AsyncGenerator[Piece, None]) -> AsyncGenerator[None, None]:
    """Ends an answer that is not heard to its end; only generators have to be told."""
    try:
        yield
    finally:
        if isinstance(answer, AsyncGenerator):
            await answer.aclose()


def _worst(errors: Sequence[ModelDown | ModelRefused]) -> ModelDown | ModelRefused:
    return next((error for error in errors if isinstance(error, ModelDown)), errors[0])
