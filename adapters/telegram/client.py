"""python-telegram-bot's client for one account, and its errors in the words of the engine."""

import json
import logging
import os
from collections.abc import Sequence
from datetime import timedelta

from telegram import Bot, Update
from telegram.error import (
    BadRequest,
    Forbidden,
    InvalidToken,
    RetryAfter,
    TelegramError,
    TimedOut,
)
from telegram.request import HTTPXRequest

from bot.errors import SendError, Undeliverable

log = logging.getLogger(__name__)

os.environ.setdefault("PTB_TIMEDELTA", "1")  # durations as timedelta, or each use is a warning

API_URL = "https://api.telegram.org"

ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "my_chat_member")
"""What Telegram is to send; everything else stays there."""

CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0
"""A send whose answer is not there by then may have arrived all the same: rather long."""

REASON_LENGTH = 160

POOL = 32
"""Connections for sends; one more is for receiving."""


class Request(HTTPXRequest):
    """Reads answers without writing to the log what they say."""

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, object]:
        try:
            answer = json.loads(payload.decode("utf-8", "replace"))
        except ValueError as error:
            raise TelegramError("the answer is no JSON") from error
        if not isinstance(answer, dict):
            raise TelegramError("the answer is no object")
        return answer


class UpdatesRequest(Request):
    """Keeps updates as they came, in `updates`. They are read one at a time by whoever takes
    them: one that cannot be read does not hold up the others, nor many the event loop."""

    updates: Sequence[object] = ()

    def parse_json_payload(  # type: ignore[override]  # it is called on the instance
        self, payload: bytes
    ) -> dict[str, object]:
        answer = Request.parse_json_payload(payload)
        if isinstance(result := answer.get("result"), list):
            self.updates = result
            answer["result"] = []
        return answer


class Client(Bot):
    """One account's calls. `api_url` is a Bot API server of one's own."""

    def __init__(self, token: str, api_url: str | None) -> None:
        url = (api_url or API_URL).rstrip("/")
        self._receiving = UpdatesRequest(
            connection_pool_size=2, connect_timeout=CONNECT_SECONDS, read_timeout=CONNECT_SECONDS
        )
        super().__init__(
            token,
            base_url=f"{url}/bot",
            base_file_url=f"{url}/file/bot",
            request=Request(
                connection_pool_size=POOL,
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                pool_timeout=READ_SECONDS,
            ),
            get_updates_request=self._receiving,
        )

    async def fetch(self, offset: int, *, seconds: int, limit: int = 100) -> Sequence[object]:
        """Updates from this number on, as they came; waits so long for the first."""
        self._receiving.updates = ()
        await self.get_updates(
            offset=offset, timeout=seconds, limit=limit, allowed_updates=ALLOWED_UPDATES
        )
        return self._receiving.updates


def read_update(data: object) -> Update | None:
    """The update, or None (and a log line) if the client cannot read it."""
    if not isinstance(data, dict):
        return None
    try:
        return Update.de_json(data, None)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        number = data.get("update_id")
        log.error("Update %s cannot be read and is passed over: %r", number, error)  # noqa: TRY400
        return None


def number_of(data: object) -> int:
    """The number of an update as it came; 0 for what is none."""
    number = data.get("update_id") if isinstance(data, dict) else None
    return number if isinstance(number, int) else 0


def account_of(token: str) -> str:
    """The bot's id, which its token begins with."""
    return token.partition(":")[0]


def update_from(payload: bytes) -> Update | None:
    """The update in a webhook's request; None if it cannot be read. Raises ValueError where
    it is no JSON."""
    return read_update(json.loads(payload))


def reason(error: TelegramError) -> str:
    """Why a call failed, bounded: a broken gateway answers with whole pages."""
    return error.message.partition(". Parsing the server response")[0][:REASON_LENGTH]


def retry_seconds(error: RetryAfter) -> float:
    """How long Telegram asks to wait."""
    wait = error.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)


def translated(error: TelegramError) -> SendError:
    """What a failed send means: Undeliverable where the same call can never succeed."""
    if isinstance(error, InvalidToken):
        return SendError("Telegram refuses the bot's token; put a valid one into TELEGRAM_TOKEN.")
    if isinstance(error, Forbidden):
        return Undeliverable(f"Telegram does not let the bot write there: {reason(error)}.")
    if isinstance(error, BadRequest):
        return Undeliverable(f"Telegram does not take the reply: {reason(error)}.")
    if isinstance(error, TimedOut):
        return SendError("Telegram did not answer in time; tried again later.")
    return SendError(f"Telegram could not be reached ({reason(error)}); tried again later.")
