"""One request to an OpenAI-compatible endpoint: the only file that knows the `openai` package."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

import openai
from httpx2 import ConnectError, HTTPError, Timeout
from openai import AsyncOpenAI, AsyncStream, Omit, omit
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionAssistantMessageParam,
    ChatCompletionChunk,
    ChatCompletionDeveloperMessageParam,
    ChatCompletionMessageParam,
    ChatCompletionSystemMessageParam,
    ChatCompletionUserMessageParam,
)
from openai.types.chat.completion_create_params import ResponseFormat

from adapters.llm.dialect import Dialect, Part, SchemaForm, Spoken, refused_part, strictly
from adapters.llm.failures import Endpoint, is_too_long, is_web_page
from bot.clock import Clock
from bot.errors import ModelError, SettingsError

OPENAI = "https://api.openai.com/v1"
LONGEST_ERROR = 2_000
"""Characters of an error's body that are looked at."""

_STATUS = re.compile(r"[1-5]\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds. A thought counts as a word; `total` bounds one try from end to end."""

    connect: float = 10.0
    first_word: float = 120.0
    between_words: float = 60.0
    total: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What one chunk adds. `tokens` are those of prompt and answer, `finish` why it ends."""

    text: str = ""
    thought: bool = False
    declined: bool = False
    finish: str = ""
    tokens: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, in the endpoint's roles. `schema` bounds the shape of the answer."""

    messages: Sequence[Spoken]
    max_tokens: int
    schema: Mapping[str, object] | None = None


class Misunderstood(Exception):
    """The endpoint does not take a part of the request; without it, it may."""

    def __init__(self, part: Part) -> None:
        super().__init__(part.value)
        self.part = part


class Wire:
    """The connection to one model of one endpoint. Its owner closes it."""

    def __init__(
        self,
        *,
        base_url: str | None,
        api_key: str | None,
        model: str,
        timeouts: Timeouts,
        clock: Clock,
    ) -> None:
        self.endpoint = Endpoint(address=_shown(base_url or OPENAI), model=model)
        self._client = _client(base_url or OPENAI, api_key or "none", timeouts)
        self._timeouts = timeouts
        self._clock = clock

    async def close(self) -> None:
        await self._client.close()

    async def offered(self) -> list[str]:
        """The names of the models that the endpoint lists. Raises ModelError."""
        with self._translated(frozenset()):
            try:
                async with asyncio.timeout(self._timeouts.connect):
                    return [model.id async for model in self._client.models.list()]
            except TimeoutError as error:
                raise self.endpoint.too_slow(self._timeouts.connect, begun=False) from error

    async def ask(self, question: Question, dialect: Dialect) -> AsyncGenerator[Delta, None]:
        """The answer, chunk by chunk. Raises ModelError, also half-way, and Misunderstood."""
        pace = _Pace(self._timeouts)
        with self._translated(dialect.used(structured=question.schema is not None)):
            try:
                async with pace.limit():
                    stream = await self._open(question, dialect)
                async with stream:
                    async with pace.limit():
                        whole = await self._whole(stream)
                    if whole:
                        yield whole
                        return
                    async for delta in self._chunks(stream, pace):
                        yield delta
            except TimeoutError as error:
                raise self.endpoint.too_slow(pace.waited, begun=pace.begun) from error

    async def _open(self, question: Question, dialect: Dialect) -> AsyncStream[ChatCompletionChunk]:
        limit, most = dialect.token_limit, question.max_tokens
        return await self._client.chat.completions.create(
            model=self.endpoint.model,
            messages=[_message(spoken) for spoken in question.messages],
            stream=True,
            stream_options=omit if Part.USAGE in dialect.refused else {"include_usage": True},
            max_tokens=most if limit is Part.MAX_TOKENS else omit,
            max_completion_tokens=most if limit is Part.MAX_COMPLETION_TOKENS else omit,
            response_format=_format(question.schema, dialect.schema_form),
            extra_body=_beyond_openai(question.schema, dialect.schema_form),
        )

    async def _chunks(
        self, stream: AsyncStream[ChatCompletionChunk], pace: "_Pace"
    ) -> AsyncGenerator[Delta, None]:
        while True:
            async with pace.limit():
                chunk = await anext(stream, None)
            if chunk is None:
                return
            delta = _delta(chunk)
            if delta.text or delta.thought:
                pace.word()
            yield delta

    async def _whole(self, stream: AsyncStream[ChatCompletionChunk]) -> Delta | None:
        """The answer of an endpoint that does not stream. None if this one does."""
        kind = stream.response.headers.get("content-type", "").lower()
        if is_web_page(kind):
            raise self.endpoint.no_chat_there()
        if "json" not in kind or "ndjson" in kind:
            return None
        body: object = json.loads(await stream.response.aread())
        if not isinstance(body, dict) or "choices" not in body:
            raise self._told(body)
        return _delta(ChatCompletion.construct(**body))

    @contextmanager
    def _translated(self, used: frozenset[Part]) -> Iterator[None]:
        """Turns what the SDK raises into what the bot knows."""
        try:
            yield
        except openai.APIStatusError as error:
            raise self._refusal(error, used) from error
        except openai.APITimeoutError as error:
            reason = f"no connection within {self._timeouts.connect:g} s"
            raise self.endpoint.unreachable(reason) from error
        except openai.APIConnectionError as error:
            raise self._disconnected(error.__cause__) from error
        except openai.APIError as error:
            raise self._told(error.body) from error
        except HTTPError as error:
            raise self.endpoint.cut_off() from error
        except (openai.OpenAIError, ValueError, AttributeError, RecursionError) as error:
            raise self.endpoint.unreadable() from error

    def _refusal(
        self, error: openai.APIStatusError, used: frozenset[Part]
    ) -> ModelError | Misunderstood:
        text = error.response.text[:LONGEST_ERROR]
        part = None if is_too_long(text) else refused_part(error.status_code, text, used)
        if part:
            return Misunderstood(part)
        return self.endpoint.failure(
            error.status_code, text, error.response.headers, self._clock.now()
        )

    def _disconnected(self, cause: BaseException | None) -> ModelError:
        if isinstance(cause, ConnectError):
            return self.endpoint.unreachable(str(cause) or "no connection")
        return self.endpoint.cut_off()

    def _told(self, body: object) -> ModelError:
        """The failure that an endpoint reports within an answer that began well."""
        inner = body.get("error", body) if isinstance(body, dict) else body
        code = str(inner.get("code")) if isinstance(inner, dict) else ""
        refused = isinstance(inner, dict) and inner.get("type") == "invalid_request_error"
        status = int(code) if _STATUS.fullmatch(code) else 400 if refused else 500
        text = json.dumps(inner, ensure_ascii=False)[:LONGEST_ERROR]
        return self.endpoint.failure(status, text, {}, self._clock.now())


class _Pace:
    """Gives each wait its limit: until the first word, between words, and in all."""

    def __init__(self, timeouts: Timeouts) -> None:
        self.begun = False
        self.waited = timeouts.first_word
        self._timeouts = timeouts
        self._loop = asyncio.get_running_loop()
        self._first = self._loop.time() + timeouts.first_word
        self._last = self._loop.time() + timeouts.total

    def word(self) -> None:
        self.begun, self.waited = True, self._timeouts.between_words

    def limit(self) -> asyncio.Timeout:
        """Raises TimeoutError when one wait within it takes too long."""
        between = self._loop.time() + self._timeouts.between_words
        return asyncio.timeout_at(min(between if self.begun else self._first, self._last))


def _client(base_url: str, api_key: str, timeouts: Timeouts) -> AsyncOpenAI:
    """Repeats nothing by itself and waits only to connect: the callers see to both."""
    if not (api_key.isascii() and api_key.isprintable() and " " not in api_key):
        raise SettingsError(
            "OPENAI_API_KEY holds a space or a character that no key has; copy it again."
        )
    return AsyncOpenAI(
        base_url=base_url,
        api_key=api_key,
        max_retries=0,
        timeout=Timeout(None, connect=timeouts.connect),
    )


def _shown(base_url: str) -> str:
    """An address without user, password and query. Raises SettingsError if it is none."""
    problem = "it must begin with http:// or https:// and a host"
    try:
        parts = urlsplit(base_url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError as error:
        parts, port, problem = urlsplit(""), "", str(error)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise SettingsError(
            f"OPENAI_BASE_URL is no web address ({problem});"
            " write one like http://localhost:11434/v1."
        )
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}".rstrip("/")


def _message(spoken: Spoken) -> ChatCompletionMessageParam:
    match spoken.role:
        case "system":
            return ChatCompletionSystemMessageParam(role="system", content=spoken.text)
        case "developer":
            return ChatCompletionDeveloperMessageParam(role="developer", content=spoken.text)
        case "user":
            return ChatCompletionUserMessageParam(role="user", content=spoken.text)
        case "assistant":
            return ChatCompletionAssistantMessageParam(role="assistant", content=spoken.text)


def _format(schema: Mapping[str, object] | None, form: SchemaForm) -> ResponseFormat | Omit:
    if schema is None or form in {SchemaForm.PROMPT, SchemaForm.OBJECT_SCHEMA}:
        return omit
    if form is SchemaForm.OBJECT:
        return {"type": "json_object"}
    strict = strictly(schema)
    assert isinstance(strict, dict)
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": strict, "strict": True},
    }


