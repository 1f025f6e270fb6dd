"""Commands are registered with Discord when they are others than last time."""

import logging
from collections.abc import Sequence

import discord

from adapters.discord.commands.rendering import fingerprint, payload
from adapters.discord.memo import Memo
from adapters.discord.outbound.failures import Code, translated
from bot.commands import CommandSpec
from bot.errors import BotError

log = logging.getLogger(__name__)


async def register(client: discord.Client, commands: Sequence[CommandSpec], memo: Memo) -> None:
    """Nothing waits for it, and a failure stops nothing: the next start tries again."""
    application = client.application_id
    assert application is not None
    wanted = payload(commands)
    name, mark = f"discord:{application}:commands", fingerprint(wanted)
    try:
        if await memo.get(name) == mark:
            return
        with translated():
            await client.http.bulk_upsert_global_commands(application, wanted)
        await memo.set(name, mark)
    except BotError as error:
        cause = error.__cause__
        code = cause.code if isinstance(cause, discord.HTTPException) else 0
        why = "too many changes today" if code == Code.COMMANDS_PER_DAY else str(error)
        log.warning("Commands are not registered (%s); the next start tries again.", why)
        return
    log.info("Discord: %d commands registered.", len(wanted))
