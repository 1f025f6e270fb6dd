"""A program that keeps a whole turn again and again, until it is killed or has done enough.

Run as `python -m tests.storage.writer_child FILE DRIVER EXTENSION NAME TURNS`.
"""

import asyncio
import sys
from itertools import count
from pathlib import Path
from typing import cast

from bot.messages import Delete
from storage import open_storage
from storage.driver import Choice
from tests.storage.scenes import answers, channel, hears, message


async def main(file: str, driver: str, extension: str, name: str, turns: str) -> None:
    async with open_storage(
        Path(file), driver=cast("Choice", driver), extension=extension == "True"
    ) as store:
        print("ready", flush=True)  # noqa: T201 - the parent waits for it
        for number in count():
            if number == int(turns):
                return
            said = message(f"{name}{number}", f"line {number}", by=name, where=channel(name))
            event = await hears(store, said)
            if number % 5 == 4:
                await store.deleted(Delete(place=said.where.key, ids=(said.id,), at=said.at))
            else:
                await answers(store, event, ids=[f"{name}-r{number}"])


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
