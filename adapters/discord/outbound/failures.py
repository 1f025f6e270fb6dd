"""What Discord refuses, in Bower's words: what may work later, and what never will."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from enum import IntEnum

import aiohttp
import discord

from bot.errors import SendError, Undeliverable


class Code(IntEnum):
    """Discord's JSON error codes that are told apart here."""

    UNKNOWN_CHANNEL = 10003
    UNKNOWN_MESSAGE = 10008
    UNKNOWN_WEBHOOK = 10015
    UNKNOWN_INTERACTION = 10062
    SLOW_MODE = 20016
    COMMANDS_PER_DAY = 30034
    WEBHOOKS_PER_CHANNEL = 30007
    ALREADY_ACKNOWLEDGED = 40060
    MISSING_ACCESS = 50001
    CANNOT_DM = 50007
    MISSING_PERMISSIONS = 50013
    WEBHOOK_TOKEN_OVER = 50027
    INVALID_BODY = 50035


class MessageGone(Undeliverable):
    """The message to edit or to answer is not there any more."""


class TokenOver(Undeliverable):
    """The right to answer an interaction, or a webhook, has ended."""


class TooLong(Undeliverable):
    """Discord counts more characters than it takes."""


REMEDIES = {
    Code.UNKNOWN_CHANNEL: "the channel is gone",
    Code.MISSING_ACCESS: "the bot cannot see the channel; let it view the channel",
    Code.MISSING_PERMISSIONS: "the bot may not write there; give it Send Messages in the channel",
    Code.CANNOT_DM: "this person takes no direct messages from the bot",
}


def in_our_words(error: Exception) -> SendError:
    """The error to raise for one that came while something was sent."""
    match error:
        case discord.RateLimited():
            return SendError(f"Discord asks to wait {error.retry_after:.0f} s; tried again later.")
        case discord.HTTPException():
            return _refusal(error)
        case _:
            return SendError(
                f"Discord is out of reach ({type(error).__name__}); tried again later."
            )


def _refusal(error: discord.HTTPException) -> SendError:
    may_work_later = error.status >= 500 or error.status in {401, 408, 429}
    if error.code == Code.UNKNOWN_MESSAGE:
        return MessageGone("The message is not there any more.")
    if error.code in {Code.UNKNOWN_WEBHOOK, Code.WEBHOOK_TOKEN_OVER, Code.UNKNOWN_INTERACTION}:
        return TokenOver("The time to answer this way is over.")
    if error.code == Code.INVALID_BODY and "or fewer in length" in error.text:
        return TooLong("Discord finds a part of the reply too long.")
    if error.code == Code.INVALID_BODY and "message_reference" in error.text:
        return MessageGone("The message to reply to is not there any more.")
    if may_work_later or error.code == Code.SLOW_MODE:
        return SendError(f"Discord answered {error.status}; tried again later.")
    remedies = {int(code): remedy for code, remedy in REMEDIES.items()}
    reason = remedies.get(error.code, f"it says {error.text or error.status!r}")
    return Undeliverable(f"Discord takes no reply there: {reason} (code {error.code}).")


@contextmanager
def translated() -> Iterator[None]:
    """Raises SendError or Undeliverable for whatever a call to Discord raises."""
    try:
        yield
    except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
        raise in_our_words(error) from error
    except RuntimeError as error:  # aiohttp's word for a client that was closed meanwhile
        if "closed" not in str(error):
            raise
        raise SendError("The connection to Discord was closed; tried again later.") from error


@asynccontextmanager
async def patiently(seconds: float) -> AsyncIterator[None]:
    """`translated`, and no longer than this."""
    with translated():
        async with asyncio.timeout(seconds):
            yield
