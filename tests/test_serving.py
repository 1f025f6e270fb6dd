"""Platforms side by side: what ends one leaves the others."""

import asyncio
import logging

import pytest

from adapters.cli.serving import serve
from bot.errors import SettingsError
from bot.messages import Inbound
from bot.ports import Handler, Platform, Send
from tests.fakes import ListPlatform, until


class FailingPlatform(ListPlatform):
    """Its service refuses it when it starts."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(name)
        self.error = error

    async def run(self, handle: Handler) -> None:
        raise self.error


class LongPlatform(ListPlatform):
    """Receives until it is cancelled."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.running = False

    async def run(self, handle: Handler) -> None:
        self.running = True
        try:
            await asyncio.Event().wait()
        finally:
            self.running = False


async def handle(inbound: Inbound, send: Send) -> None:
    raise AssertionError("nothing comes in")


async def resume(platform: Platform) -> None:
    """Nothing was left over."""


WRONG = SettingsError("Discord does not accept the token.")


@pytest.mark.parametrize(("error", "traceback"), [(WRONG, False), (RuntimeError("oh"), True)])
async def test_the_failure_of_one_platform_leaves_the_other(
    caplog: pytest.LogCaptureFixture, error: Exception, *, traceback: bool
) -> None:
    telegram = LongPlatform("telegram")
    platforms = [FailingPlatform("discord", error), telegram]
    serving = asyncio.create_task(serve(platforms, handle, resume))
    await until(lambda: bool(caplog.records) and telegram.running)
    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert record.message == f"Discord has stopped: {error} The other platforms go on without it."
    assert bool(record.exc_info) == traceback
    assert not serving.done()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert not telegram.running


async def test_where_all_fail_the_first_one_says_why(caplog: pytest.LogCaptureFixture) -> None:
    platforms = [
        FailingPlatform("discord", WRONG),
        FailingPlatform("telegram", SettingsError("So does Telegram.")),
    ]
    with pytest.raises(SettingsError, match="Discord does not accept"):
        await serve(platforms, handle, resume)
    assert [one.message for one in caplog.records if one.levelno == logging.ERROR] == [
        f"Discord has stopped: {WRONG} The other platforms go on without it."
    ]


async def test_a_single_platform_ends_the_program_with_its_own_sentence(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(SettingsError, match="Discord does not accept"):
        await serve([FailingPlatform("discord", WRONG)], handle, resume)
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


async def test_what_was_left_over_is_taken_up_on_every_platform() -> None:
    platforms, resumed = [ListPlatform("one"), ListPlatform("two")], []

    async def take_up(platform: Platform) -> None:
        resumed.append(platform.name)

    await serve(platforms, handle, take_up)
    assert resumed == ["one", "two"]
