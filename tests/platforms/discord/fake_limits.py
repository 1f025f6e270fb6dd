"""Discord's rate limits: a bucket for each kind of call in each channel, and one for all calls.

A client that heeds the headers never meets a refusal; each refusal is counted as a violation.
"""

import re
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

GLOBAL_CALLS = 50
GLOBAL_SECONDS = 1.0

ROUTES: Mapping[str, tuple[str, str, int, float]] = {
    "messages": ("POST", r"/channels/(\d+)/messages", 5, 5.0),
    "edits": ("PATCH", r"/channels/(\d+)/messages/\d+", 5, 5.0),
    "deletes": ("DELETE", r"/channels/(\d+)/messages/\d+", 5, 1.0),
    "typing": ("POST", r"/channels/(\d+)/typing", 5, 5.0),
}
"""By what is limited: method, path, calls and seconds of a window (the usual ones)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The headers of an answer, and for how many seconds the call is refused (None: it is
    not)."""

    headers: Mapping[str, str]
    retry_after: float | None = None
    is_global: bool = False


class RateLimits:
    """Counts calls; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._windows: dict[tuple[str, str], tuple[float, int]] = {}
        self._recent: deque[float] = deque()
        self.violations: Counter[str] = Counter()

    def ask(self, method: str, path: str) -> Verdict:
        """Counts a call and says whether it may be made."""
        now = self._clock()
        while self._recent and now - self._recent[0] >= GLOBAL_SECONDS:
            self._recent.popleft()
        if len(self._recent) >= GLOBAL_CALLS and not path.startswith("/interactions"):
            self.violations["global"] += 1
            wait = self._recent[0] + GLOBAL_SECONDS - now
            return Verdict(headers={}, retry_after=wait, is_global=True)
        self._recent.append(now)
        for kind, (of, pattern, most, seconds) in ROUTES.items():
            if method == of and (found := re.fullmatch(pattern, path)):
                return self._in_bucket(kind, found[1], most, seconds, now)
        return Verdict(headers={})

    def _in_bucket(self, kind: str, channel: str, most: int, seconds: float, now: float) -> Verdict:
        ends, used = self._windows.get((kind, channel), (now + seconds, 0))
        if now >= ends:
            ends, used = now + seconds, 0
        refused = used >= most
        used += not refused
        self._windows[kind, channel] = ends, used
        headers = {
            "X-RateLimit-Bucket": kind,
            "X-RateLimit-Limit": str(most),
            "X-RateLimit-Remaining": str(most - used),
            "X-RateLimit-Reset": f"{time.time() + ends - now:.3f}",
            "X-RateLimit-Reset-After": f"{ends - now:.3f}",
        }
        if refused:
            self.violations[kind] += 1
        return Verdict(headers=headers, retry_after=ends - now if refused else None)
