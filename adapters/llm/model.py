"""Any OpenAI-compatible endpoint as a language model: patience, thoughts, schemas, usage."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random, SystemRandom
from typing import Self

from adapters.llm.dialect import Dialect, SchemaForm, asking_for, spoken
from adapters.llm.wire import Misunderstood, Question, Timeouts, Wire
from adapters.settings import SystemRole
from bot.clock import Clock, SystemClock
from bot.errors import ModelDown, ModelError
from bot.json_reading import Want, read_json
from bot.memory import Usage
from bot.ports import Line, Piece
from bot.text import tokens
from bot.thoughts import ThoughtFilter

log = logging.getLogger(__name__)

LONGEST_PAUSE_SECONDS = 86_400.0
"""What an endpoint asks for beyond that is taken for this."""

TOKENS_OF_A_LINE = 4
"""About what the frame of one message of a prompt fills, for endpoints that do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often a failed request is repeated, and the pauses between, in seconds.

    The pause doubles each time and is shortened by up to a half at random. An endpoint that
    asks for a pause gets it, up to `longest_asked`; beyond that the caller is told at once.
    """

    tries: int = 4
    first_pause: float = 0.5
    longest_pause: float = 8.0
    longest_asked: float = 30.0


TIMEOUTS, PATIENCE = Timeouts(), Patience()


class OpenAIModel:
    """A ChatModel behind an OpenAI-compatible endpoint; close it, or use it with `async with`.

    Repeats what may pass later as long as nothing of the answer was given out, and
    remembers what the endpoint does not understand. One object serves many calls at once; a
    pause that the endpoint asks for holds for all of them. Errors are of the ModelError tree.
    Without `base_url` it is OpenAI's own endpoint; some others need no `api_key`.
    Raises SettingsError for an address or a key that cannot be used.
    """

    def __init__(
        self,
        *,
        base_url: str | None,
        api_key: str | None,
        model: str,
        context_tokens: int = 8192,
        system: SystemRole = SystemRole.SYSTEM,
        timeouts: Timeouts = TIMEOUTS,
        patience: Patience = PATIENCE,
        clock: Clock | None = None,
        random: Random | None = None,
    ) -> None:
        self.name = model
        self.context_tokens = context_tokens
        self._clock = clock or SystemClock()
        self._random = random or SystemRandom()
        self._wire = Wire(
            base_url=base_url, api_key=api_key, model=model, timeouts=timeouts, clock=self._clock
        )
        self._dialect = Dialect(system=system)
        self._patience = patience
        self._paused_until = self._clock.now()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends all connections. The model cannot be asked any more."""
        await self._wire.close()

    async def offered(self) -> list[str]:
        """The names of the models that the endpoint lists. Raises ModelError."""
        return await self._wire.offered()

    async def stream(
        self, lines: Sequence[Line], *, max_tokens: int, purpose: str
    ) -> AsyncGenerator[Piece, None]:
        """The answer as it grows, without thoughts; see ChatModel.

        An answer that breaks off or stops growing ends with ModelDown after its pieces.
        """
        wish = _Wish(lines=lines, max_tokens=max_tokens, purpose=purpose)
        async with aclosing(self._patiently(lambda d: self._pieces(wish, d))) as pieces:
            async for piece in pieces:
                yield piece

    async def structured(
        self, lines: Sequence[Line], schema: Mapping[str, object], *, max_tokens: int, purpose: str
    ) -> tuple[object, Usage | None]:
        """One JSON object or list, whichever the schema is of; see ChatModel.

        The schema is handed over if the endpoint takes schemas, and put in words otherwise.
        """
        wish = _Wish(lines=lines, max_tokens=max_tokens, purpose=purpose, schema=schema)
        async with aclosing(self._patiently(lambda d: self._whole(wish, d))) as answers:
            answer = await anext(answers)
        kinds: dict[object, Want] = {"object": "object", "array": "array"}
        try:
            return read_json(answer.text, want=kinds.get(schema.get("type"))), answer.usage
        except ValueError as error:
            raise ModelError(
                f"The answer of {self.name} cannot be used: {error}; another MODEL may do better."
            ) from error

    async def _patiently(
        self, ask: Callable[[Dialect], AsyncGenerator[Piece, None]]
    ) -> AsyncGenerator[Piece, None]:
        """Asks until there is an answer or no point in asking again."""
        dialect, failed, begun = self._dialect, 0, False
        spent: Usage | None = None
        while True:
            await self._obey_pause()
            try:
                async with aclosing(ask(dialect)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield replace(piece, usage=_with(piece.usage, spent))
            except Misunderstood as refusal:
                dialect = dialect.without(refusal.part)
            except ModelDown as error:
                failed += 1
                if begun or not self._worth_another(error, failed):
                    raise
                log.info("%s Asking again.", error)
                spent = _with(error.usage, spent) if isinstance(error, _Empty) else spent
                if error.retry_after is None:
                    await self._clock.sleep(self._pause(failed))
                dialect = replace(dialect, thinks_first=self._dialect.thinks_first)
            else:
                return

    def _worth_another(self, error: ModelDown, failed: int) -> bool:
        """Whether to ask again. Notes a pause that the endpoint asked for."""
        asked = error.retry_after or 0.0
        if asked:
            pause = timedelta(seconds=min(asked, LONGEST_PAUSE_SECONDS))
            self._paused_until = max(self._paused_until, self._clock.now() + pause)
        enough = 2 if isinstance(error, _Empty) else self._patience.tries
        return failed < enough and asked <= self._patience.longest_asked

    def _pause(self, failed: int) -> float:
        doubled = self._patience.first_pause * 2.0 ** (failed - 1)
        return min(doubled, self._patience.longest_pause) * self._random.uniform(0.5, 1.0)

    async def _obey_pause(self) -> None:
        """Waits for the end of a pause that the endpoint asked for, of this call or another."""
        left = (self._paused_until - self._clock.now()).total_seconds()
        if left > self._patience.longest_asked:
            raise ModelDown(
                f"{self._wire.endpoint.address} asked for a pause and {left:.0f} s of it are left;"
                " try again later.",
                retry_after=left,
            )
        if left > 0:
            await self._clock.sleep(left + self._random.uniform(0.0, min(1.0, left / 4)))

    async def _whole(self, wish: "_Wish", dialect: Dialect) -> AsyncGenerator[Piece, None]:
        """The answer in one piece, so that a try that breaks off can be repeated."""
        text, usage = "", None
        async with aclosing(self._pieces(wish, dialect)) as pieces:
            async for piece in pieces:
                text += piece.text
                usage = piece.usage or usage
        yield Piece(text=text, usage=usage)

    async def _pieces(self, wish: "_Wish", dialect: Dialect) -> AsyncGenerator[Piece, None]:
        """One try. Raises ModelError, and Misunderstood if it must be put otherwise."""
        endpoint, loop = self._wire.endpoint, asyncio.get_running_loop()
        began, thoughts = loop.time(), ThoughtFilter(inside=dialect.thinks_first)
        usage: Usage | None = None
        finish, declined, said, filled = "", False, False, 0
        async with aclosing(self._wire.ask(wish.question(dialect), dialect)) as deltas:
            async for delta in deltas:
                self._understood(dialect)
                finish, declined = delta.finish or finish, declined or delta.declined
                filled += tokens(delta.text)
                if delta.tokens:
                    usage = self._usage(wish.purpose, delta.tokens, loop.time() - began)
                if text := thoughts.feed(delta.text):
                    said = True
                    yield Piece(text=text)
                if thoughts.unopened:
                    self._dialect = replace(self._dialect, thinks_first=True)
                    raise endpoint.thinks_aloud()
        if finish == "content_filter":
            raise endpoint.filtered()
        if finish == "error" or not (finish or usage):
            raise endpoint.cut_off()
        if usage is None:  # some endpoints do not count; budgets must hold there, too
            guess = wish.prompt_tokens, filled
            usage = self._usage(wish.purpose, guess, loop.time() - began)
        rest = thoughts.end()
        if not (said or rest):
            raise endpoint.declined() if declined else _Empty(self.name, finish, usage)
        yield Piece(text=rest, usage=usage)

    def _understood(self, dialect: Dialect) -> None:
        """Remembers what had to be left out of a request that was answered."""
        if learnt := dialect.refused - self._dialect.refused:
            log.info("%s takes no %s.", self._wire.endpoint.address, ", no ".join(sorted(learnt)))
            self._dialect = replace(self._dialect, refused=self._dialect.refused | learnt)

    def _usage(self, purpose: str, tokens: tuple[int, int], seconds: float) -> Usage:
        prompt, completion = tokens
        return Usage(
            purpose=purpose,
            model=self.name,
            prompt_tokens=prompt,
            completion_tokens=completion,
            seconds=seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What the bot wants of the model, before it is put in an endpoint's dialect."""

    lines: Sequence[Line]
    max_tokens: int
    purpose: str
    schema: Mapping[str, object] | None = None

    @property
    def prompt_tokens(self) -> int:
        """About what the prompt fills."""
        return sum(tokens(line.text) + TOKENS_OF_A_LINE for line in self.lines)

    def question(self, dialect: Dialect) -> Question:
        lines = self.lines
        if self.schema is not None and dialect.schema_form is not SchemaForm.SCHEMA:
            lines = asking_for(self.schema, lines)
        return Question(
            messages=spoken(lines, dialect), max_tokens=self.max_tokens, schema=self.schema
        )


class _Empty(ModelDown):
    """The model said nothing. `usage` is what that cost."""

    def __init__(self, model: str, finish: str, usage: Usage | None) -> None:
        thought = finish == "length"
        super().__init__(
            f"{model} used up its tokens before the first word of an answer; raise REPLY_TOKENS"
            " or choose a MODEL that thinks less."
            if thought
            else f"{model} gave an empty answer; try again later or choose another MODEL."
        )
        self.usage = usage


def _with(usage: Usage | None, spent: Usage | None) -> Usage | None:
    """What an answer cost together with the tries before it. None as long as it is unknown."""
    if usage is None or spent is None:
        return usage
    return replace(
        usage,
        prompt_tokens=usage.prompt_tokens + spent.prompt_tokens,
        completion_tokens=usage.completion_tokens + spent.completion_tokens,
        seconds=usage.seconds + spent.seconds,
    )
