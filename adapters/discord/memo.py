"""A few words that outlive the process, such as which commands are registered."""

from typing import Protocol


class Memo(Protocol):
    """Keeps short texts by name."""

    async def get(self, name: str) -> str | None: ...

    async def set(self, name: str, value: str) -> None: ...


class InMemory:
    """Forgets with the process; then everything is registered anew at each start."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    async def get(self, name: str) -> str | None:
        return self.kept.get(name)

    async def set(self, name: str, value: str) -> None:
        self.kept[name] = value
