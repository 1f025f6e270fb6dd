"""What people see: plain lines for scripts, and a live view with colours for a terminal."""

import contextlib
import itertools
import os
import re
from pathlib import Path
from typing import Protocol, TextIO
from uuid import uuid4

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from adapters.printable import printable
from bot.errors import SendError
from bot.messages import Button, Draft, Dropped, File, Kept, Outbound, Reply, Thinking
from bot.text import clean_name

PROGRAM = "Bower"
"""Who speaks where no persona does."""


class Screen(Protocol):
    """Shows what comes out of the character. `elsewhere` names another place than the
    present one."""

    def show(self, outbound: Outbound, *, elsewhere: str = "") -> list[str]:
        """Returns the ids of the messages made."""
        ...

    def note(self, text: str) -> None:
        """The program's word to whoever sits there, never part of the conversation."""
        ...


class PlainScreen:
    """`Name: text` on `out`, further lines of a text indented; notes on `err`."""

    def __init__(self, *, out: TextIO, err: TextIO, files: Path) -> None:
        self._out = out
        self._err = err
        self._files = files

    def show(self, outbound: Outbound, *, elsewhere: str = "") -> list[str]:  # noqa: ARG002
        if not isinstance(outbound, Reply):
            return []
        lines = printable(outbound.text).splitlines() or [""]
        lines += [f"file: {_save(file, self._files)}" for file in outbound.files]
        if outbound.buttons:
            lines.append(_choices(outbound.buttons))
        body = "\n".join([lines[0], *(f"  {line}" if line else "" for line in lines[1:])])
        self._out.write(f"{_label(outbound.speaker)}: {body}\n")
        self._out.flush()
        return list(outbound.edit) or [uuid4().hex]

    def note(self, text: str) -> None:
        self._err.write(f"{printable(text)}\n")
        self._err.flush()


class LiveScreen:
    """Replies grow as they are written. One draft at a time; others wait for their end."""

    def __init__(self, console: Console, *, files: Path) -> None:
        self._console = console
        self._files = files
        self._ids: dict[str, str] = {}  # of the messages begun, by nonce
        self._growing = ""  # nonce of the draft on the last line
        self._shown = ""
        self._thinking = False

    def show(self, outbound: Outbound, *, elsewhere: str = "") -> list[str]:
        match outbound:
            case Thinking():
                self._think(outbound.speaker)
                return []
            case Draft():
                return self._draft(outbound, elsewhere)
            case Dropped():
                self._drop(outbound.nonce)
                return []
            case Reply():
                return self._reply(outbound, elsewhere)
            case Kept():
                return []

    def note(self, text: str) -> None:
        self._end_line()
        self._print(Text(printable(text), style="dim"))

    def _think(self, speaker: str) -> None:
        if not self._growing and not self._thinking:
            self._print(Text(f"{_label(speaker)} …", style="dim"), end="")
            self._thinking = True

    def _draft(self, draft: Draft, elsewhere: str) -> list[str]:
        text = printable(draft.text)
        if not text or self._growing not in {"", draft.nonce}:
            return []
        if not self._growing:
            self._begin(draft.speaker, elsewhere, "")
            self._growing, self._shown = draft.nonce, ""
        self._grow(text)
        return [self._ids.setdefault(draft.nonce, uuid4().hex)]

    def _grow(self, text: str) -> None:
        if text.startswith(self._shown):
            self._print(Text(text[len(self._shown) :]), end="")
        else:  # it was rewritten: what is on paper stays, the new text follows
            self._print(Text(f"\n{text}"), end="")
        self._shown = text

    def _reply(self, reply: Reply, elsewhere: str) -> list[str]:
        if self._growing == reply.nonce:
            self._grow(printable(reply.text))
            self._end_line()
        else:
            known = reply.edit and reply.nonce not in self._ids
            marks = [m for m, is_on in (("only you", reply.private), ("changed", known)) if is_on]
            self._begin(reply.speaker, elsewhere, ", ".join(marks))
            self._print(Text(printable(reply.text)))
        for file in reply.files:
            self._print(Text(f"  file: {_save(file, self._files)}", style="cyan"))
        if reply.buttons:
            self._print(Text(f"  {_choices(reply.buttons)}", style="cyan"))
        made = self._ids.pop(reply.nonce, "")
        return list(reply.edit) or [made or uuid4().hex]

    def _drop(self, nonce: str) -> None:
        if self._growing == nonce:
            self._end_line()
            self._print(Text("(taken back)", style="dim"))
        self._ids.pop(nonce, None)

    def _begin(self, speaker: str, elsewhere: str, mark: str) -> None:
        self._end_line()
        label = Text(_label(speaker), style="bold magenta" if speaker else "bold cyan")
        beside = ", ".join(part for part in (clean_name(elsewhere, ""), mark) if part)
        if beside:
            label.append(f" ({beside})", style="dim")
        self._print(label.append(": ", style="bold"), end="")

    def _end_line(self) -> None:
        if self._thinking:
            self._console.control(
                Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))
            )
            self._thinking = False
        if self._growing:
            self._print(Text(""))
            self._growing, self._shown = "", ""

    def _print(self, text: Text, *, end: str = "\n") -> None:
        self._console.print(text, end=end, soft_wrap=True, highlight=False)


def live_console() -> Console:
    """The terminal as rich sees it."""
    return Console(highlight=False)


def _label(speaker: str) -> str:
    return clean_name(printable(speaker), PROGRAM)


def _choices(buttons: tuple[Button, ...]) -> str:
    return "   ".join(
        f"[{number}] {clean_name(printable(button.label))}"
        for number, button in enumerate(buttons, start=1)
    )


def _save(file: File, folder: Path) -> Path:
    """Writes a file that only its owner can read, under a name that is not taken yet.

    Raises SendError.
    """
    name = Path(re.sub(r"[^\w.-]+", "_", file.name).lstrip(".") or "file")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1):
            path = folder / (f"{name.stem}-{number}{name.suffix}" if number > 1 else name.name)
            with contextlib.suppress(FileExistsError):
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(descriptor, "wb") as out:
                    out.write(file.content)
                return path
    except OSError as error:
        raise SendError(f"{name} cannot be written to {folder}: {error.strerror}.") from error
    raise AssertionError("counting never ends")
