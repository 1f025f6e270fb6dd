"""Step 4: what follows from a turn is stored: vectors, feelings, and what it did to people
and places."""

import asyncio
import logging
from collections.abc import Sequence

from bot.clock import Clock
from bot.engine.circle import Circle
from bot.engine.reflecting import Reflecting
from bot.errors import EmbeddingError, StorageError
from bot.memory import Event, Turn
from bot.passages import passage
from bot.ports import Embedder, EmotionScorer, Storage

log = logging.getLogger(__name__)

BATCH = 64


class Learning:
    """Works through turns and lines one after the other, beside the conversations.

    What is still waiting when the program stops is found again by `unfinished`,
    `unlearned_lines` and `unembedded`: nothing is lost, and nobody waits for it.
    """

    def __init__(
        self,
        *,
        storage: Storage,
        embedder: Embedder,
        scorer: EmotionScorer,
        clock: Clock,
        circle: Circle,
        reflecting: Reflecting,
    ) -> None:
        self._storage = storage
        self._embedder = embedder
        self._scorer = scorer
        self._clock = clock
        self._circle = circle
        self._reflecting = reflecting
        self._queue: asyncio.Queue[Turn | Event] = asyncio.Queue()

    def add(self, item: Turn | Event) -> None:
        """A sent turn, or a line that nobody answers, is to be learnt."""
        self._queue.put_nowait(item)

    async def again(self, event: Event) -> None:
        """An edited event is to be learnt anew, with what was said in answer to it."""
        for turn in await self._storage.unlearned_turns(event.id):
            self.add(turn)
        for line in await self._storage.unlearned_lines(event.place_id):
            self.add(line)

    async def idle(self) -> None:
        """Returns when everything added is learnt (or has failed and was logged)."""
        await self._queue.join()

    async def run(self) -> None:
        """Learns until cancelled."""
        while True:
            items = [await self._queue.get()]
            while len(items) < BATCH and not self._queue.empty():
                items.append(self._queue.get_nowait())
            try:
                await self._learn(items)
            except (EmbeddingError, StorageError) as error:
                log.warning("Not learnt yet, tried again at the next start: %s", error)
            except Exception:
                log.exception("Learning failed; it is tried again at the next start.")
            finally:
                for _ in items:
                    self._queue.task_done()

    async def catch_up(self) -> None:
        """Learns the lines that a stop or a crash left, and gives a vector to everything
        remembered that has none of the present encoder."""
        for line in await self._storage.unlearned_lines():
            self.add(line)
        while events := await self._storage.unembedded(self._embedder.name, BATCH):
            await self._embed(events)

    async def _learn(self, items: Sequence[Turn | Event]) -> None:
        events: dict[int, Event] = {}
        for item in items:
            for event in (item,) if isinstance(item, Event) else _spoken(item):
                events[event.id] = event
        # as they read now: a turn that was being sent may be older than an edit
        await self._embed(await self._storage.events(list(events)))
        for item in items:
            await self._circle.learn(item)
            if isinstance(item, Turn):
                await self._embed(await self._reflecting.after(item))
                await self._storage.learned(item.id, self._clock.now())
            else:
                await self._storage.line_learned(item.id)

    async def _embed(self, events: Sequence[Event]) -> None:
        if not events:
            return
        ids = [event.id for event in events]
        passages = [passage(event.speaker_name, event.text) for event in events]
        vectors = await self._embedder.embed(passages, kind="passage")
        await self._storage.embedded(ids, vectors, self._embedder.name)
        emotions = await self._scorer.score([event.text for event in events])
        await self._storage.scored(ids, emotions, self._scorer.name)


def _spoken(turn: Turn) -> list[Event]:
    """What was said in a turn and is worth remembering: an apology is not."""
    reply = [turn.reply] if turn.reply is not None and not turn.failed else []
    return [*turn.said, *reply]
