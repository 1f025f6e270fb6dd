"""What an endpoint's failures mean, as sentences for whoever has to act. Pure."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from bot.errors import ModelDown, ModelError, ModelRefused

LONGEST_QUOTE = 200
"""Characters of an endpoint's own words that go into a sentence."""

_TEMPORARY = {408, 409, 425, 429}
_TOO_LONG = re.compile(
    r"context_length|context length|context window|context size|exceed_context"
    r"|prompt is too long|input is too long|too many tokens|maximum number of tokens",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(r"insufficient_quota|insufficient (?:credit|balance|quota)", re.IGNORECASE)
_FILTERED = re.compile(r"content_filter|content_policy|content management policy", re.IGNORECASE)
_HTML = re.compile(r"^\s*<(?:!doctype|html|head|body)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Who was asked. `address` is shown in logs, so it carries no password."""

    address: str
    model: str

    def failure(
        self, status: int, text: str, headers: Mapping[str, str], now: datetime
    ) -> ModelError:
        """The error that an HTTP status and its body stand for: ModelDown where the same
        request may pass later, otherwise ModelRefused with the setting to mend."""
        if is_too_long(text) or status == 413:
            return self.too_long()
        if _FILTERED.search(text):
            return self.filtered()
        if status == 402 or _NO_CREDIT.search(text):
            return ModelRefused(
                f"The account behind OPENAI_API_KEY has no credit left at {self.address};"
                " add some, or set MODEL or OPENAI_BASE_URL to another one."
            )
        if status in _TEMPORARY or status >= 500:
            return self._busy(status, text, retry_after(headers, now))
        return self._refused(status, text)

    def _busy(self, status: int, text: str, wait: float | None) -> ModelDown:
        what = "is asked too often" if status == 429 else f"fails (HTTP {status})"
        later = f"; it asks for a pause of {wait:.0f} s" if wait else ""
        return ModelDown(
            f"{self.address} {what}{later}; try again later.{quote(text)}", retry_after=wait
        )

    def _refused(self, status: int, text: str) -> ModelRefused:
        if status == 401:
            return ModelRefused(f"{self.address} does not accept the key; check OPENAI_API_KEY.")
        if status == 403:
            return ModelRefused(
                f"{self.address} forbids {self.model} with this key;"
                f" check OPENAI_API_KEY and MODEL.{quote(text)}"
            )
        if status == 404 and "model" in text.lower() and not _HTML.match(text):
            return ModelRefused(
                f"{self.address} has no model {self.model}; check MODEL.{quote(text)}"
            )
        if status in {404, 405} or 300 <= status < 400:
            return self.no_chat_there()
        return ModelRefused(
            f"{self.address} refuses the request to {self.model} (HTTP {status});"
            f" check MODEL.{quote(text)}"
        )

    def no_chat_there(self) -> ModelRefused:
        return ModelRefused(
            f"There is no OpenAI-compatible chat at {self.address};"
            " check OPENAI_BASE_URL, which usually ends in /v1."
        )

    def too_long(self) -> ModelRefused:
        return ModelRefused(
            f"The prompt is longer than the context of {self.model};"
            " lower CONTEXT_TOKENS to what the endpoint is set up for."
        )

    def filtered(self) -> ModelRefused:
        return ModelRefused(
            f"The content filter of {self.address} stopped the answer; another MODEL may allow it."
        )

    def declined(self) -> ModelRefused:
        return ModelRefused(f"{self.model} declined to answer; another MODEL may do it.")

    def unreachable(self, reason: str) -> ModelDown:
        return ModelDown(
            f"{self.address} cannot be reached ({reason});"
            " check that it runs and that OPENAI_BASE_URL is right."
        )

    def too_slow(self, seconds: float, *, begun: bool) -> ModelDown:
        what = "stopped in the middle of its answer" if begun else "did not begin to answer"
        return ModelDown(
            f"{self.model} at {self.address} {what} ({seconds:g} s without a word);"
            " try again later or choose a faster MODEL."
        )

    def cut_off(self) -> ModelDown:
        return ModelDown(
            f"{self.address} broke off before the answer of {self.model} was complete;"
            " try again later, and lower CONTEXT_TOKENS if that happens to long prompts."
        )

    def unreadable(self) -> ModelDown:
        return ModelDown(
            f"{self.address} sent something that is no chat answer; try again later, and if it"
            " stays so check OPENAI_BASE_URL."
        )

    def thinks_aloud(self) -> ModelDown:
        return ModelDown(
            f"{self.model} began with its thoughts without marking them; from the next answer on"
            " they are left out."
        )


def is_too_long(text: str) -> bool:
    """Whether an error says that the prompt does not fit the model's context."""
    return bool(_TOO_LONG.search(text))


def is_web_page(content_type: str, text: str = "") -> bool:
    return "html" in content_type.lower() or bool(_HTML.match(text))


def quote(text: str) -> str:
    """The endpoint's own words in short, with a space before; empty for a web page."""
    said = "" if _HTML.match(text) else " ".join(_message(text).split())
    if not said:
        return ""
    return f' It says: "{said[:LONGEST_QUOTE]}{"…" if len(said) > LONGEST_QUOTE else ""}"'


def _message(text: str) -> str:
    """The message within an error's JSON, otherwise the text itself."""
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for _ in range(3):
        if not isinstance(found, dict):
            break
        found = next((found[key] for key in ("error", "message", "detail") if key in found), "")
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The pause in seconds that an answer asks for, 0 or more. None if it asks for none.

    `retry-after-ms` goes before `retry-after`, which holds seconds or an HTTP date.
    Header names are in lower case.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if not math.isnan(seconds):
            return max(seconds, 0.0)
    return _until(headers.get("retry-after", ""), now)


def _until(date: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)