def _beyond_openai(schema: Mapping[str, object] | None, form: SchemaForm) -> object:
    """A format that some local servers know and OpenAI does not."""
    if schema is None or form is not SchemaForm.OBJECT_SCHEMA:
        return None
    return {"response_format": {"type": "json_object", "schema": strictly(schema)}}


def _delta(chunk: object) -> Delta:
    """What a chunk holds. The SDK does not validate: every field may be anything."""
    choices = getattr(chunk, "choices", None)
    choice: object = choices[0] if isinstance(choices, list) and choices else None
    part: object = getattr(choice, "delta", None) or getattr(choice, "message", None)
    finish = getattr(choice, "finish_reason", None)
    thought = getattr(part, "reasoning_content", None) or getattr(part, "reasoning", None)
    return Delta(
        text=_text(getattr(part, "content", None)),
        thought=bool(thought),
        declined=bool(getattr(part, "refusal", None)),
        finish=finish if isinstance(finish, str) else "",
        tokens=_tokens(getattr(chunk, "usage", None)),
    )


def _text(content: object) -> str:
    """Some send a list of parts, thoughts among them."""
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, dict) and part.get("type") == "text")
        return "".join(_text(part.get("text")) for part in parts)
    return content if isinstance(content, str) else ""


def _tokens(usage: object) -> tuple[int, int] | None:
    names: tuple[Literal["prompt_tokens"], Literal["completion_tokens"]]
    names = ("prompt_tokens", "completion_tokens")
    counts = [count for name in names if isinstance(count := getattr(usage, name, None), int)]
    return (counts[0], counts[1]) if len(counts) == 2 else None
