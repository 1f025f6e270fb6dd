"""Discord's REST interface on loopback, as far as the adapter uses it."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.platforms.discord import fake_payloads as make
from tests.platforms.discord.fake_payloads import EPHEMERAL, Json
from tests.platforms.discord.openapi import oracle

if TYPE_CHECKING:
    from tests.platforms.discord.fake_gateway import FakeDiscord

LIMIT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked."""

    method: str
    path: str
    body: Json
    files: tuple[tuple[str, bytes], ...] = ()
    query: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Fault:
    """Makes the next `times` matching requests fail. `reset` drops the connection; with
    `after` the request takes effect before it fails."""

    method: str
    path: str
    status: int = 500
    code: int = 0
    message: str = "Fault"
    retry_after: float | None = None
    is_global: bool = False
    via: bool = True
    reset: bool = False
    after: bool = False
    times: int = 1
    hang: float = 0.0


@dataclass(slots=True, kw_only=True)
class Interaction:
    """An interaction as Discord keeps it."""

    id: str
    token: str
    channel: str
    acknowledged: bool = False
    private: bool = False
    original: str | None = None
    answers: list[str] = field(default_factory=list)


class Refusal(Exception):
    """An error that Discord answers with."""

    def __init__(self, status: int, code: int, message: str, **more: object) -> None:
        super().__init__(message)
        self.status = status
        self.body: Json = {"message": message, "code": code, **more}


Answer = tuple[int, object]
Handler = Callable[[Request, re.Match[str]], Answer]


