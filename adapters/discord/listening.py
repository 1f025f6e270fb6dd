"""What one bot account hears: Discord's events become inbound values, in order per channel."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from weakref import WeakValueDictionary

import discord

from adapters.discord.channels import Channels, keep, looked_up
from adapters.discord.inbound.attachments import with_texts
from adapters.discord.inbound.messages import Reader, author_of
from adapters.discord.inbound.places import key_of, server_of, where_of
from adapters.discord.inbound.proxies import Copy, Proxies
from adapters.discord.outbound.outlet import Outlet
from adapters.discord.speaking import Speaking
from bot.clock import Clock
from bot.errors import BotError
from bot.messages import Change, Delete, Described, Edit, Inbound, Membership, Message, Rename
from bot.ports import Handler
from bot.world import Author

log = logging.getLogger(__name__)

Hook = Callable[..., Coroutine[object, object, None]]


class Listening:
    """The event handlers of one client. `handle` is the engine's; `finish` waits for what is
    under way."""

    def __init__(
        self,
        client: discord.Client,
        *,
        reader: Reader,
        channels: Channels,
        speaking: Speaking,
        handle: Handler,
        clock: Clock,
    ) -> None:
        self._client = client
        self._reader = reader
        self._bot = str(reader.me.id)
        self._channels = channels
        self._speaking = speaking
        self._handle = handle
        self._clock = clock
        self._proxies = Proxies()
        self._order: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._starters: OrderedDict[int, str | None] = OrderedDict()
        self._under_way: set[asyncio.Task[None]] = set()

    def hooks(self) -> Sequence[Hook]:
        """The handlers, named as discord.py's events are."""
        return (
            self.on_message,
            self.on_raw_message_edit,
            self.on_raw_message_delete,
            self.on_raw_bulk_message_delete,
            self.on_guild_channel_update,
            self.on_guild_role_update,
            self.on_member_update,
            self.on_user_update,
            self.on_guild_join,
            self.on_guild_remove,
        )

    # -- handing over ----------------------------------------------------------------------
    async def hand_over(self, inbound: Inbound, outlet: Outlet) -> None:
        """Has the engine deal with it. The one place where any error of a handler ends."""
        task = asyncio.current_task()
        assert task is not None
        self._under_way.add(task)
        try:
            await self._handle(inbound, outlet.send)
        except BotError as error:
            log.error("What came from Discord could not be dealt with: %s", error)  # noqa: TRY400 - its text says it all
        except Exception:
            log.exception("Something that came from Discord could not be dealt with.")
        finally:
            self._under_way.discard(task)
            await outlet.close()

    async def finish(self, seconds: float) -> None:
        """Lets what is under way end for so long; then it is given up. What was received
        stays so and is taken up by the next process."""
        deadline = asyncio.get_running_loop().time() + seconds
        await asyncio.sleep(0)  # events that discord.py has just dispatched begin
        while self._under_way and (left := deadline - asyncio.get_running_loop().time()) > 0:
            await asyncio.wait(set(self._under_way), timeout=left)
        late = set(self._under_way)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    # -- messages --------------------------------------------------------------------------
    async def on_message(self, message: discord.Message) -> None:
        if self._reader.is_mine(message):
            return
        if message.webhook_id is not None:
            await self._copy(message)
            return
        if not self._reader.is_spoken(message):
            return
        async with self._in_order(message.channel.id):
            inbound = await self._read(message)
        if inbound is not None:
            self._proxies.said(inbound)
            await self._say(inbound)

    async def _say(self, inbound: Message) -> None:
        outlet = self._speaking.outlet(inbound.where)
        await self.hand_over(inbound, outlet)
        if outlet.replied:
            self._proxies.answered(inbound.id, inbound.where.key.chat)

    async def _copy(self, message: discord.Message) -> None:
        """A webhook's message is nobody's, unless it is what a proxy bot made of a person's."""
        copy = Copy(
            id=str(message.id),
            chat=str(message.channel.id),
            text=self._reader.text_of(message),
            at=message.created_at.timestamp(),
        )
        if inbound := self._proxies.copied(copy):
            await self._say(inbound)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Only what a person changed: embeds and pins come as edits too."""
        message = payload.message
        if message.edited_at is None or not self._reader.is_spoken(message):
            return
        if self._reader.is_mine(message) or self._is_hidden(message):
            return
        async with self._in_order(message.channel.id):
            inbound = await self._read(message)
        if inbound is not None:
            outlet = self._speaking.outlet(inbound.where)
            await self.hand_over(Edit(message=inbound, at=message.edited_at), outlet)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        chat = str(payload.channel_id)
        gone, copy = self._proxies.deleted(str(payload.message_id), chat)
        if gone is not None:
            await self._delete(payload.channel_id, (gone,))
        if copy is not None:
            await self._say(copy)

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        ids = tuple(str(one) for one in sorted(payload.message_ids))
        await self._delete(payload.channel_id, ids)

    async def _delete(self, channel: int, ids: tuple[str, ...]) -> None:
        delete = Delete(place=key_of(channel, self._bot), ids=ids, at=self._clock.now())
        await self.hand_over(delete, self._speaking.nowhere())

    def _is_hidden(self, message: discord.Message) -> bool:
        """Without the message-content intent an edit arrives without its text."""
        says_nothing = not message.content and not message.attachments
        return says_nothing and not self._client.intents.message_content

    async def _read(self, message: discord.Message) -> Message | None:
        channel: object = message.channel
        if where_of(channel, self._bot) is None:  # a thread that discord.py does not know
            channel = await self._channels.get(message.channel.id)
        where = where_of(channel, self._bot)
        if where is None:
            log.warning("A message came from a channel that Discord does not describe.")
            return None
        return self._reader.read(
            message,
            where,
            answered=await self._answered(message),
            passed_on=await self._passed_on(message),
            attachments=await with_texts(
                message.message_snapshots[0] if message.message_snapshots else message
            ),
            thread_persona=await self._thread_persona(channel),
        )

    async def _answered(self, message: discord.Message) -> discord.Message | None:
        """What the message is a reply to; looked up where Discord did not send it along."""
        reference = message.reference
        if reference is None or message.type is not discord.MessageType.reply:
            return None
        if isinstance(reference.resolved, discord.Message):
            return reference.resolved
        if reference.resolved is not None or reference.message_id is None:
            return None
        return await looked_up(message.channel.fetch_message(reference.message_id))

    async def _passed_on(self, message: discord.Message) -> discord.Message | None:
        """What the message forwards; Discord sends its text along, but not its author."""
        reference = message.reference
        if not message.message_snapshots or reference is None or reference.message_id is None:
            return None
        source = self._client.get_channel(reference.channel_id)
        if not isinstance(source, discord.abc.Messageable):
            return None
        return await looked_up(source.fetch_message(reference.message_id))

    # -- places ----------------------------------------------------------------------------
    async def _thread_persona(self, channel: object) -> str | None:
        """A thread that began at a persona's message is that persona's."""
        if not isinstance(channel, discord.Thread) or len(self._reader.keys) < 2:
            return None
        if channel.id not in self._starters:
            parent = channel.parent
            starter = None
            if isinstance(parent, discord.TextChannel):
                starter = await looked_up(parent.fetch_message(channel.id))
            mine = starter is not None and self._reader.is_mine(starter)
            persona = self._reader.persona_of(starter) if starter is not None and mine else None
            keep(self._starters, channel.id, persona)
        return self._starters[channel.id]

    def _in_order(self, channel: int) -> asyncio.Lock:
        return self._order.setdefault(channel, asyncio.Lock())

    async def on_guild_channel_update(
        self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel
    ) -> None:
        """Who can read a channel is said at once: what was said there may have to stay there."""
        now = where_of(after, self._bot)
        if now is not None and where_of(before, self._bot) != now:
            described = Described(where=now, at=self._clock.now())
            await self.hand_over(described, self._speaking.nowhere())

    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """What everybody may do decides which channels are private."""
        if not after.is_default() or before.permissions == after.permissions:
            return
        for channel in after.guild.channels:
            if where := where_of(channel, self._bot):
                described = Described(where=where, at=self._clock.now())
                await self.hand_over(described, self._speaking.nowhere())

    # -- people and servers ----------------------------------------------------------------
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        if before.display_name != after.display_name and not after.bot:
            await self._rename(author_of(after), server=str(after.guild.id))

    async def on_user_update(self, before: discord.User, after: discord.User) -> None:
        if before.display_name != after.display_name and not after.bot:
            await self._rename(author_of(after), server="")

    async def _rename(self, author: Author, *, server: str) -> None:
        rename = Rename(
            account=author.account, name=author.name, server=server, at=self._clock.now()
        )
        await self.hand_over(rename, self._speaking.nowhere())

    async def on_guild_join(self, guild: discord.Guild) -> None:
        log.info("Added to a server (%s).", guild.id)
        await self._membership(guild, Change.JOINED)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        log.info("Removed from a server (%s).", guild.id)
        await self._membership(guild, Change.LEFT)

    async def _membership(self, guild: discord.Guild, change: Change) -> None:
        me = Author(
            account=author_of(self._reader.me).account,
            name=self._reader.me.display_name,
            is_bot=True,
            is_me=True,
        )
        membership = Membership(
            where=server_of(guild, self._bot), author=me, change=change, at=self._clock.now()
        )
        await self.hand_over(membership, self._speaking.nowhere())
