"""A Discord on loopback: REST and gateway over one state, driven by tests.

The real discord.py talks to it over HTTP and a websocket. What people do is a method here
(`say`, `edit`, `delete`, `command`, `press`); what they could read is in `texts`.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Self

import discord
import yarl
from aiohttp import WSMsgType, web

from tests.platforms.discord import fake_payloads as make
from tests.platforms.discord.fake_payloads import BOT, Json
from tests.platforms.discord.fake_people import People
from tests.platforms.discord.fake_rest import Rest

HEARTBEAT_MS = 40_000


class Connection:
    """One websocket that identified or resumed."""

    def __init__(
        self, http: web.Request, socket: web.WebSocketResponse, session: "GatewaySession"
    ) -> None:
        self.transport = http.transport
        self.socket = socket
        self.session = session


class GatewaySession:
    """A session that can be resumed: what was sent in it, by sequence number."""

    def __init__(self, id_: str, intents: int) -> None:
        self.id = id_
        self.intents = intents
        self.sent: list[Json] = []

    def next(self, event: str, data: Json) -> Json:
        payload = {"op": 0, "t": event, "s": len(self.sent) + 1, "d": data}
        self.sent.append(json.loads(json.dumps(payload)))
        return payload


class FakeDiscord(People):
    """State, gateway and REST. Use as an async context manager.

    `now` tells the time, from which ids are made. `refuse` are close codes for the next
    connections; `allowed` the intents that the application may ask for.
    """

    def __init__(self, now: Callable[[], datetime] | None = None) -> None:
        super().__init__(now)
        self.allowed = ~0
        self.refuse: list[int] = []
        self.identified: list[Json] = []
        self.deaf = 0  # so many next connections find no websocket
        self.resumed = 0
        self._sessions: dict[str, GatewaySession] = {}
        self._connections: list[Connection] = []
        self.rest = Rest(self)
        app = web.Application(client_max_size=32 * 2**20)
        app.router.add_get("/gw/", self._gateway)
        app.router.add_get("/files/{id}/{name}", self._file)
        app.router.add_route("*", "/api/v10/{path:.*}", self.rest.handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = int(self._runner.addresses[0][1])
        self._before = (discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY)
        return self

    async def __aexit__(self, *_error: object) -> None:
        discord.http.Route.BASE, gateway = self._before
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
        for connection in self._connections:
            await connection.socket.close(code=1001)
        await self._runner.cleanup()

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/api/v10"

    @property
    def gateway_url(self) -> str:
        return f"ws://127.0.0.1:{self._port}/gw/"

    # -- gateway ---------------------------------------------------------------------------
    def told(self, event: str, message: Json) -> None:
        """A message's event, with what the gateway adds to it."""
        placed = self._placed(dict(message), message["channel_id"])
        if guild := placed.get("guild_id"):
            members = self.guilds[guild]["members"] if guild in self.guilds else []
            author = message["author"]["id"]
            found = [one for one in members if one["user"]["id"] == author]
            if found:
                placed["member"] = {k: v for k, v in found[0].items() if k != "user"}
        self.tell(event, placed)

    def tell(self, event: str, data: Json) -> None:
        """Sends an event in every session; those that are not connected get it at resume."""
        for session in self._sessions.values():
            payload = session.next(event, self._as_allowed(event, data, session.intents))
            for connection in self._connections:
                if connection.session is session and not connection.socket.closed:
                    _send_soon(connection.socket, payload)

    def _as_allowed(self, event: str, data: Json, intents: int) -> Json:
        """Without the message-content intent, servers' messages that neither mention the bot
        nor are its own come without their content."""
        has_content = intents & discord.Intents(message_content=True).value
        if has_content or not event.startswith("MESSAGE_") or "guild_id" not in data:
            return data
        mine = data.get("author", {}).get("id") == BOT
        if mine or any(one["id"] == BOT for one in data.get("mentions", ())):
            return data
        return {**data, "content": "", "attachments": [], "embeds": [], "components": []}

    async def close_sockets(self, code: int) -> None:
        """Discord closes the connection."""
        for connection in list(self._connections):
            await connection.socket.close(code=code)

    def cut_sockets(self) -> None:
        """The network fails."""
        for connection in list(self._connections):
            if connection.transport is not None:
                connection.transport.abort()

    async def op(self, code: int, data: object = None) -> None:
        """Sends an opcode: 7 reconnect, 9 invalid session."""
        for connection in list(self._connections):
            await connection.socket.send_json({"op": code, "d": data, "s": None, "t": None})

    def asked(self, method: str, part: str) -> list[Json]:
        """The bodies of the requests of this kind."""
        return [one.body for one in self.rest.requests if one.method == method and part in one.path]

    @property
    def sequence(self) -> int:
        """The number of the newest event."""
        return max((len(session.sent) for session in self._sessions.values()), default=0)

    @property
    def connected(self) -> int:
        return sum(not connection.socket.closed for connection in self._connections)

    async def _gateway(self, http: web.Request) -> web.StreamResponse:
        if self.deaf > 0:
            self.deaf -= 1
            return web.Response(status=503)
        socket = web.WebSocketResponse(heartbeat=None)
        await socket.prepare(http)
        if self.refuse and self.refuse[0] != 4014:
            await socket.close(code=self.refuse.pop(0))
            return socket
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": HEARTBEAT_MS}, "s": None})
        connection: Connection | None = None
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                break
            said = json.loads(frame.data)
            if said["op"] == 1:
                await socket.send_json({"op": 11, "d": None, "s": None, "t": None})
            elif said["op"] == 2:
                connection = await self._identify(http, socket, said["d"])
            elif said["op"] == 6:
                connection = await self._resume(http, socket, said["d"])
        if connection in self._connections:
            self._connections.remove(connection)
        return socket

    async def _identify(
        self, http: web.Request, socket: web.WebSocketResponse, data: Json
    ) -> Connection | None:
        self.identified.append(data)
        if data["token"] != self.token:
            await socket.close(code=4004)
            return None
        if data["intents"] & ~self.allowed:
            await socket.close(code=4014)
            return None
        session = GatewaySession(self.new_id(), data["intents"])
        self._sessions = {session.id: session}
        connection = Connection(http, socket, session)
        ready = {
            "v": 10,
            "user": make.own_user(self.bot_name),
            "guilds": [{"id": id_, "unavailable": True} for id_ in self.guilds],
            "session_id": session.id,
            "resume_gateway_url": self.gateway_url,
            "application": {"id": make.APPLICATION, "flags": self.flags},
        }
        await socket.send_json(session.next("READY", ready))
        for guild in self.guilds.values():
            await socket.send_json(session.next("GUILD_CREATE", guild))
        self._connections.append(connection)
        return connection

    async def _resume(
        self, http: web.Request, socket: web.WebSocketResponse, data: Json
    ) -> Connection | None:
        session = self._sessions.get(data["session_id"])
        if session is None:
            await socket.send_json({"op": 9, "d": False, "s": None, "t": None})
            return None
        connection = Connection(http, socket, session)
        self._connections.append(connection)
        for payload in session.sent[data["seq"] :]:
            await socket.send_json(payload)
        self.resumed += 1
        await socket.send_json(session.next("RESUMED", {}))
        return connection

    async def _file(self, http: web.Request) -> web.Response:
        found = self._files.get(http.match_info["id"])
        return web.Response(status=404) if found is None else web.Response(body=found)


_sending: set[asyncio.Task[None]] = set()


def _send_soon(socket: web.WebSocketResponse, payload: Json) -> None:
    """Frames of one socket are written in the order of these calls."""

    async def send() -> None:
        with suppress(ConnectionResetError):  # was cut: the session gets it at resume
            if not socket.closed:
                await socket.send_json(payload)

    task = asyncio.get_running_loop().create_task(send())
    _sending.add(task)
    task.add_done_callback(_sending.discard)
