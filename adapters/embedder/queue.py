"""Who waits for which vector: calls made at once share batches, and equal texts one result."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from adapters.embedder.encoders import Kind

BATCH_TEXTS = 32
BATCH_CHARACTERS = 8_000
"""A batch takes at most this much, shorter texts counted as long as the longest, to which they
are padded: about a fifth of a second. So long may a question wait for the batch before it."""

SMALL_CALL = 8
"""A call for so few texts belongs to a conversation and goes before an import."""

RECENT = 512
"""Vectors that are kept: what is scored for its feeling is often embedded a moment before."""

Key = tuple[Kind, str]


class Call:
    """Somebody who waits for some texts; over when all are there, or when they left."""

    def __init__(self) -> None:
        self.missing = 0
        self.done = asyncio.get_running_loop().create_future()

    @property
    def over(self) -> bool:
        return self.done.done()


@dataclass(slots=True, kw_only=True, eq=False)
class Text:
    """One text on its way to a vector, and who waits for it."""

    key: Key
    vector: NDArray[np.float32] | None = None
    calls: list[Call] = field(default_factory=list)
    taken: bool = False

    @property
    def wanted(self) -> bool:
        """Not yet at the encoder, and somebody still waits."""
        return not self.taken and not all(call.over for call in self.calls)


class Queue:
    """The texts that wait. Lives on the event loop; nothing here blocks."""

    def __init__(self) -> None:
        self._small: deque[Text] = deque()
        self._bulk: deque[Text] = deque()
        self._bulk_is_next = False
        self._open: dict[Key, Text] = {}
        self._recent: OrderedDict[Key, Text] = OrderedDict()

    def ask(self, keys: Sequence[Key], call: Call) -> list[Text]:
        """One text per key; those without a vector are queued for the call."""
        texts = {key: self._find(key) for key in keys}
        missing = [text for text in texts.values() if text.vector is None]
        call.missing = len(missing)
        for text in missing:
            text.calls.append(call)
        waiting = [text for text in missing if not text.taken]
        if len(keys) <= SMALL_CALL:
            self._small.extend(waiting)
        else:
            self._bulk.extend(sorted(waiting, key=lambda text: len(text.key[1])))
        return [texts[key] for key in keys]

    def _find(self, key: Key) -> Text:
        if text := self._recent.get(key):
            self._recent.move_to_end(key)
            return text
        return self._open.setdefault(key, Text(key=key))

    def take(self) -> list[Text]:
        """The next batch, all of one kind; empty if nobody waits any more.

        Small calls go first, but not twice in a row while an import waits.
        """
        queues = (self._bulk, self._small) if self._bulk_is_next else (self._small, self._bulk)
        for queue in queues:
            if batch := self._take_from(queue):
                self._bulk_is_next = queue is self._small
                return batch
        return []

    def _take_from(self, queue: deque[Text]) -> list[Text]:
        batch: list[Text] = []
        longest = 1
        while queue and len(batch) < BATCH_TEXTS:
            text = queue[0]
            kind, words = text.key
            if not text.wanted:
                queue.popleft()
                self._drop(text)
                continue
            longest = max(longest, len(words))
            too_much = (len(batch) + 1) * longest > BATCH_CHARACTERS
            if batch and (too_much or kind != batch[0].key[0]):
                break
            text.taken = True
            batch.append(queue.popleft())
        return batch

    def _drop(self, text: Text) -> None:
        if not text.taken and self._open.get(text.key) is text:
            del self._open[text.key]

    def deliver(self, batch: Sequence[Text], rows: NDArray[np.float32]) -> None:
        """The vectors of a batch, one row per text; wakes whoever has all of theirs."""
        for text, row in zip(batch, rows, strict=True):
            text.vector = row.copy()  # a view would keep the whole batch alive
            self._recent[text.key] = text
            for call in text.calls:
                call.missing -= 1
                if not call.missing and not call.over:
                    call.done.set_result(None)
            self._close(text)
        while len(self._recent) > RECENT:
            self._recent.popitem(last=False)

    def fail(self, batch: Iterable[Text], error: Exception) -> None:
        """The encoder failed on a batch: everybody who waits for a part of it is told."""
        for text in batch:
            for call in text.calls:
                if not call.over:
                    call.done.set_exception(error)
            self._close(text)

    def _close(self, text: Text) -> None:
        text.calls.clear()
        self._open.pop(text.key, None)

    def clear(self) -> None:
        """Nobody works on it any more: whoever still waits is cancelled."""
        for text in list(self._open.values()):
            for call in text.calls:
                call.done.cancel()
            self._close(text)
        self._small.clear()
        self._bulk.clear()
