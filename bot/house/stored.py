"""Settings as they are stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What is set for a place, for the channel that it is a thread of, for its server, and
    everywhere; texts by name."""

    here: Texts = field(default_factory=dict)
    channel: Texts = field(default_factory=dict)
    server: Texts = field(default_factory=dict)
    everywhere: Texts = field(default_factory=dict)
