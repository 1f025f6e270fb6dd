"""What one bot account receives: in order within a chat, many chats at once, nothing lost.

An update is settled when the engine has kept what it says (or it says nothing to be kept).
Only settled updates are confirmed to Telegram, which delivers all others again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from telegram import Message, Update

from adapters.telegram.inbound.albums import Arriving
from adapters.telegram.inbound.reader import Incoming, Reader
from adapters.telegram.outbound.outlet import Outlet
from bot.clock import Clock
from bot.errors import SendError, StorageError
from bot.messages import Command, Migrated, Press, Reply
from bot.ports import Handler

log = logging.getLogger(__name__)

WAITS_SECONDS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Between tries to keep something while the store fails; after the last it is given up."""

MOST_SETTLED = 2000
"""Of so many updates it is known that they were taken."""


@dataclass(slots=True, eq=False)
class _Job:
    """One update, or all those of an album. `passed`: the next one of its chat may begin."""

    updates: list[Update]
    album: Arriving | None = None
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    passed: asyncio.Event = field(default_factory=asyncio.Event)

    def settle(self) -> None:
        self.settled.set()
        self.passed.set()


class Receiving:
    """Takes updates and hands what they mean to the engine."""

    def __init__(
        self,
        reader: Reader,
        outlet: Outlet,
        handle: Handler,
        *,
        clock: Clock,
        moved: Callable[[int, int], None],
    ) -> None:
        self._reader = reader
        self._outlet = outlet
        self._handle = handle
        self._clock = clock
        self._moved = moved
        self._jobs: dict[int, _Job] = {}  # by update
        self._newest: dict[int, _Job] = {}  # of each chat; the next one waits for it
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, update: Update) -> asyncio.Event:
        """Begins with an update; one that comes again is not begun twice. The event is set
        when it is settled."""
        if (known := self._jobs.get(update.update_id)) is not None:
            return known.settled
        chat = update.effective_chat.id if update.effective_chat else 0
        before = self._newest.get(chat)
        job = self._join_album(before, update) if before is not None else None
        if job is None:
            job = self._begin(update, chat, before)
        self._jobs[update.update_id] = job
        self._forget_settled()
        return job.settled

    async def idle(self) -> None:
        """Returns when nothing is under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self, seconds: float) -> None:
        """Lets what is under way end, then cancels it: it is kept, and goes on at the next
        start."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- order -----------------------------------------------------------------------------
    def _begin(self, update: Update, chat: int, before: _Job | None) -> _Job:
        if before is not None and before.album is not None:
            before.album.close()
        job = _Job(updates=[update])
        if (part := _album_part(update)) is not None:
            job.album = Arriving(parts=[part])
        self._newest[chat] = job
        task = asyncio.create_task(self._deal(job, chat, before))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    def _join_album(self, job: _Job, update: Update) -> _Job | None:
        """The job, if the update is one more part of its album."""
        part = _album_part(update)
        if part is None or job.album is None or job.album.is_complete:
            return None
        if job.album.parts[0].media_group_id != part.media_group_id:
            return None
        job.album.parts.append(part)
        job.updates.append(update)
        return job

    def _forget_settled(self) -> None:
        if len(self._jobs) > MOST_SETTLED:
            done = [number for number, job in self._jobs.items() if job.settled.is_set()]
            for number in done[: MOST_SETTLED // 2]:
                del self._jobs[number]

    async def _deal(self, job: _Job, chat: int, before: _Job | None) -> None:
        try:
            if before is not None:
                await before.passed.wait()
            for incoming in await self._read(job):
                await self._hand_over(incoming, job)
        except Exception:
            log.exception("An update could not be dealt with; it is passed over.")
        job.settle()
        if self._newest.get(chat) is job:
            del self._newest[chat]

    async def _read(self, job: _Job) -> list[Incoming]:
        if job.album is not None:
            await job.album.complete(self._clock)
            return await self._reader.read_parts(job.album.parts)
        return await self._reader.read(job.updates[0])

    # -- to the engine -----------------------------------------------------------------------
    async def _hand_over(self, incoming: Incoming, job: _Job) -> None:
        value = incoming.value
        if isinstance(value, Reply):
            await self._say(incoming, value)
            return
        if isinstance(value, Command | Press):
            job.settle()  # at most once: what it does may not bear being done again
        if isinstance(value, Migrated):
            self._moved(int(value.old.chat), int(value.new.chat))
        send = self._outlet.to(incoming.target, incoming.asker, kept=job.settle)
        await self._patiently(lambda: self._handle(value, send), job)

    async def _patiently(self, act: Callable[[], Awaitable[None]], job: _Job) -> None:
        """Tries again while the store fails: what was said must not be lost to a full disk."""
        for wait in (*WAITS_SECONDS, None):
            try:
                await act()
            except StorageError as error:
                if job.settled.is_set() or wait is None:
                    log.error("What came in could not be kept: %s", error)  # noqa: TRY400
                    return
                log.warning("What came in could not be kept yet: %s", error)
                await self._clock.sleep(wait)
            else:
                return

    async def _say(self, incoming: Incoming, reply: Reply) -> None:
        try:
            await self._outlet.to(incoming.target, incoming.asker)(reply)
        except SendError as error:
            log.warning("A word of the program could not be delivered: %s", error)


def _album_part(update: Update) -> Message | None:
    message = update.message
    return message if message is not None and message.media_group_id else None
