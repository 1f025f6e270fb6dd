"""The ChatModel that runs here, without any account: loads in the background."""

import asyncio
import json
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import PurePath
from types import TracebackType
from typing import Final, Self

from adapters.bundled_model.generation import GREEDY, Generator, Order, Sampling, Spent
from adapters.bundled_model.prepare import BUNDLED
from bot.errors import BotError, ModelDown, ModelError, ModelRefused
from bot.json_reading import Want, read_json
from bot.memory import Usage
from bot.ports import Line, Piece

log = logging.getLogger(__name__)

CONTEXT_TOKENS = 1536
"""The model could take 8192; but one core reads some 250 a second, and people wait for it."""

CONNECT = "connect a model with OPENAI_BASE_URL and MODEL"

_OPENERS: Final[Mapping[object, tuple[Want, str]]] = {
    "object": ("object", "{"),
    "array": ("array", "["),
}


class BundledModel:
    """Implements `ChatModel`. Answers one after the other, in one worker thread.

    `model` is "bundled" (SmolLM2-135M-Instruct: it rambles, but it needs no account), a GGUF
    file, or a folder or hub id of transformers. Loading begins at once, in the background;
    what is wrong with the model is raised by the first call, as ModelRefused. With a `seed`
    the same calls get the same answers.
    """

    def __init__(
        self,
        model: str = BUNDLED,
        *,
        context_tokens: int = CONTEXT_TOKENS,
        sampling: Sampling | None = None,
        seed: int | None = None,
    ) -> None:
        self.name = "SmolLM2-135M-Instruct" if model == BUNDLED else _name(model)
        self.context_tokens = context_tokens
        self._model = model
        self._sampling = sampling or Sampling()
        self._seed = seed
        self._stops: set[threading.Event] = set()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="language-model")
        self._loading = self._worker.submit(self._load)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def ready(self) -> None:
        """Returns when the model is loaded. Raises ModelRefused if it cannot be."""
        await asyncio.shield(asyncio.wrap_future(self._loading))

    async def close(self) -> None:
        """Ends the answer that is being generated, and the worker."""
        for stop in self._stops:
            stop.set()
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def stream(
        self, lines: Sequence[Line], *, max_tokens: int, purpose: str
    ) -> AsyncGenerator[Piece, None]:
        """The answer, as it grows; generation ends when nobody reads on."""
        order = replace(
            self._order(lines, max_tokens, self._sampling), one_paragraph=self._model == BUNDLED
        )
        async for piece in self._pieces(order, purpose):
            yield piece

    async def structured(
        self, lines: Sequence[Line], schema: Mapping[str, object], *, max_tokens: int, purpose: str
    ) -> tuple[object, Usage | None]:
        """One JSON object or list, whichever the schema is of. Raises ModelError if there is none.

        The schema is put in words, and the opening bracket in the model's mouth.
        """
        want, opener = _OPENERS.get(schema.get("type"), (None, ""))
        order = self._order(_asking_for(schema, lines), max_tokens, GREEDY, opener)
        text, usage = opener, None
        async for piece in self._pieces(order, purpose):
            text += piece.text
            usage = piece.usage or usage
        try:
            return read_json(text, want=want), usage
        except ValueError as error:
            raise ModelError(f"{self.name} wrote no usable JSON ({error}): {CONNECT}.") from error

    def _order(
        self, lines: Sequence[Line], max_tokens: int, sampling: Sampling, beginning: str = ""
    ) -> Order:
        return Order(
            lines=lines,
            room=self.context_tokens,
            max_tokens=max_tokens,
            sampling=sampling,
            beginning=beginning,
        )

    async def _pieces(self, order: Order, purpose: str) -> AsyncGenerator[Piece, None]:
        """Runs an order in the worker; what it hands out comes through a queue."""
        started = time.perf_counter()
        await self.ready()
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        stop = threading.Event()

        def put(text: str | None) -> None:
            loop.call_soon_threadsafe(pieces.put_nowait, text)

        self._stops.add(stop)
        job = asyncio.wrap_future(self._worker.submit(self._run, order, put, stop))
        job.add_done_callback(lambda _: pieces.put_nowait(None))
        try:
            while (text := await pieces.get()) is not None:
                yield Piece(text=text)
            if spent := await job:
                yield Piece(text="", usage=self._usage(spent, purpose, started))
        finally:
            stop.set()
            self._stops.discard(stop)
            job.cancel()

    def _usage(self, spent: Spent, purpose: str, started: float) -> Usage:
        return Usage(
            purpose=purpose,
            model=self.name,
            prompt_tokens=spent.prompt_tokens,
            completion_tokens=spent.completion_tokens,
            seconds=time.perf_counter() - started,
        )

    # -- in the worker thread ------------------------------------------------------------
    def _load(self) -> Generator:
        try:
            return Generator(self._model, self._seed)
        except BotError as error:  # a sentence already
            raise ModelRefused(str(error)) from error
        except Exception as error:  # the libraries raise anything
            log.debug("loading %s failed", self.name, exc_info=True)
            raise ModelRefused(
                f"The language model {self.name} could not be loaded ({error}): "
                f"check LOCAL_MODEL, or {CONNECT}."
            ) from error

    def _run(self, order: Order, put: Callable[[str], None], stop: threading.Event) -> Spent | None:
        try:
            return self._loading.result().answer(order, put, stop.is_set)
        except BotError:
            raise
        except Exception as error:  # the libraries raise anything
            log.debug("generating failed", exc_info=True)
            raise ModelDown(
                f"The language model {self.name} failed ({error}): try again, or {CONNECT}."
            ) from error


def _name(model: str) -> str:
    """A GGUF's file name or a folder's; a hub id as it is."""
    path = PurePath(model)
    return path.name if path.is_absolute() or path.suffix == ".gguf" else model


def _asking_for(schema: Mapping[str, object], lines: Sequence[Line]) -> list[Line]:
    wish = f"Write JSON that fits this schema, nothing else:\n{json.dumps(schema)}"
    return [*lines, Line(role="user", text=wish)]
