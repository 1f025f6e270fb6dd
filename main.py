"""Wires everything: the only file that knows all parts."""

# ruff: noqa: PLC0415 - help shall not wait for what a command alone needs

import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.cli import run

if TYPE_CHECKING:
    from adapters.cli.root import (
        AccountReport,
        BenchReport,
        DatabaseReport,
        PlatformEntry,
        Root,
    )
    from adapters.settings import Settings
    from bot.clock import Clock
    from bot.memory import Usage
    from bot.parts import Models, Parts, Remembering, Senses
    from bot.ports import Platform, Storage

VERSION = "0.1.0"


def platforms() -> "Sequence[PlatformEntry]":
    """Every chat service: its name, the setting with its token, and what makes it."""
    from adapters.cli.root import PlatformEntry

    return (
        PlatformEntry(name="discord", setting="DISCORD_TOKEN", make=make_discord),
        PlatformEntry(
            name="telegram",
            setting="TELEGRAM_TOKEN",
            make=make_telegram,
            examine=examine_telegram,
        ),
    )


def make_discord(settings: "Settings", parts: "Parts") -> "Sequence[Platform]":
    from adapters.discord import make_platforms

    return make_platforms(settings, parts)


def make_telegram(settings: "Settings", parts: "Parts") -> "Sequence[Platform]":
    from adapters.telegram import make_platforms

    return make_platforms(settings, parts)


async def examine_telegram(settings: "Settings") -> "Sequence[AccountReport]":
    from adapters.telegram import examine

    tokens = [one.token.get_secret_value() for one in settings.telegram_token]
    return await examine(tokens, settings.telegram_api_url)


@asynccontextmanager
async def open_parts(settings: "Settings", clock: "Clock") -> "AsyncIterator[Parts]":
    """Everything; the engine is not entered yet."""
    from adapters.pictures import MatplotlibPictures
    from bot.engine import Limits
    from bot.parts import put_together
    from bot.stream.claims import ClaimRules

    async with open_remembering(settings) as remembering, open_models(settings) as models:
        yield await put_together(
            remembering,
            models,
            clock=clock,
            owners=settings.owners,
            help_lines=settings.help_lines,
            plan=settings.plan,
            limits=Limits(
                burst_seconds=settings.burst_seconds,
                stale_seconds=settings.stale_minutes * 60,
                reply_tokens=settings.reply_tokens,
                persona_turns=settings.persona_turns,
                persona_turns_per_minute=settings.persona_turns_per_minute,
                learn_by_model=not settings.uses_bundled_model,
                weight_rule=settings.weight_rule,
                claims=ClaimRules(
                    confirmations=settings.claim_confirmations,
                    days=settings.claim_days,
                    reading=settings.claim_reading,
                ),
            ),
            pictures=MatplotlibPictures(),
        )


@asynccontextmanager
async def open_remembering(settings: "Settings") -> "AsyncIterator[Remembering]":
    """The store, the senses and the personas."""
    from adapters.card_files import take_in_card
    from bot.cast import open_cast
    from bot.parts import Remembering
    from storage import open_storage

    personas = open_cast(settings.personas, settings.persona)
    personas.take_in = take_in_card
    async with (
        open_storage(settings.database) as storage,
        open_senses(settings, storage) as senses,
    ):
        yield Remembering(
            storage=storage,
            senses=senses,
            personas=personas,
            default_persona=personas.keep,
        )


@asynccontextmanager
async def open_senses(
    settings: "Settings", storage: "Storage | None" = None
) -> "AsyncIterator[Senses]":
    """The encoders load in the background from now on. A model that is asked about feelings
    has its calls written into the account book of `storage`."""
    from adapters.embedder import load_embedder
    from adapters.emotion.asked import AskedScorer
    from adapters.emotion.local import load_scorer
    from adapters.settings import ScoredBy
    from bot.clock import SystemClock
    from bot.parts import Senses

    async def spent(usage: "Usage", place: int | None) -> None:
        if storage is not None:
            await storage.used(usage, place=place, at=SystemClock().now())

    async with AsyncExitStack() as opened:
        embedder = await opened.enter_async_context(load_embedder(settings.embedding_model))
        local = await opened.enter_async_context(load_scorer(embedder))
        if settings.emotion_scorer is ScoredBy.LOCAL:
            yield Senses(embedder=embedder, scorer=local)
            return
        models = await opened.enter_async_context(open_models(settings))
        asked = AskedScorer(models.small_model, spent=spent, spare=local)
        yield Senses(embedder=embedder, scorer=asked)


@asynccontextmanager
async def open_models(settings: "Settings") -> "AsyncIterator[Models]":
    """The language models that the settings name, with their fallbacks."""
    from adapters.chat_models import ChatModels
    from bot.parts import Models

    async with AsyncExitStack() as opened:
        chats = ChatModels(settings, opened)
        model = await chats.main()
        yield Models(model=model, small_model=await chats.small(model))


def examine_database(database: Path) -> "DatabaseReport":
    """What `doctor` says about the database file."""
    from adapters.cli.root import DatabaseReport
    from storage import describe
    from storage.driver import pick_driver
    from storage.health import check_health

    used = describe()
    health = check_health(pick_driver(), database)
    size = f"{health.size / 1_000_000:.1f} MB"
    later = ", brought up to date when it is next opened" if health.outdated else ""
    slow = "this Python cannot load sqlite-vec, so NumPy searches, more slowly"
    return DatabaseReport(
        state=f"{health.version}, {size}{later}" if health.version else "made at the first start",
        driver=f"{used.driver} {used.sqlite_version}",
        slow="" if used.extension else slow,
    )


async def run_bench(
    name: str,
    *,
    data: Path | None,
    cache: Path,
    limit: int | None,
    seed: int,
    cv: bool,
    say: "Callable[[str], None]",
    progress: "Callable[[str, int, int], None]",
) -> "BenchReport | None":
    """Runs a benchmark of `benchmarks/`."""
    from adapters.cli.root import BenchReport
    from benchmarks.record import Options
    from benchmarks.suite import load

    options = Options(
        data=data, cache=cache, limit=limit, seed=seed, cv=cv, say=say, progress=progress
    )
    record = await load(name)(options)
    if record is None:
        return None
    return BenchReport(
        bench=record.bench,
        n=record.n,
        seed=record.seed,
        rows=record.rows,
        content=record.as_json(),
    )


def root() -> "Root":
    """The program as the command line sees it."""
    from adapters.chat_models import offered_models
    from adapters.cli.root import Root
    from benchmarks.suite import BENCHES
    from storage import open_storage, restore

    return Root(
        parts=open_parts,
        remembering=open_remembering,
        senses=open_senses,
        models=open_models,
        storage=open_storage,
        restore=restore,
        examine=examine_database,
        endpoint=offered_models,
        bench=run_bench,
        benches=BENCHES,
        platforms=platforms(),
    )


def leave(code: int) -> None:
    """Ends the process. A model that still loads in a thread is not waited for: all that is to
    be kept was kept when its owner closed it."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    leave(run(root, sys.argv[1:], version=VERSION))
