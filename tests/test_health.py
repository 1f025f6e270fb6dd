"""The port on loopback, and the loop's lag."""

import asyncio
import re
import socket
import time

import aiohttp
import pytest

from adapters import health
from adapters.health import exposition, watched
from bot.errors import SettingsError
from bot.house.figures import Calls
from bot.house.meter import Meter
from tests.fakes import NOON, until

CALLS = [
    Calls(
        purpose="answer",
        model='gpt "x"',
        calls=2,
        prompt_tokens=700,
        completion_tokens=30,
        seconds=2.5,
    )
]


@pytest.fixture
def meter() -> Meter:
    made = Meter(started=NOON)
    made.received = 3
    made.ignored['a "quoted"\nreason'] += 1
    made.took(1.5, failed=True)
    return made


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_health_and_metrics_are_told_on_loopback(meter: Meter) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"

    async def calls() -> list[Calls]:
        return CALLS

    async with watched(meter, port, calls=calls), aiohttp.ClientSession() as session:
        async with session.get(f"{base}/healthz") as answer:
            state = await answer.json()
        assert (answer.status, state["status"], state["received"]) == (200, "ok", 3)
        async with session.get(f"{base}/metrics") as answer:
            text = await answer.text()
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        assert "bower_answers_total 1\n" in text
        labels = 'purpose="answer",model="gpt \\"x\\""'
        assert f"bower_model_calls_total{{{labels}}} 2\n" in text
        assert f'bower_model_tokens_total{{{labels},kind="prompt"}} 700\n' in text
        assert f'bower_model_tokens_total{{{labels},kind="completion"}} 30\n' in text
        async with session.get(f"{base}/other") as answer:
            assert answer.status == 404
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


async def test_a_port_that_is_taken_is_said_in_one_sentence(meter: Meter) -> None:
    port = free_port()
    async with watched(meter, port):
        with pytest.raises(SettingsError, match=f"HEALTH_PORT {port} on 127.0.0.1 cannot be used"):
            async with watched(meter, port):
                pass


async def test_a_blocked_loop_shows_as_lag(meter: Meter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "SAMPLE_SECONDS", 0.001)
    async with watched(meter):
        await asyncio.sleep(0)  # the sampler sleeps now
        time.sleep(0.05)  # noqa: ASYNC251 - this is what must show
        await until(lambda: meter.lag_seconds(1.0) is not None)
    assert (meter.lag_seconds(1.0) or 0) >= 0.04


def test_every_line_of_the_exposition_is_in_prometheus_format(meter: Meter) -> None:
    meter.lagged(0.01)
    line = re.compile(
        r"# (HELP|TYPE) bower_\w+ .+|"
        r'bower_\w+(\{\w+="(\\["\\n]|[^"\\\n])*"(,\w+="(\\["\\n]|[^"\\\n])*")*\})? -?[0-9.]+'
    )
    text = exposition(meter, CALLS)
    assert text.endswith("\n")
    for row in text.splitlines():
        assert line.fullmatch(row), row
    assert r'{reason="a \"quoted\"\nreason"} 1' in text
