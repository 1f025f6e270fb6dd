"""The command line: `commands` is what can be typed, one module per subject does it."""

from adapters.cli.app import run

__all__ = ["run"]
