"""The border to chat services."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from bot.messages import Inbound, Outbound
from bot.world import PlaceKey

Send = Callable[[Outbound], Awaitable[Sequence[str]]]
"""Takes something for one place and returns the platform's ids of the messages it made.

A long reply may become several messages. Raises SendError, or Undeliverable for good.
"""

Handler = Callable[[Inbound, Send], Awaitable[None]]
"""Returns when the inbound is dealt with: a message is answered, or it is recorded
that it is not. If the call is cancelled, what was received stays and is answered later:
`Kept` is sent as soon as a message or an edit would survive the end of the process."""


class Platform(Protocol):
    """A chat service. `name` is the one in AccountKey and PlaceKey.

    `idempotent`: sending the same nonce twice makes one message, so a reply whose fate
    is unknown can be sent again without harm.
    """

    name: str
    idempotent: bool

    async def run(self, handle: Handler) -> None:
        """Receives until cancelled or the service is left for good."""
        ...

    def reach(self, place: PlaceKey) -> Send:
        """A way to speak in a place without an inbound message (after a restart)."""
        ...
