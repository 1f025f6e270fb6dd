"""The checks of `doctor`, each about one part. None changes anything."""

import asyncio
import platform
import sys
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from adapters.cli.notes import about_language, about_vectors
from adapters.cli.root import Root
from adapters.settings import Settings, notices, read_settings
from bot.cast import choose_default
from bot.errors import BotError, ModelRefused, SettingsError
from bot.persona_doubts import doubts
from bot.persona_folder import PersonaFolder
from bot.ports import ChatModel, Embedder, Line

OLDEST, NEWEST = (3, 11), (3, 13)
"""The Python versions that Bower is made for."""

MODEL_SECONDS = 60.0
"""A model that takes longer for one word is of no use."""


class State(StrEnum):
    """How a part is; the worst last."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What was found about one part, and what to do unless all is well."""

    name: str
    state: State
    found: str
    remedy: str = ""


async def check_all(root: Root) -> list[Check]:
    """All checks. Those that rest on a part that failed are left out."""
    checks = [check_python()]
    try:
        settings = read_settings()
    except SettingsError as error:
        return [*checks, failed("settings", error)]
    checks += [check_settings(settings), check_platforms(root, settings)]
    checks += await check_accounts(root, settings)
    checks += check_personas(settings)
    checks.append(database := check_database(root, settings))
    async with root.senses(settings) as senses:
        checks.append(await _safely("encoder", check_encoder(senses.embedder)))
        if settings.database.exists() and database.state is not State.FAIL:
            vectors = check_vectors(root, settings, senses.embedder.name)
            checks.append(await _safely("vectors", vectors))
    if not settings.uses_bundled_model:
        checks.append(endpoint := await check_endpoint(root, settings))
        if endpoint.state is State.FAIL:
            return checks
    async with root.models(settings) as models:
        checks.append(await _safely("model", check_model(models.model)))
    return checks


async def _safely(name: str, check: Awaitable[Check]) -> Check:
    try:
        return await check
    except BotError as error:
        return failed(name, error)


def failed(name: str, error: BotError) -> Check:
    """A part that does not work; its error says what to do."""
    return Check(name=name, state=State.FAIL, found=str(error))


def check_python() -> Check:
    found = f"{platform.python_implementation()} {platform.python_version()}"
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return Check(name="python", state=State.OK, found=found)
    return Check(
        name="python", state=State.WARN, found=found, remedy="Use Python 3.11, 3.12 or 3.13."
    )


def check_settings(settings: Settings) -> Check:
    said = notices(settings)
    if said:
        return Check(name="settings", state=State.WARN, found=" ".join(said))
    return Check(name="settings", state=State.OK, found="All values can be used.")


def check_platforms(root: Root, settings: Settings) -> Check:
    with_token = [e.name for e in root.platforms if getattr(settings, e.setting.lower())]
    if with_token:
        found = f"{' and '.join(with_token)} would start."
        if settings.owners:
            return Check(name="platforms", state=State.OK, found=found)
        return Check(
            name="platforms",
            state=State.WARN,
            found=f"{found} OWNERS is empty.",
            remedy="Set OWNERS to your id, like discord:123, to use operator commands.",
        )
    return Check(
        name="platforms",
        state=State.OK,
        found="No token is set; the terminal works without: main.py chat",
    )


async def check_accounts(root: Root, settings: Settings) -> list[Check]:
    """Each bot account, as its service tells it."""
    return [
        Check(
            name=entry.name,
            state=State.OK if report.works else State.FAIL,
            found=f"{report.name}: {report.found}",
        )
        for entry in root.platforms
        if entry.examine is not None and getattr(settings, entry.setting.lower())
        for report in await entry.examine(settings)
    ]


def check_personas(settings: Settings) -> list[Check]:
    try:
        personas = PersonaFolder(settings.personas)
        choose_default(personas, settings.persona, personas.broken)
    except BotError as error:
        return [failed("personas", error)]
    names = ", ".join(sorted(personas))
    checks = [Check(name="personas", state=State.OK, found=f"{len(personas)} ({names})")]
    checks += [
        Check(
            name="personas",
            state=State.WARN,
            found=problem,
            remedy="Until it is mended the others play.",
        )
        for problem in personas.problems
    ]
    checks += [
        Check(name="personas", state=State.WARN, found=said)
        for persona in personas.values()
        if (said := about_language(settings, persona))
    ]
    checks += [
        Check(name="personas", state=State.WARN, found=said)
        for said in doubts(personas, settings.personas, datetime.now(UTC))
    ]
    return checks


def check_database(root: Root, settings: Settings) -> Check:
    try:
        report = root.examine(settings.database)
    except BotError as error:
        return failed("database", error)
    found = ", ".join(
        part for part in (str(settings.database), report.state, report.driver) if part
    )
    if report.slow:
        return Check(name="database", state=State.WARN, found=f"{found}: {report.slow}")
    return Check(name="database", state=State.OK, found=found)


async def check_endpoint(root: Root, settings: Settings) -> Check:
    """The address answers, and offers the models that are set."""
    try:
        offered = await root.endpoint(settings)
    except ModelRefused as error:
        return Check(
            name="endpoint",
            state=State.WARN,
            found=f"It does not list its models: {error}",
            remedy="It may answer all the same; see the model's own line.",
        )
    except BotError as error:
        return failed("endpoint", error)
    wanted = [settings.model or "", settings.small_model or ""]
    missing = [name for name in wanted if name and name not in offered]
    where = settings.openai_base_url or "OpenAI"
    if offered and missing:
        return Check(
            name="endpoint",
            state=State.WARN,
            found=f"{where} answers, but does not list {', '.join(missing)}.",
            remedy=f"It lists, for example, {', '.join(sorted(offered)[:5])}.",
        )
    return Check(name="endpoint", state=State.OK, found=f"{where} answers.")


async def check_encoder(embedder: Embedder) -> Check:
    started = time.perf_counter()
    vectors = await embedder.embed(["The tide turns at six."], kind="query")
    seconds = time.perf_counter() - started
    found = f"{embedder.name}, {vectors.shape[1]} dimensions, ready in {seconds:.1f} s"
    return Check(name="encoder", state=State.OK, found=found)


async def check_vectors(root: Root, settings: Settings, embedder: str) -> Check:
    async with root.storage(settings.database) as storage:
        if said := await about_vectors(storage, embedder):
            return Check(name="vectors", state=State.WARN, found=said)
        stored = await storage.embedders()
    return Check(name="vectors", state=State.OK, found=f"{sum(stored.values())} stored")


async def check_model(model: ChatModel) -> Check:
    """The model says a word."""
    lines = [Line(role="user", text="Say: ready.")]
    started = time.perf_counter()
    try:
        async with asyncio.timeout(MODEL_SECONDS):
            async for _ in model.stream(lines, max_tokens=4, purpose="doctor"):
                pass
    except TimeoutError:
        return Check(
            name="model",
            state=State.FAIL,
            found=f"{model.name} gave no answer in {MODEL_SECONDS:.0f} s",
            remedy="Use a smaller model or a faster machine.",
        )
    seconds = time.perf_counter() - started
    return Check(name="model", state=State.OK, found=f"{model.name} answered in {seconds:.1f} s")
