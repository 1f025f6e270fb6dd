"""Whole processes: `main.py` as people start it, against a scripted model on loopback."""

import asyncio
import json
import os
import pty
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.settings import Settings
from tests.scripted_model import ScriptedModel, chat

MAIN = Path(__file__).resolve().parent.parent / "main.py"
DOUBLES = MAIN.parent / "tests" / "doubles"
SECONDS = 120
"""Starting takes a few, and many on a busy machine."""

PERSONA = """
name = "Ida"
description = "Ida keeps the lighthouse."
greetings = ["Ahoy, the lamp is lit."]
apologies = ["Ask again."]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a process left: its exit code and what it wrote."""

    code: int
    out: str
    err: str


class Program:
    """Starts `main.py` in a folder of its own, with a bare environment.

    The real encoder takes most of a start, so there is one only where it is asked for.
    """

    def __init__(self, folder: Path, model_url: str, *, real_encoder: bool = False) -> None:
        self.folder = folder
        settings = {field.upper() for field in Settings.model_fields}
        self.environment = {k: v for k, v in os.environ.items() if k not in settings}
        self.environment |= {
            "OPENAI_BASE_URL": model_url,
            "MODEL": "scripted",
            "PERSONAS": str(folder / "personas"),
            "PYTHONWARNINGS": "default",
        }
        if not real_encoder:
            self.environment["PYTHONPATH"] = str(DOUBLES)
        (folder / "personas").mkdir()
        (folder / "personas" / "ida.toml").write_text(PERSONA, encoding="utf-8")

    async def start(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            str(MAIN),
            *arguments,
            cwd=self.folder,
            env=self.environment | dict(environment or {}),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
        )

    async def run(self, *arguments: str, typed: str | bytes = "", **environment: str) -> Ended:
        process = await self.start(*arguments, environment=environment)
        content = typed.encode() if isinstance(typed, str) else typed
        out, err = await asyncio.wait_for(process.communicate(content), SECONDS)
        return Ended(code=process.returncode or 0, out=out.decode(), err=err.decode())


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel(chat) as running:
        yield running


@pytest.fixture
def program(tmp_path: Path, server: ScriptedModel) -> Program:
    return Program(tmp_path, server.url)


async def test_what_is_said_is_answered_kept_and_recalled_by_another_process(
    tmp_path: Path, server: ScriptedModel
) -> None:
    program = Program(tmp_path, server.url, real_encoder=True)
    first = await program.run(
        "chat", "--as", "Ana", typed=b"Hello\r\n\nMy dog is called Rex\ncaf\xe9\n"
    )
    assert first.code == 0
    replies = first.out.splitlines()
    assert len(replies) == 3
    assert all(line.startswith("Ida: ") for line in replies)
    assert "Rex" in replies[1]
    assert first.err == ""
    second = await program.run("chat", "--as", "Ana", typed="What is my dog called?\n")
    assert second.code == 0
    assert "My dog is called Rex" in json.dumps(server.requests[-1].body)
    recalled = await program.run("recall", "Rex", "--as", "Ana", "--limit", "1", "--json")
    [found] = json.loads(recalled.out)["results"]
    assert "Rex" in found["text"]
    assert recalled.err == ""


async def test_killed_while_it_thinks_it_answers_at_the_next_start(
    program: Program, server: ScriptedModel
) -> None:
    process = await program.start("chat", "--as", "Ana")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"one\n")
    await process.stdin.drain()
    answer = await asyncio.wait_for(process.stdout.readline(), SECONDS)
    assert answer.startswith(b"Ida: ")
    server.latency = 30
    process.stdin.write(b"two\nthree\n")
    await process.stdin.drain()
    await until(lambda: any("two" in one.last for one in server.requests))
    process.kill()
    await process.wait()
    process.stdin.close()
    server.latency = 0
    again = await program.run("chat", "--as", "Ana")
    assert again.code == 0
    assert again.out.count("\n") == 1
    assert "two" in again.out
    once_more = await program.run("chat", "--as", "Ana")
    assert once_more.out == ""


async def test_at_the_keyboard_it_greets_streams_and_keeps_what_ctrl_c_leaves(
    program: Program, server: ScriptedModel
) -> None:
    terminal = await Terminal.of(program, "chat", "--as", "Ana")
    try:
        await terminal.until("Ahoy, the lamp is lit.")
        await terminal.until("Ana>")
        terminal.type("Hello\r")
        await terminal.until("I heard you say")
        server.latency = 30
        terminal.type("Are you there?\r")
        await until(lambda: any("Are you there?" in str(one) for one in server.requests))
        terminal.type("\x03")
        await terminal.until("it is answered at the next start")
        assert await asyncio.wait_for(terminal.process.wait(), SECONDS) == 130
        assert "Traceback" not in terminal.seen
    finally:
        terminal.close()
    history = program.folder / "data" / "bower.history"
    assert "Are you there?" in history.read_text(encoding="utf-8")
    assert history.stat().st_mode & 0o777 == 0o600


class Terminal:
    """A process behind a pseudo-terminal; `seen` is all that it showed."""

    def __init__(self, process: Process, descriptor: int) -> None:
        self.process = process
        self.seen = ""
        self._descriptor = descriptor
        self._from = 0
        self._arrived = asyncio.Event()
        asyncio.get_running_loop().add_reader(descriptor, self._read)

    @classmethod
    async def of(cls, program: Program, *arguments: str) -> "Terminal":
        ours, theirs = pty.openpty()
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(MAIN),
            *arguments,
            cwd=program.folder,
            env={**program.environment, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=_own_terminal,
        )
        os.close(theirs)
        return cls(process, ours)

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    async def until(self, text: str) -> None:
        """Returns when a text was shown after the last one waited for."""
        async with asyncio.timeout(SECONDS):
            while (found := self.seen.find(text, self._from)) < 0:
                self._arrived.clear()
                await self._arrived.wait()
        self._from = found + len(text)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)
        if self.process.returncode is None:
            self.process.kill()

    def _read(self) -> None:
        try:
            content = os.read(self._descriptor, 65_536)
        except OSError:  # the other end is closed
            content = b""
        if not content:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            return
        if b"\x1b[6n" in content:  # asks where the cursor is
            os.write(self._descriptor, b"\x1b[1;1R")
        self.seen += content.decode(errors="replace")
        self._arrived.set()


def _own_terminal() -> None:
    """Makes standard input the controlling terminal, so that Ctrl-C is a signal. What runs
    the tests in the background may have had it ignored."""
    import fcntl
    import signal
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not condition():  # noqa: ASYNC110 - the other side has no event
            await asyncio.sleep(0.01)


async def test_wrong_settings_and_usage_say_so_in_a_sentence(program: Program) -> None:
    for arguments, environment, code in [
        (["chat"], {"REPLY_TOKENS": "many"}, 2),
        (["dance"], {}, 2),
        ([], {}, 2),
        (["backup", "copy.db"], {}, 2),
        (["chat"], {"PERSONAS": "nowhere"}, 1),
    ]:
        ended = await program.run(*arguments, **environment)
        assert ended.code == code, ended.err
        assert ended.out == ""
        assert ended.err.count("\n") == 1, ended.err
        assert "Traceback" not in ended.err