class Rest:
    """Routes requests to the state of a FakeDiscord."""

    def __init__(self, state: "FakeDiscord") -> None:
        self._state = state
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.wrong: list[str] = []
        message = r"/channels/(\d+)/messages"
        hook = r"/webhooks/(\d+)/([\w-]+)"
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
                ("GET", r"/channels/(\d+)/webhooks", self._webhooks),
                ("POST", r"/channels/(\d+)/webhooks", self._make_webhook),
                ("POST", r"/interactions/(\d+)/([\w-]+)/callback", self._callback),
                ("POST", hook, self._through_webhook),
                ("PATCH", hook + r"/messages/(@original|\d+)", self._edit_through_webhook),
                ("DELETE", hook + r"/messages/(@original|\d+)", self._delete_through_webhook),
            )
        ]

    async def handle(self, http: web.Request) -> web.StreamResponse:
        path = http.path.removeprefix("/api/v10")
        request = await _read(http, path)
        self.requests.append(request)
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
        if status == 204:
            return web.Response(status=204)
        return _json(status, body)

    def _answer(self, request: Request, http: web.Request) -> Answer:
        if not request.path.startswith(("/webhooks", "/interactions")):
            if http.headers.get("Authorization") != f"Bot {self._state.token}":
                raise Refusal(401, 0, "401: Unauthorized")
        for method, pattern, handler in self._routes:
            if method == request.method and (found := pattern.fullmatch(request.path)):
                return handler(request, found)
        raise Refusal(404, 0, f"404: Not Found ({request.method} {request.path})")

    def _fault(self, request: Request) -> Fault | None:
        for fault in self.faults:
            if fault.method == request.method and re.search(fault.path, request.path):
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
            response = _json(429, {**body, "global": fault.is_global})
            if fault.via:
                response.headers["Via"] = "1.1 fake"
            return response
        return _json(fault.status, {"message": fault.message, "code": fault.code})

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
        self._check(body, request.files)
        reference = body.get("message_reference")
        if reference and reference["message_id"] not in self._state.messages:
            if reference.get("fail_if_not_exists", True):
                raise Refusal(400, 50035, "Invalid Form Body", errors={"message_reference": {}})
            reference = None
        key = (found[1], str(body.get("nonce")))
        if body.get("enforce_nonce") and key in self._state.nonces:
            return 200, self._state.messages[self._state.nonces[key]]
        author = make.user(make.BOT, self._state.bot_name, bot=True)
        posted = self._state.new_message(found[1], author, body.get("content") or "")
        posted |= {"components": body.get("components") or []}
        if reference:
            posted |= {"type": 19, "message_reference": {"type": 0, **reference}}
            posted["message_reference"].pop("fail_if_not_exists", None)
        self._attach(posted, request)
        self._state.nonces[key] = posted["id"]
        self._state.told("MESSAGE_CREATE", posted)
        return 200, posted

    def _check(self, body: Json, files: tuple[tuple[str, bytes], ...]) -> None:
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

    def _attach(self, posted: Json, request: Request) -> None:
        for name, content in request.files:
            id_ = self._state.new_id()
            url = self._state.store_file(id_, name, content)
            posted["attachments"].append(make.attachment(id_, name, len(content), url, None))

    def _existing(self, message: str) -> Json:
        if message not in self._state.messages:
            raise Refusal(404, 10008, "Unknown Message")
        return self._state.messages[message]

    def _get(self, request: Request, found: re.Match[str]) -> Answer:
        return 200, self._existing(found[2])

    def _edit(self, request: Request, found: re.Match[str]) -> Answer:
        existing = self._existing(found[2])
        if existing["author"]["id"] != make.BOT:
            raise Refusal(403, 50005, "Cannot edit a message authored by another user")
        return 200, self._rewrite(existing, request)

    def _rewrite(self, existing: Json, request: Request) -> Json:
        self._check({"content": existing["content"], **request.body}, request.files)
        if "content" in request.body:
            existing["content"] = request.body["content"] or ""
        existing["components"] = request.body.get("components") or []
        existing["edited_timestamp"] = self._state.now().isoformat()
        self._attach(existing, request)
        self._state.edits.append(existing["id"])
        self._state.told("MESSAGE_UPDATE", existing)
        return existing

    def _delete(self, request: Request, found: re.Match[str]) -> Answer:
        existing = self._existing(found[2])
        self._state.take_away(existing)
        return 204, None

    def _typing(self, request: Request, found: re.Match[str]) -> Answer:
        self._place(found[1])
        self._state.typed.append(found[1])
        return 204, None

    # -- webhooks --------------------------------------------------------------------------
    def _webhooks(self, request: Request, found: re.Match[str]) -> Answer:
        return 200, [w for w in self._state.webhooks.values() if w["channel_id"] == found[1]]

    def _make_webhook(self, request: Request, found: re.Match[str]) -> Answer:
        made = make.webhook(self._state.new_id(), found[1], request.body["name"])
        self._state.webhooks[made["id"]] = made
        return 200, made

    def _through_webhook(self, request: Request, found: re.Match[str]) -> Answer:
        if found[1] == make.APPLICATION:
            return self._follow_up(request, found[2])
        hook = self._hook(found)
        name = str(request.body.get("username") or hook["name"])
        if re.search("discord|clyde", name, re.IGNORECASE) or len(name) > 80:
            raise Refusal(400, 50035, "Invalid Form Body", errors={"username": {}})
        self._check(request.body, request.files)
        author = make.user(hook["id"], name, bot=True)
        channel = request.query.get("thread_id", hook["channel_id"])
        posted = self._state.new_message(channel, author, request.body.get("content") or "")
        posted |= {"webhook_id": hook["id"], "application_id": make.APPLICATION}
        self._attach(posted, request)
        self._state.told("MESSAGE_CREATE", posted)
        return 200, posted

    def _hook(self, found: re.Match[str]) -> Json:
        hook = self._state.webhooks.get(found[1])
        if hook is None or hook["token"] != found[2]:
            raise Refusal(404, 10015, "Unknown Webhook")
        return hook

    def _edit_through_webhook(self, request: Request, found: re.Match[str]) -> Answer:
        if found[1] != make.APPLICATION:
            self._hook(found)
            existing = self._existing(found[3])
            if existing.get("webhook_id") != found[1]:
                raise Refusal(404, 10008, "Unknown Message")
            return 200, self._rewrite(existing, request)
        known = self._interaction(found[2])
        if found[3] != "@original":
            return 200, self._rewrite(self._existing(found[3]), request)
        if known.original is None:
            if not known.acknowledged:
                raise Refusal(404, 10015, "Unknown Webhook")
            self._check(request.body, request.files)
            known.original = self._answer_to(known, request, private=known.private)
            return 200, self._state.messages[known.original]
        return 200, self._rewrite(self._existing(known.original), request)

    def _delete_through_webhook(self, request: Request, found: re.Match[str]) -> Answer:
        if found[1] != make.APPLICATION:
            self._hook(found)
            self._state.take_away(self._existing(found[3]))
            return 204, None
        known = self._interaction(found[2])
        if found[3] == "@original":
            if known.original is None:
                self._state.thinking.discard(known.id)
                known.original = "gone"
                return 204, None
            self._state.take_away(self._existing(known.original))
            return 204, None
        self._state.take_away(self._existing(found[3]))
        return 204, None

    # -- interactions ----------------------------------------------------------------------
    def _interaction(self, token: str) -> Interaction:
        known = self._state.interactions.get(token)
        if known is None:
            raise Refusal(404, 10015, "Unknown Webhook")
        if token in self._state.expired:
            raise Refusal(401, 50027, "Invalid Webhook Token")
        return known

    def _callback(self, request: Request, found: re.Match[str]) -> Answer:
        known = self._state.interactions.get(found[2])
        if known is None or found[2] in self._state.expired:
            raise Refusal(404, 10062, "Unknown interaction")
        if known.acknowledged:
            raise Refusal(400, 40060, "Interaction has already been acknowledged.")
        known.acknowledged = True
        known.private = bool((request.body.get("data") or {}).get("flags", 0) & EPHEMERAL)
        self._state.thinking.add(known.id)
        return 200, {"interaction": {"id": known.id, "type": 2, "response_message_loading": True}}

    def _follow_up(self, request: Request, token: str) -> Answer:
        known = self._interaction(token)
        self._check(request.body, request.files)
        if known.original is None:  # the first one fills in what was deferred, as it was deferred
            known.original = self._answer_to(known, request, private=known.private)
            return 200, self._state.messages[known.original]
        private = bool(request.body.get("flags", 0) & EPHEMERAL)
        return 200, self._state.messages[self._answer_to(known, request, private=private)]

    def _answer_to(self, known: Interaction, request: Request, *, private: bool) -> str:
        self._state.thinking.discard(known.id)
        author = make.user(make.BOT, self._state.bot_name, bot=True)
        posted = self._state.new_message(known.channel, author, request.body.get("content") or "")
        posted |= {"components": request.body.get("components") or []}
        posted |= {"flags": EPHEMERAL if private else 0, "application_id": make.APPLICATION}
        self._attach(posted, request)
        known.answers.append(posted["id"])
        if not private:
            self._state.told("MESSAGE_CREATE", posted)
        return str(posted["id"])


def _json(status: int, body: object) -> web.Response:
    headers = {"Content-Type": "application/json"}  # exactly so: discord.py compares it
    return web.Response(status=status, body=json.dumps(body).encode(), headers=headers)


async def _read(http: web.Request, path: str) -> Request:
    """The body as JSON, and the files of a multipart body."""
    files: list[tuple[str, bytes]] = []
    body: Any = {}
    if http.content_type == "multipart/form-data":
        form = await http.post()
        body = json.loads(str(form["payload_json"]))
        for value in form.values():
            if isinstance(value, web.FileField):
                files.append((value.filename, value.file.read()))
    elif http.can_read_body:
        body = json.loads(await http.text() or "{}")
    if isinstance(body, list):
        body = {"list": body}
    return Request(
        method=http.method, path=path, body=body, files=tuple(files), query=dict(http.query)
    )
