"""The terminal: talk to a persona at the keyboard, or play a script through a pipe."""

from adapters.console.platform import ConsolePlatform
from adapters.console.session import PLATFORM, Session

__all__ = ["PLATFORM", "ConsolePlatform", "Session"]
