"""The command line, one module per subject."""

from adapters.cli.app import run
from adapters.cli.root import DatabaseReport, PlatformEntry, Root

__all__ = ["DatabaseReport", "PlatformEntry", "Root", "run"]
