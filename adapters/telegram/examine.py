"""What `doctor` says about Telegram's bots."""

from collections.abc import Sequence
from dataclasses import dataclass

from telegram.error import InvalidToken, TelegramError

from adapters.telegram.client import Client, account_of, reason
from adapters.telegram.inbound.earshot import about_privacy


@dataclass(frozen=True, slots=True, kw_only=True)
class BotReport:
    """One bot account. `works`: it can receive and send."""

    name: str
    works: bool
    found: str


async def examine(tokens: Sequence[str], api_url: str | None = None) -> list[BotReport]:
    """Asks Telegram about each token, without receiving anything."""
    return [await _examine_one(token, api_url) for token in tokens]


async def _examine_one(token: str, api_url: str | None) -> BotReport:
    bot = Client(token, api_url)
    try:
        await bot.initialize()
        hook = await bot.get_webhook_info()
    except InvalidToken:
        found = "Telegram refuses the token: take the present one from @BotFather."
        return BotReport(name=account_of(token), works=False, found=found)
    except TelegramError as error:
        found = f"Telegram cannot be reached: {reason(error)}."
        return BotReport(name=account_of(token), works=False, found=found)
    finally:
        await bot.shutdown()
    waiting = f" {hook.pending_update_count} updates wait." if hook.pending_update_count else ""
    problem = (
        f" Telegram could not call: {hook.last_error_message}." if hook.last_error_message else ""
    )
    return BotReport(
        name=f"@{bot.username}", works=True, found=f"{about_privacy(bot.bot)}{waiting}{problem}"
    )
