"""What may as well be missed: drafts, typing, drafts taken back."""

import logging
from collections.abc import Sequence

from bot.errors import SendError
from bot.messages import Outbound
from bot.ports import Send

log = logging.getLogger(__name__)


async def show(send: Send, outbound: Outbound) -> Sequence[str]:
    """Shows something; a failure here must not cost the reply."""
    try:
        return await send(outbound)
    except SendError as error:
        log.debug("Not shown: %s", error)
        return ()
