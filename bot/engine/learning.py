"""Step 4: what follows from a turn is stored: vectors, feelings, and what it did to people
and places."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from bot.clock import Clock
from bot.engine.circle import Circle
from bot.engine.reflecting import Reflecting
from bot.engine.scorers import Scorers
from bot.errors import EmbeddingError, StorageError
from bot.memory import Event, Turn
from bot.passages import passage
from bot.ports import Embedder, Storage

log = logging.getLogger(__name__)

BATCH = 64

PLACES_AT_ONCE = 4
"""In so many places a model is asked at the same time what was said there."""


class Learning:
    """Works through turns and lines beside the conversations: in the order of each place, a few
    places at a time, so that a slow model does not fall behind a busy server.

    What is still waiting when the program stops is found again by `unfinished`,
    `unlearned_lines` and `unembedded`: nothing is lost, and nobody waits for it.
    """

    def __init__(
        self,
        *,
        storage: Storage,
        embedder: Embedder,
        scorers: Scorers,
        clock: Clock,
        circle: Circle,
        reflecting: Reflecting,
    ) -> None:
        self._storage = storage
        self._embedder = embedder
        self._scorers = scorers
        self._clock = clock
        self._circle = circle
        self._reflecting = reflecting
        self._queue: asyncio.Queue[Turn | Event] = asyncio.Queue()
        self._waiting: dict[int, deque[Turn | Event]] = {}  # by place
        self._left: Counter[int] = Counter()  # what was added and is not learnt, by place
        self._caught_up: dict[int, asyncio.Event] = {}
        self._slots = asyncio.Semaphore(PLACES_AT_ONCE)
        self._thinking = asyncio.Lock()

    def add(self, item: Turn | Event) -> None:
        """A sent turn, or a line that nobody answers, is to be learnt."""
        self._left[_place(item)] += 1
        self._queue.put_nowait(replace(item, recalled=()) if isinstance(item, Turn) else item)

    async def again(self, event: Event) -> None:
        """An edited event is to be learnt anew, with what was said in answer to it."""
        for turn in await self._storage.unlearned_turns(event.id):
            self.add(turn)
        for line in await self._storage.unlearned_lines(event.place_id):
            self.add(line)

    async def caught_up(self, place: int, *, seconds: float) -> None:
        """Returns when all that was said in a place is learnt, after `seconds` at the latest."""
        if place in self._left:
            event = self._caught_up.setdefault(place, asyncio.Event())
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await event.wait()

    def _done(self, item: Turn | Event) -> None:
        place = _place(item)
        self._left[place] -= 1
        if not self._left[place]:
            del self._left[place]
            if event := self._caught_up.pop(place, None):
                event.set()
        self._queue.task_done()

    async def idle(self) -> None:
        """Returns when everything added is learnt (or has failed and was logged)."""
        await self._queue.join()

    async def run(self) -> None:
        """Learns until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                items = [await self._queue.get()]
                while len(items) < BATCH and not self._queue.empty():
                    items.append(self._queue.get_nowait())
                felt = False
                with _tried_again():
                    felt = await self._feel(items)
                for item in items:
                    if not felt:
                        self._done(item)
                    elif self._line_up(item):
                        group.create_task(self._one_by_one(_place(item)))

    async def catch_up(self) -> None:
        """Learns the lines that a stop or a crash left, and gives a vector to everything
        remembered that has none of the present encoder."""
        for line in await self._storage.unlearned_lines():
            self.add(line)
        while events := await self._storage.unembedded(self._embedder.name, BATCH):
            await self._embed(events)

    async def _feel(self, items: Sequence[Turn | Event]) -> bool:
        """Gives all that was said its vectors and feelings; True when they are stored."""
        events: dict[int, Event] = {}
        for item in items:
            for event in (item,) if isinstance(item, Event) else _spoken(item):
                events[event.id] = event
        # as they read now: a turn that was being sent may be older than an edit
        await self._embed(await self._storage.events(list(events)))
        return True

    def _line_up(self, item: Turn | Event) -> bool:
        """Whether nobody works through the place of it yet."""
        waiting = self._waiting.setdefault(_place(item), deque())
        waiting.append(item)
        return len(waiting) == 1

    async def _one_by_one(self, place: int) -> None:
        """What was said in one place, in its order, until nothing of it waits."""
        waiting = self._waiting[place]
        while waiting:
            try:
                async with self._slots:
                    with _tried_again():
                        await self._understand(waiting[0])
            finally:
                self._done(waiting.popleft())
        del self._waiting[place]

    async def _understand(self, item: Turn | Event) -> None:
        await self._circle.learn(item)
        if isinstance(item, Event):
            await self._storage.line_learned(item.id)
            return
        async with self._thinking:
            thoughts = await self._reflecting.after(item)
        await self._embed(thoughts)
        await self._storage.learned(item.id, self._clock.now())

    async def _embed(self, events: Sequence[Event]) -> None:
        if not events:
            return
        ids = [event.id for event in events]
        passages = [passage(event.speaker_name, event.text) for event in events]
        vectors = await self._embedder.embed(passages, kind="passage")
        await self._storage.embedded(ids, vectors, self._embedder.name)
        for scorer, theirs in await self._scorers.shared_out(events):
            emotions = await scorer.score([event.text for event in theirs])
            await self._storage.scored([event.id for event in theirs], emotions, scorer.name)


def _place(item: Turn | Event) -> int:
    return item.place.id if isinstance(item, Turn) else item.place_id


def _spoken(turn: Turn) -> list[Event]:
    """What was said in a turn and is worth remembering: an apology is not."""
    reply = [turn.reply] if turn.reply is not None and not turn.failed else []
    return [*turn.said, *reply]


@contextmanager
def _tried_again() -> Iterator[None]:
    """What fails within it is logged, and learnt at the next start."""
    try:
        yield
    except (EmbeddingError, StorageError) as error:
        log.warning("Not learnt yet, tried again at the next start: %s", error)
    except Exception:
        log.exception("Learning failed; it is tried again at the next start.")
