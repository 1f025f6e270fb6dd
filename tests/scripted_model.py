"""An OpenAI-compatible endpoint on loopback that follows a script.

In a test: `async with ScriptedModel([Answer("Hello."), Failure(503)]) as server`, then point a
client at `server.url`. As a process: `python -m tests.scripted_model --port 8099 --latency 1.0`.
It refuses what OpenAI refuses, in OpenAI's words, and keeps what it was asked.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Self

from aiohttp import web

from tests.scripted_answers import (
    Answer,
    CutStream,
    Empty,
    Failure,
    Garbage,
    Hang,
    Json,
    Request,
    Script,
    Step,
    Think,
    chat,
    deltas_of,
    echo,
    marks,
)
from tests.scripted_refusals import unknown, wrong_format, wrong_limits, wrong_messages

__all__ = [
    "Answer",
    "CutStream",
    "Empty",
    "Failure",
    "Garbage",
    "Hang",
    "Request",
    "ScriptedModel",
    "Think",
    "chat",
    "echo",
]


class ScriptedModel:
    """The server. A list is played step by step, its last step for good; a function is asked
    each time. `latency` is the pause in seconds before each answer. `refuses` names body keys
    that this endpoint does not know."""

    def __init__(
        self,
        script: Sequence[Step] | Script,
        *,
        latency: float = 0.0,
        models: Sequence[str] = ("scripted",),
        api_key: str | None = None,
        refuses: Sequence[str] = (),
        port: int = 0,
    ) -> None:
        self.requests: list[Request] = []
        self.refused: list[Json] = []
        self.at_once = 0
        self.most_at_once = 0
        self.dropped = 0  # streams that the client left before their end
        self.latency = latency
        self.script = script
        self._models = list(models)
        self._api_key = api_key
        self._refuses = refuses
        self._port = port
        self._step = 0
        self._closing = asyncio.Event()
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._list_models)
        self._runner = web.AppRunner(
            app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1
        )

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, backlog=512)
        await site.start()
        self._port = int(self._runner.addresses[0][1])
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._closing.set()
        await self._runner.cleanup()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    async def _list_models(self, request: web.Request) -> web.Response:
        if refusal := self._unauthorized(request):
            return refusal
        data = [{"id": name, "object": "model", "owned_by": "tests"} for name in self._models]
        return web.json_response({"object": "list", "data": data})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self._answer(request)
        except (asyncio.CancelledError, ConnectionError):
            self.dropped += 1
            raise
        finally:
            self.at_once -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if refusal := self._unauthorized(request):
            return refusal
        try:
            body = json.loads(await request.text())
        except ValueError:
            return failed(Failure(400, "We could not parse the JSON body of your request."))
        if wrong := self._refusal(body):
            self.refused.append(body)
            return failed(wrong)
        asked = Request(messages=body["messages"], body=body, headers=dict(request.headers))
        self.requests.append(asked)
        await self._pass(self.latency)
        return await self._perform(self._next(asked), asked, request)

    def _next(self, asked: Request) -> Step:
        if callable(self.script):
            return self.script(asked)
        step = self.script[min(self._step, len(self.script) - 1)]
        self._step += 1
        return step

    def _unauthorized(self, request: web.Request) -> web.Response | None:
        if self._api_key in (
            None,
            request.headers.get("Authorization", "").removeprefix("Bearer "),
        ):
            return None
        return failed(Failure(401, "Incorrect API key provided.", code="invalid_api_key"))

    def _refusal(self, body: object) -> Failure | None:
        """Why OpenAI would not take this request, if so."""
        if not isinstance(body, dict):
            return Failure(400, "The body must be an object.")
        if body.get("model") not in self._models:
            said = (
                f"The model `{body.get('model')}` does not exist or you do not have access to it."
            )
            return Failure(404, said, code="model_not_found")
        for name in self._refuses:
            if name in body:
                return unknown(name)
        return wrong_messages(body.get("messages")) or wrong_limits(body) or wrong_format(body)

    async def _perform(
        self, step: Step, asked: Request, request: web.Request
    ) -> web.StreamResponse:
        streamed = bool(asked.body.get("stream"))
        match step:
            case Failure():
                return failed(step)
            case Garbage(after="") if step.content_type != "text/event-stream":
                return web.Response(
                    body=step.data, status=step.status, content_type=step.content_type
                )
            case Hang(after=None):
                await self._closing.wait()
                return web.Response(status=503)
            case Answer() if step.whole or not streamed:
                return web.json_response(self._completion(step.text, step, asked))
            case _:
                return await self._stream(step, asked, request)

    async def _stream(self, step: Step, asked: Request, request: web.Request) -> web.StreamResponse:
        kind = step.content_type if isinstance(step, CutStream) else "text/event-stream"
        response = web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(request)
        await self._event(response, {"role": "assistant", "content": ""})
        async for delta in self._deltas(step):
            await self._event(response, delta)
        match step:
            case Hang():
                await self._closing.wait()
            case Garbage():
                await response.write(step.data)
            case CutStream(politely=False):
                if request.transport:
                    request.transport.abort()
                return response
            case CutStream():
                pass
            case _:
                await self._end(response, step, asked)
        await response.write_eof()
        return response

    async def _deltas(self, step: Step) -> AsyncIterator[Json]:
        pause = getattr(step, "seconds_per_piece", 0.0)
        for delta in deltas_of(step):
            await self._pass(pause)
            yield delta

    async def _event(
        self, response: web.StreamResponse, delta: Json, finish: str | None = None
    ) -> None:
        choice: Json = {"index": 0, "delta": delta, "finish_reason": finish}
        await self._chunk(response, {"choices": [choice]})

    async def _chunk(self, response: web.StreamResponse, more: Json) -> None:
        chunk = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": self._models[0],
        }
        await response.write(f"data: {json.dumps(chunk | more)}\n\n".encode())

    async def _end(self, response: web.StreamResponse, step: Step, asked: Request) -> None:
        await self._event(response, {}, getattr(step, "finish", "stop"))
        wanted = asked.body.get("stream_options")
        told = isinstance(wanted, dict) and wanted.get("include_usage")
        if told and getattr(step, "usage", True):
            text = "".join(str(delta.get("content", "")) for delta in deltas_of(step))
            await self._chunk(response, {"choices": [], "usage": usage_of(asked, text)})
        await response.write(b"data: [DONE]\n\n")

    def _completion(self, text: str, step: Answer, asked: Request) -> Json:
        message: Json = {"role": "assistant", "content": text, "refusal": step.refusal or None}
        completion: Json = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": self._models[0],
            "choices": [{"index": 0, "message": message, "finish_reason": step.finish}],
        }
        return completion | ({"usage": usage_of(asked, text)} if step.usage else {})

    async def _pass(self, seconds: float) -> None:
        """Waits, but never keeps the server from closing."""
        if seconds > 0:
            try:
                await asyncio.wait_for(self._closing.wait(), seconds)
            except TimeoutError:
                return


def failed(step: Failure) -> web.Response:
    error = {
        "message": step.message,
        "type": "invalid_request_error" if step.status < 500 else "server_error",
        "param": step.param,
        "code": step.code,
    }
    return web.Response(
        text=json.dumps({"error": error}) if step.body is None else step.body,
        status=step.status,
        headers=step.headers,
        content_type=step.content_type,
    )


def usage_of(asked: Request, text: str) -> Json:
    prompt = sum(len(message["content"].split()) for message in asked.messages)
    answer = len(text.split())
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
    }


async def serve(port: int, latency: float, script: Script, model: str) -> None:
    async with ScriptedModel(script, latency=latency, models=[model], port=port) as server:
        print(server.url, flush=True)  # noqa: T201  # whoever started it waits for the address
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--model", default="scripted")
    parser.add_argument("--echo", action="store_true", help="say the last user message again")
    parser.add_argument("--marks", action="store_true", help="say which marks are answered")
    asked = parser.parse_args()
    script = echo if asked.echo else marks if asked.marks else chat
    try:
        asyncio.run(serve(asked.port, asked.latency, script, asked.model))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
