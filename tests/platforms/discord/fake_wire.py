"""Requests, faults and refusals of the fake Discord, and how they travel."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from aiohttp import web

from tests.platforms.discord.fake_payloads import Json

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
    """Lets `skip` matching requests pass and makes the next `times` fail. `reset` drops the
    connection; with `after` the request takes effect before it fails."""

    method: str
    path: str
    status: int = 500
    code: int = 0
    message: str = "Fault"
    errors: Json | None = None
    retry_after: float | None = None
    is_global: bool = False
    via: bool = True
    reset: bool = False
    after: bool = False
    skip: int = 0
    times: int = 1
    hang: float = 0.0


@dataclass(slots=True, kw_only=True)
class Interaction:
    """An interaction as Discord keeps it."""

    id: str
    token: str
    channel: str
    who: str = ""
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


def components(body: Json) -> list[Json]:
    """Rows of buttons, numbered as Discord numbers them."""
    numbers = count(1)
    return [
        {
            **row,
            "id": next(numbers),
            "components": [{**one, "id": next(numbers)} for one in row["components"]],
        }
        for row in body.get("components") or []
    ]


def json_answer(status: int, body: object) -> web.Response:
    headers = {"Content-Type": "application/json"}  # exactly so: discord.py compares it
    return web.Response(status=status, body=json.dumps(body).encode(), headers=headers)


async def read_request(http: web.Request, path: str) -> Request:
    """The body as JSON, and the files of a multipart body."""
    files: list[tuple[str, bytes]] = []
    body: Any = {}
    if http.content_type == "multipart/form-data":
        form = await http.post()
        body = json.loads(str(form["payload_json"]))
        fields = [value for value in form.values() if isinstance(value, web.FileField)]
        files = [(value.filename, value.file.read()) for value in fields]
    elif http.can_read_body:
        body = json.loads(await http.text() or "{}")
    if isinstance(body, list):
        body = {"list": body}
    return Request(
        method=http.method, path=path, body=body, files=tuple(files), query=dict(http.query)
    )
