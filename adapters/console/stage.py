"""The two ways to sit at the terminal: at the keyboard, or behind a pipe."""

import sys
from pathlib import Path

from adapters.console.keyboard import Lines, PipedLines, TypedLines
from adapters.console.screen import LiveScreen, PlainScreen, Screen, live_console


def open_lines(*, live: bool, history: Path) -> Lines:
    """Lines of standard input; typed ones are kept in the history file."""
    return TypedLines(history) if live else PipedLines(sys.stdin.fileno())


def open_screen(*, live: bool, files: Path) -> Screen:
    """What writes to standard output and standard error; `files` is where files go."""
    if live:
        return LiveScreen(live_console(), files=files)
    return PlainScreen(out=sys.stdout, err=sys.stderr, files=files)
