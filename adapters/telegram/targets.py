"""Where something is sent, and on whose behalf."""

from dataclasses import dataclass

from bot.world import PlaceKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A chat and, in it, a topic. People have positive ids, groups negative ones."""

    chat: int
    topic: int | None = None

    @property
    def is_dm(self) -> bool:
        return self.chat > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asked for what is sent, so that the answer can be given to that person alone.

    `user` is None for an anonymous admin, who cannot be written to. `message` is the
    message that asked. `origin` is the place that the question is about, where that is
    another than the one it is answered in.
    """

    user: int | None
    name: str
    message: int | None = None
    origin: Target | None = None


def target_of(place: PlaceKey) -> Target:
    return Target(chat=int(place.chat), topic=int(place.thread) if place.thread else None)
