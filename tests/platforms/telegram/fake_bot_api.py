"""A Bot API on loopback: real HTTP, polling and webhook, flood limits, and faults on demand."""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from bot.clock import Clock
from tests.platforms.telegram.fake_chats import Chats, FakeBot, Json
from tests.platforms.telegram.fake_methods import ApiError, Call, Methods
from tests.platforms.telegram.fake_webhooks import Webhooks
from tests.platforms.telegram.spec import check_call, check_result, check_value

SENDS = {"sendmessage", "editmessagetext", "senddocument", "sendmessagedraft"}
IN_A_CHAT, BURST = 0.9, 3
IN_A_GROUP, OVERALL = 20, 30


@dataclass(slots=True, kw_only=True)
class Fault:
    """What happens to the next call of a method instead of its work.

    `after`: the work is done all the same, only its answer is lost.
    """

    method: str
    code: int = 502
    description: str = "Bad Gateway"
    parameters: dict[str, int] = field(default_factory=dict)
    body: bytes | None = None  # sent as it is
    reset: bool = False  # the connection is cut
    after: bool = False
    times: int = 1
    skip: int = 0  # so many calls come before it


class FakeBotApi:
    """Serves all bots that it knows. `calls` are those that came in, oldest first."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.chats = Chats(clock)
        self.methods = Methods(self.chats)
        self.bots: dict[str, FakeBot] = {}
        self.calls: list[Call] = []
        self.faults: list[Fault] = []
        self.refused = 0  # calls that broke a limit
        self.wrong: list[str] = []  # what the description of the Bot API does not allow
        self.failures: list[str] = []  # calls that could not be done, and why
        self.url = ""
        self.changed = asyncio.Condition()
        self.webhooks = Webhooks(self.bots.values, self.changed)
        self._updates = 0
        self._sends: dict[int, deque[float]] = defaultdict(deque)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["FakeBotApi"]:
        app = web.Application(client_max_size=10**8)
        app.router.add_route("*", "/bot{token}/{method}", self._serve)
        app.router.add_get("/file/bot{token}/documents/{file}", self._serve_file)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        calling = asyncio.create_task(self.webhooks.run())
        try:
            yield self
        finally:
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)
            await runner.cleanup()
        assert self.wrong == []

    def add_bot(self, number: int, username: str, name: str, *, reads_all: bool = True) -> FakeBot:
        me = {
            "id": number,
            "is_bot": True,
            "first_name": name,
            "username": username,
            "can_join_groups": True,
            "can_read_all_group_messages": reads_all,
            "supports_inline_queries": False,
        }
        made = FakeBot(token=f"{number}:secret", me=me)
        self.bots[made.token] = made
        return made

    async def deliver(self, bot: FakeBot, kind: str, *contents: Json) -> list[Json]:
        """Something happened that a bot is to hear of, all at once."""
        updates = []
        for content in contents:
            self._updates += 1
            updates.append({"update_id": self._updates, kind: content})
            check_value("Update", updates[-1])
        await self.queue(bot, *updates)
        return updates

    def skip_updates(self, count: int) -> None:
        """Numbers that this test gives itself."""
        self._updates += count

    async def queue(self, bot: FakeBot, *updates: Json) -> None:
        bot.updates += updates
        async with self.changed:
            self.changed.notify_all()

    def called(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method.lower() == method.lower()]

    # -- HTTP ------------------------------------------------------------------------------
    async def _serve(self, request: web.Request) -> web.StreamResponse:
        bot = self.bots.get(request.match_info["token"])
        if bot is None:
            return _failure(ApiError(401, "Unauthorized"))
        call = await _read(request, bot)
        self.calls.append(call)
        self._check(lambda: check_call(call.method, call.names))
        fault = self._fault(call)
        if fault is not None and not fault.after:
            return _broken(request, fault)
        try:
            result = await self._result(call)
        except ApiError as error:
            self.failures.append(f"{call.method}: {error.description}")
            return _failure(error)
        if fault is not None:
            return _broken(request, fault)
        if call.method.lower() != "getupdates":  # those are checked when they are made
            self._check(lambda: check_result(call.method, result))
        if call.method.lower() == "setwebhook":
            async with self.changed:
                self.changed.notify_all()
        return web.json_response({"ok": True, "result": result})

    def _check(self, check: Callable[[], None]) -> None:
        """What is wrong is told when the test ends: here it would only break one call."""
        try:
            check()
        except AssertionError as error:
            self.wrong.append(str(error))

    async def _result(self, call: Call) -> object:
        if call.method.lower() == "getupdates":
            return await self._get_updates(call)
        if call.method.lower() in SENDS:
            self._count(call.number("chat_id"))
        return self.methods.run(call)

    def _fault(self, call: Call) -> Fault | None:
        fault = next((f for f in self.faults if f.method.lower() == call.method.lower()), None)
        if fault is not None and fault.skip:
            fault.skip -= 1
            return None
        if fault is not None:
            fault.times -= 1
            if not fault.times:
                self.faults.remove(fault)
        return fault

    async def _serve_file(self, request: web.Request) -> web.Response:
        return web.Response(body=self.chats.files[request.match_info["file"]])

    # -- limits ----------------------------------------------------------------------------
    def _count(self, chat: int) -> None:
        now = self.clock.now().timestamp()
        for spent in self._sends.values():
            while spent and now - spent[0] >= 60:
                spent.popleft()
        sends = self._sends[chat]
        in_a_burst = sum(now - at < BURST * IN_A_CHAT for at in sends)
        overall = sum(now - at < 1 for spent in self._sends.values() for at in spent)
        wait = 0
        if in_a_burst >= BURST or overall >= OVERALL:
            wait = 3
        if chat < 0 and len(sends) >= IN_A_GROUP:
            wait = 60
        if wait:
            self.refused += 1
            raise ApiError(429, f"Too Many Requests: retry after {wait}", retry_after=wait)
        sends.append(now)

    # -- updates ---------------------------------------------------------------------------
    async def _get_updates(self, call: Call) -> list[Json]:
        bot = call.bot
        if bot.webhook["url"]:
            raise ApiError(
                409,
                "Conflict: can't use getUpdates method while webhook is active; "
                "use deleteWebhook to delete the webhook first",
            )
        if bot.polling:
            raise ApiError(
                409,
                "Conflict: terminated by other getUpdates request; make sure that only one bot "
                "instance is running",
            )
        bot.updates = [u for u in bot.updates if u["update_id"] >= call.number("offset")]
        bot.polling += 1
        try:
            async with asyncio.timeout(call.number("timeout")), self.changed:
                await self.changed.wait_for(lambda: bool(bot.updates))
        except TimeoutError:
            pass
        finally:
            bot.polling -= 1
        return bot.updates[: call.number("limit", 100)]


async def _read(request: web.Request, bot: FakeBot) -> Call:
    params: Json = {}
    files = {}
    if request.content_type == "application/json":
        params = await request.json()
    else:
        for name, value in (await request.post()).items():
            if isinstance(value, web.FileField):
                files[name] = (value.filename, value.file.read())
            else:
                params[name] = value
    return Call(method=request.match_info["method"], bot=bot, params=params, files=files)


def _failure(error: ApiError) -> web.Response:
    body: Json = {"ok": False, "error_code": error.code, "description": error.description}
    if error.parameters:
        body["parameters"] = error.parameters
    return web.json_response(body, status=error.code)


def _broken(request: web.Request, fault: Fault) -> web.StreamResponse:
    if fault.reset:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()
    if fault.body is not None:
        return web.Response(status=fault.code, body=fault.body)
    return _failure(ApiError(fault.code, fault.description, **fault.parameters))
