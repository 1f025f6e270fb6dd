"""All calls together stay below Discord's limit, however many want to leave at once."""

import asyncio
from datetime import datetime, timedelta

import discord

from adapters.discord.outbound.global_pace import EVERYTHING, paced
from tests.fakes import FakeClock
from tests.platforms.discord.fake_limits import GLOBAL_CALLS, GLOBAL_SECONDS

POST = discord.http.Route("POST", "/channels/{channel_id}/messages", channel_id=1)
ANSWER = discord.http.Route("POST", "/interactions/{id}/{token}/callback", id=1, token="t")


async def test_a_crowd_of_calls_leaves_in_its_turn() -> None:
    clock, made = FakeClock(), list[datetime]()

    async def request(route: discord.http.Route, **_: object) -> str:
        made.append(clock.now())
        return route.path

    call = paced(request, clock)
    paths = await asyncio.gather(*(call(POST, json={}) for _ in range(200)))
    assert set(paths) == {POST.path}
    for at in made:
        within = [one for one in made if at <= one < at + timedelta(seconds=GLOBAL_SECONDS)]
        assert len(within) <= EVERYTHING.sends < GLOBAL_CALLS
    assert made[-1] - made[0] < timedelta(seconds=10)


async def test_answers_to_interactions_do_not_wait() -> None:
    clock, made = FakeClock(), list[datetime]()

    async def request(route: discord.http.Route, **_: object) -> None:
        made.append(clock.now())

    call = paced(request, clock)
    for _ in range(200):
        await call(ANSWER)
    assert len(set(made)) == 1
