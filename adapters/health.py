"""How the running program is: the lag of its event loop, and a port that tells."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from aiohttp import web

from bot.errors import SettingsError
from bot.house.figures import Calls
from bot.house.meter import Meter

log = logging.getLogger(__name__)

CallsSoFar = Callable[[], Awaitable[Sequence[Calls]]]

SAMPLE_SECONDS = 0.5
QUANTILES = (0.5, 0.99)


@asynccontextmanager
async def watched(
    meter: Meter,
    port: int | None = None,
    *,
    host: str = "127.0.0.1",
    calls: CallsSoFar | None = None,
) -> AsyncIterator[None]:
    """Meanwhile the loop's lag is sampled, and with a port its figures can be asked for;
    `calls` gives those of model calls.

    Raises SettingsError where the port cannot be had.
    """
    sampling = asyncio.create_task(_sample(meter), name="loop lag")
    runner = web.AppRunner(health_app(meter, calls), access_log=None)
    try:
        if port is not None:
            await _listen(runner, host, port)
        yield
    finally:
        sampling.cancel()
        with suppress(asyncio.CancelledError):
            await sampling
        await runner.cleanup()


def health_app(meter: Meter, calls: CallsSoFar | None = None) -> web.Application:
    """The application behind the port: /healthz and /metrics."""

    async def healthz(request: web.Request) -> web.Response:
        del request
        return web.json_response(_state(meter))

    async def metrics(request: web.Request) -> web.Response:
        del request
        return web.Response(
            text=exposition(meter, await calls() if calls else ()),
            headers={"Content-Type": "text/plain; version=0.0.4"},
        )

    app = web.Application()
    app.add_routes([web.get("/healthz", healthz), web.get("/metrics", metrics)])
    return app


async def _listen(runner: web.AppRunner, host: str, port: int) -> None:
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise SettingsError(
            f"HEALTH_PORT {port} on {host} cannot be used ({error.strerror}): set another one, "
            "or none."
        ) from error
    log.info("Health is told on http://%s:%d/healthz and /metrics.", host, port)


async def _sample(meter: Meter) -> None:
    """How much too late a sleeping task comes to its turn."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + SAMPLE_SECONDS
        await asyncio.sleep(SAMPLE_SECONDS)
        meter.lagged(loop.time() - due)


def _state(meter: Meter) -> dict[str, object]:
    return {
        "status": "ok",
        "started": meter.started.isoformat(),
        "received": meter.received,
        "answered": meter.answered,
        "apologies": meter.apologies,
        "loop_lag_p99_seconds": meter.lag_seconds(0.99),
    }


def exposition(meter: Meter, calls: Sequence[Calls] = ()) -> str:
    """The counters in Prometheus' text format, version 0.0.4."""
    return "\n".join((*_lines(meter), *_model_lines(calls))) + "\n"


def _model_lines(calls: Sequence[Calls]) -> Iterator[str]:
    """Model calls since the start, by what they were for."""
    yield from _head("model_calls_total", "counter", "Model calls.")
    for one in calls:
        yield f"bower_model_calls_total{_labels(one)} {one.calls}"
    yield from _head("model_seconds_total", "counter", "Seconds that model calls took.")
    for one in calls:
        yield f"bower_model_seconds_total{_labels(one)} {one.seconds:.6f}"
    yield from _head("model_tokens_total", "counter", "Tokens of model calls.")
    for one in calls:
        for kind, tokens in (("prompt", one.prompt_tokens), ("completion", one.completion_tokens)):
            yield f"bower_model_tokens_total{_labels(one, kind=kind)} {tokens}"


def _labels(calls: Calls, **more: str) -> str:
    pairs = {"purpose": calls.purpose, "model": calls.model, **more}
    return "{" + ",".join(f"{name}={_quoted(value)}" for name, value in pairs.items()) + "}"


def _quoted(value: str) -> str:
    """A label's value as Prometheus reads it."""
    escaped = value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'


def _lines(meter: Meter) -> Iterator[str]:
    yield from _counter("received", "Messages kept.", meter.received)
    yield from _counter("answers", "Answers made.", meter.answered)
    yield from _counter("apologies", "Answers without a model's words.", meter.apologies)
    yield from _counter("commands", "Commands given.", meter.commands)
    yield from _head("ignored_total", "counter", "Messages kept and not answered.")
    for reason, number in sorted(meter.ignored.items()):
        yield f"bower_ignored_total{{reason={_quoted(reason)}}} {number}"
    yield from _head("answer_seconds", "summary", "From the end of a burst to the reply sent.")
    for share in QUANTILES:
        if (seconds := meter.answer_seconds(share)) is not None:
            yield f'bower_answer_seconds{{quantile="{share}"}} {seconds:.6f}'
    yield f"bower_answer_seconds_sum {meter.answer_seconds_total:.6f}"
    yield f"bower_answer_seconds_count {meter.answered}"
    yield from _head("loop_lag_seconds", "gauge", "How late the event loop is.")
    for share in QUANTILES:
        if (seconds := meter.lag_seconds(share)) is not None:
            yield f'bower_loop_lag_seconds{{quantile="{share}"}} {seconds:.6f}'
    up = (datetime.now(UTC) - meter.started).total_seconds()
    yield from _head("uptime_seconds", "gauge", "Since the start.")
    yield f"bower_uptime_seconds {up:.0f}"


def _counter(name: str, help_text: str, number: int) -> Iterator[str]:
    yield from _head(f"{name}_total", "counter", help_text)
    yield f"bower_{name}_total {number}"


def _head(name: str, kind: str, help_text: str) -> Iterator[str]:
    yield f"# HELP bower_{name} {help_text}"
    yield f"# TYPE bower_{name} {kind}"
