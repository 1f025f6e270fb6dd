"""The adapter under an independent simulation of Discord, with its permissions and deadlines."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import simcord

from adapters.discord import Account, InMemory, Login, Options
from bot.messages import Command, Delete, Edit, Inbound, Message, Reply, Thinking
from bot.ports import Send
from tests.platforms.discord.world import NO_DRAFTS


@dataclass(slots=True)
class Stage:
    """A running bot in a server with one channel; it repeats what it hears."""

    env: simcord.Env
    account: Account
    heard: list[Inbound]
    guild: simcord.GuildHandle
    channel: simcord.ChannelHandle
    ana: simcord.MemberActor


@asynccontextmanager
async def on_stage() -> AsyncIterator[Stage]:
    heard: list[Inbound] = []

    async def handle(inbound: Inbound, send: Send) -> None:
        heard.append(inbound)
        if isinstance(inbound, Message):
            await send(Thinking())
            await send(
                Reply(text=f"I heard: {inbound.text}", nonce=inbound.id, reply_to=inbound.id)
            )
        if isinstance(inbound, Command):
            await send(Reply(text="for you", nonce=f"c{inbound.id}", private=True))

    options = Options(pace=NO_DRAFTS, memo=InMemory(), ready_seconds=0.0)
    account = Account(Login(token="t"), options)
    client = account.open_client(handle)
    async with simcord.run(client) as env:
        guild = env.create_guild()
        channel = guild.create_text_channel("hall")
        ana = guild.add_member(env.create_user("ana"))
        yield Stage(env=env, account=account, heard=heard, guild=guild, channel=channel, ana=ana)
        await account.close_client(client)


async def test_a_message_is_answered_with_a_reply() -> None:
    async with on_stage() as stage:
        said = await stage.ana.send(stage.channel, "hello")
        answer = stage.channel.last_message
        assert answer is not None
        assert answer.content == "I heard: hello"
        assert answer.reference is not None
        assert answer.reference.message_id == said.id


async def test_edits_and_deletes_are_heard() -> None:
    async with on_stage() as stage:
        said = await stage.ana.send(stage.channel, "tea")
        await stage.ana.edit(said, "coffee")
        await stage.ana.delete(said)
        edits = [one.message.text for one in stage.heard if isinstance(one, Edit)]
        deletes = [one.ids for one in stage.heard if isinstance(one, Delete)]
        assert edits == ["coffee"]
        assert deletes == [(str(said.id),)]


async def test_a_long_reply_is_taken_in_parts() -> None:
    async with on_stage() as stage:
        text = " ".join(f"word{n}" for n in range(240))
        await stage.ana.send(stage.channel, text)
        await stage.ana.send(stage.channel, text)
        assert all(len(message.content) <= 2000 for message in stage.channel.history())


async def test_a_private_command_is_answered_for_its_giver_alone() -> None:
    async with on_stage() as stage:
        result = await stage.ana.slash(stage.channel, "memories")
        assert result.response is not None
        assert result.response.ephemeral
        assert result.response.content == "for you"
