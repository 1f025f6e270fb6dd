"""Where lines come from: a person at the keyboard, or a pipe or file."""

import asyncio
import os
import threading
from pathlib import Path
from typing import Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory
from prompt_toolkit.patch_stdout import patch_stdout

CHUNK = 65_536


class Lines(Protocol):
    """Gives one line at a time, when it is asked for."""

    async def next(self, prompt: str) -> str | None:
        """The next line without its end; None when there are no more."""
        ...


class PipedLines:
    """Lines of a file descriptor, of any length; wrong UTF-8 is replaced, not refused."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = bytearray()
        self._ended = False

    async def next(self, prompt: str) -> str | None:  # noqa: ARG002 - nobody sees a prompt
        start = 0
        while True:
            end = self._rest.find(b"\n", start)
            if end >= 0:
                line = bytes(self._rest[:end])
                del self._rest[: end + 1]
                return _decoded(line)
            if self._ended:
                line = bytes(self._rest)
                self._rest.clear()
                return _decoded(line) if line else None
            start = len(self._rest)
            chunk = await _read(self._descriptor)
            self._rest += chunk
            self._ended = not chunk


class TypedLines:
    """A prompt with editing and a history that only its owner can read."""

    def __init__(self, history: Path) -> None:
        history.parent.mkdir(parents=True, exist_ok=True)
        history.touch(mode=0o600)
        history.chmod(0o600)
        self._prompt: PromptSession[str] = PromptSession(
            history=FileHistory(str(history)), reserve_space_for_menu=0
        )

    async def next(self, prompt: str) -> str | None:
        """Ctrl-C drops the line begun; Ctrl-D on an empty line ends."""
        while True:
            try:
                with patch_stdout(raw=True):
                    return await self._prompt.prompt_async(prompt)
            except KeyboardInterrupt:
                continue
            except EOFError:
                return None


def _decoded(line: bytes) -> str:
    return line.decode("utf-8-sig", "replace").removesuffix("\r")


async def _read(descriptor: int) -> bytes:
    """Bytes as soon as there are some. In a thread that does not keep the program alive:
    nobody can wake a thread that waits for a pipe."""
    loop = asyncio.get_running_loop()
    arrived: asyncio.Future[bytes] = loop.create_future()

    def settle(chunk: bytes, error: OSError | None) -> None:
        if arrived.done():
            return
        if error is None:
            arrived.set_result(chunk)
        else:
            arrived.set_exception(error)

    def read() -> None:
        chunk, error = b"", None
        try:
            chunk = os.read(descriptor, CHUNK)
        except OSError as caught:
            error = caught
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, chunk, error)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    return await arrived
