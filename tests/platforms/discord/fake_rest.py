"""Discord's REST interface on loopback, as far as the adapter uses it."""

import asyncio
import re
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.platforms.discord import fake_payloads as make
from tests.platforms.discord.fake_limits import RateLimits, Verdict
from tests.platforms.discord.fake_payloads import Json
from tests.platforms.discord.fake_secrets import Secrets
from tests.platforms.discord.fake_wire import (
    LIMIT,
    Answer,
    Fault,
    Handler,
    Refusal,
    Request,
    components,
    json_answer,
    read_request,
)
from tests.platforms.discord.openapi import oracle

if TYPE_CHECKING:
    from tests.platforms.discord.fake_gateway import FakeDiscord

FREE = Verdict(headers={})


def _refused(verdict: Verdict) -> web.Response:
    said = {"message": "You are being rate limited.", "retry_after": verdict.retry_after}
    response = json_answer(429, {**said, "global": verdict.is_global})
    response.headers.update({**verdict.headers, "Via": "1.1 fake"})
    return response


class Rest:
    """Routes requests to the state of a FakeDiscord."""

    def __init__(self, state: "FakeDiscord") -> None:
        self._state = state
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.wrong: list[str] = []
        self.limits: RateLimits | None = None  # without them, all calls are allowed
        message = r"/channels/(\d+)/messages"
        self._routes: list[tuple[str, re.Pattern[str], Handler]] = [
            (method, re.compile(pattern), handler)
            for method, pattern, handler in (
                ("GET", r"/users/@me", self._me),
                ("GET", r"/oauth2/applications/@me", self._application),
                ("PUT", r"/applications/(\d+)/commands", self._commands),
                ("POST", r"/users/@me/channels", self._open_dm),
                ("GET", r"/channels/(\d+)", self._channel),
                ("POST", message, self._post),
                ("GET", message + r"/(\d+)", self._get),
                ("PATCH", message + r"/(\d+)", self._edit),
                ("DELETE", message + r"/(\d+)", self._delete),
                ("POST", r"/channels/(\d+)/typing", self._typing),
                *Secrets(state, self).routes(),
            )
        ]

    async def handle(self, http: web.Request) -> web.StreamResponse:
        path = http.path.removeprefix("/api/v10")
        request = await read_request(http, path)
        self.requests.append(request)
        verdict = self.limits.ask(request.method, path) if self.limits else FREE
        if verdict.retry_after is not None:
            return _refused(verdict)
        fault = self._fault(request)
        if fault is not None and not fault.after:
            return await self._fail(fault, http)
        try:
            status, body = self._answer(request, http)
        except Refusal as refusal:
            status, body = refusal.status, refusal.body
        if fault is not None:
            return await self._fail(fault, http)
        if (known := oracle()) is not None:
            self.wrong += known.complaints(request.method, path, status, body)
        answer = web.Response(status=204) if status == 204 else json_answer(status, body)
        answer.headers.update(verdict.headers)
        return answer

    def _answer(self, request: Request, http: web.Request) -> Answer:
        by_secret = request.path.startswith(("/webhooks", "/interactions"))
        if not by_secret and http.headers.get("Authorization") != f"Bot {self._state.token}":
            raise Refusal(401, 0, "401: Unauthorized")
        for method, pattern, handler in self._routes:
            if method == request.method and (found := pattern.fullmatch(request.path)):
                return handler(request, found)
        raise Refusal(404, 0, f"404: Not Found ({request.method} {request.path})")

    def _fault(self, request: Request) -> Fault | None:
        for fault in self.faults:
            if fault.method == request.method and re.search(fault.path, request.path):
                if fault.skip:
                    fault.skip -= 1
                    continue
                fault.times -= 1
                if fault.times <= 0:
                    self.faults.remove(fault)
                return fault
        return None

    async def _fail(self, fault: Fault, http: web.Request) -> web.StreamResponse:
        await asyncio.sleep(fault.hang)
        if fault.reset:
            assert http.transport is not None
            http.transport.abort()
            return web.Response(status=500)
        if fault.status == 429:
            body = {"message": "You are being rate limited.", "retry_after": fault.retry_after}
            response = json_answer(429, {**body, "global": fault.is_global})
            if fault.via:
                response.headers["Via"] = "1.1 fake"
            return response
        more = {"errors": fault.errors} if fault.errors else {}
        return json_answer(fault.status, {"message": fault.message, "code": fault.code, **more})

    # -- the account -----------------------------------------------------------------------
    def _me(self, request: Request, found: re.Match[str]) -> Answer:
        return 200, make.own_user(self._state.bot_name)

    def _application(self, request: Request, found: re.Match[str]) -> Answer:
        return 200, make.application(self._state.flags)

    def _commands(self, request: Request, found: re.Match[str]) -> Answer:
        given: Any = request.body["list"]
        self._state.commands = [
            {"description": "", **one, "id": str(n), "application_id": found[1], "version": "1"}
            for n, one in enumerate(given, start=1)
        ]
        return 200, self._state.commands

    def _open_dm(self, request: Request, found: re.Match[str]) -> Answer:
        return 200, self._state.dm(str(request.body["recipient_id"]))

    def _channel(self, request: Request, found: re.Match[str]) -> Answer:
        return 200, self._place(found[1])

    def _place(self, channel: str) -> Json:
        if channel not in self._state.channels:
            raise Refusal(404, 10003, "Unknown Channel")
        if channel in self._state.hidden:
            raise Refusal(403, 50001, "Missing Access")
        return self._state.channels[channel]

    # -- messages --------------------------------------------------------------------------
    def _post(self, request: Request, found: re.Match[str]) -> Answer:
        self._place(found[1])
        body = request.body
        self.check(body, request.files)
        reference = dict(body.get("message_reference") or {})
        if reference:
            reference |= {k: str(v) for k, v in reference.items() if k.endswith("_id")}
        if reference and reference["message_id"] not in self._state.messages:
            if reference.get("fail_if_not_exists", True):
                raise Refusal(400, 50035, "Invalid Form Body", errors={"message_reference": {}})
            reference = {}
        key = (found[1], str(body.get("nonce")))
        if body.get("enforce_nonce") and key in self._state.nonces:
            return 200, self._state.messages[self._state.nonces[key]]
        author = make.user(make.BOT, self._state.bot_name, bot=True)
        posted = self._state.new_message(found[1], author, body.get("content") or "")
        posted |= {"components": components(body)}
        if reference:
            posted |= {"type": 19, "message_reference": {"type": 0, **reference}}
            posted["message_reference"].pop("fail_if_not_exists", None)
        self.attach(posted, request)
        self._state.nonces[key] = posted["id"]
        self._state.told("MESSAGE_CREATE", posted)
        return 200, posted

    def check(self, body: Json, files: tuple[tuple[str, bytes], ...]) -> None:
        content = body.get("content") or ""
        if len(content) > LIMIT:
            where = {"content": {"_errors": [{"message": "Must be 2000 or fewer in length."}]}}
            raise Refusal(400, 50035, "Invalid Form Body", errors=where)
        if not content.strip() and not files:
            raise Refusal(400, 50006, "Cannot send an empty message")
        if len(str(body.get("nonce", ""))) > 25:
            raise Refusal(400, 50035, "Invalid Form Body", errors={"nonce": {}})
        if body.get("allowed_mentions", {}).get("parse") != []:
            self.wrong.append("A message could have pinged somebody.")

    def attach(self, posted: Json, request: Request) -> None:
        for name, content in request.files:
            id_ = self._state.new_id()
            url = self._state.store_file(id_, name, content)
            posted["attachments"].append(make.attachment(id_, name, len(content), url, None))

    def existing(self, message: str) -> Json:
        if message not in self._state.messages:
            raise Refusal(404, 10008, "Unknown Message")
        return self._state.messages[message]

    def _get(self, request: Request, found: re.Match[str]) -> Answer:
        return 200, self.existing(found[2])

    def _edit(self, request: Request, found: re.Match[str]) -> Answer:
        existing = self.existing(found[2])
        if existing["author"]["id"] != make.BOT:
            raise Refusal(403, 50005, "Cannot edit a message authored by another user")
        return 200, self.rewrite(existing, request)

    def rewrite(self, existing: Json, request: Request) -> Json:
        self.check({"content": existing["content"], **request.body}, request.files)
        if "content" in request.body:
            existing["content"] = request.body["content"] or ""
        existing["components"] = components(request.body)
        existing["edited_timestamp"] = self._state.now().isoformat()
        self.attach(existing, request)
        self._state.edits.append(existing["id"])
        self._state.told("MESSAGE_UPDATE", existing)
        return existing

    def _delete(self, request: Request, found: re.Match[str]) -> Answer:
        existing = self.existing(found[2])
        self._state.take_away(existing)
        return 204, None

    def _typing(self, request: Request, found: re.Match[str]) -> Answer:
        self._place(found[1])
        self._state.typed.append(found[1])
        return 204, None
