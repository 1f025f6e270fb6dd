"""`main.py recall`: what would come to a persona's mind."""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

import typer

from adapters.cli.chat import login_name
from adapters.cli.root import Root, prepared
from adapters.printable import printable
from adapters.settings import Settings, read_account
from bot.errors import SettingsError
from bot.memory import Event, Precision, Recalled
from bot.persona import RecallMode
from bot.ports import Storage
from bot.recall import STRATEGIES, Mind, Query, bring_to_mind
from bot.world import Hearing

ELSEWHERE = ("discord", "telegram")
"""Platforms on which a name may be anybody's: there the account must be given."""


_SHOWN = {
    Precision.YEAR: "%Y",
    Precision.MONTH: "%Y-%m",
    Precision.DAY: "%Y-%m-%d",
    Precision.MINUTE: "%Y-%m-%d %H:%M",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, of whom and by whom; `who` None is the login name, `persona` None the
    default one, `mode` None the persona's own."""

    text: str
    persona: str | None
    who: str | None
    limit: int
    strategy: str
    mode: str | None


def recall(root: Root, question: Question, *, as_json: bool) -> None:
    """Says on standard output what comes to mind, best first. Raises SettingsError."""
    if question.strategy not in STRATEGIES:
        raise SettingsError(
            f"--strategy: there is no {question.strategy}; there are {', '.join(STRATEGIES)}."
        )
    if question.mode is not None and question.mode not in list(RecallMode):
        raise SettingsError(
            f"--mode: there is no {question.mode}; there are {', '.join(RecallMode)}."
        )
    settings = prepared()
    mind = asyncio.run(_recall(root, settings, question))
    if as_json:
        content = as_object(question.text, mind, settings.zone)
        typer.echo(json.dumps(content, ensure_ascii=False))
        return
    for recalled in mind.recalled:
        typer.echo(_line(recalled, settings.zone))


async def _recall(root: Root, settings: Settings, question: Question) -> Mind:
    """As in a conversation that begins with this text now."""
    who = (question.who or "").strip() or login_name()
    async with root.remembering(settings) as remembering:
        storage = remembering.storage
        chosen = remembering.persona(question.persona)
        await remembering.learn_past(chosen)
        agent = await storage.persona(chosen.key, chosen.name)
        people = await people_meant(storage, who)
        query = Query(
            text=question.text,
            mode=RecallMode(question.mode) if question.mode else chosen.recall_mode,
            now=datetime.now(ZoneInfo(chosen.time_zone)),
            limit=question.limit,
        )
        return await bring_to_mind(
            query,
            Hearing(persona=agent.id, people=tuple(people)),
            storage=storage,
            embedder=remembering.senses.embedder,
            scorer=remembering.senses.scorer,
            limit=question.limit,
            strategy=question.strategy,
        )


async def people_meant(storage: Storage, who: str) -> list[int]:
    """The agents meant by a name or an account. Raises SettingsError if there are none."""
    if ":" in who:
        try:
            account = read_account(who)
        except ValueError as error:
            raise SettingsError(f"--as: {error}.") from error
        agent = await storage.person(account)
        found = [agent.id] if agent else []
    else:
        named = await storage.people_named(" ".join(who.split()).casefold())
        found = sorted({a.id for a, account in named if account.platform not in ELSEWHERE})
    if not found:
        raise SettingsError(
            f"Nobody called {who} has talked here or was imported; "
            "give a name as it was used with chat --as, or platform:id."
        )
    return found


def as_object(query: str, mind: Mind, zone: tzinfo) -> dict[str, object]:
    """What was recalled, as it is printed with --json."""
    return {
        "query": query,
        "strategy": mind.strategy,
        "results": [_as_object(recalled, zone) for recalled in mind.recalled],
    }


def _as_object(recalled: Recalled, zone: tzinfo) -> dict[str, object]:
    event = recalled.event
    return {
        "event": event.id,
        "text": event.text,
        "at": _at(event, zone).isoformat(),
        "speaker": {"id": event.speaker.id, "name": event.speaker_name},
        "place": {"id": event.place_id, "name": event.place_name},
        "score": round(recalled.score, 6),
        "parts": {name: round(part, 6) for name, part in recalled.parts.items()},
    }


def _at(event: Event, zone: tzinfo) -> datetime:
    """A day that is known without its hour is the same day in every zone."""
    return event.at.astimezone(zone) if event.precision is Precision.MINUTE else event.at


def _line(recalled: Recalled, zone: tzinfo) -> str:
    event = recalled.event
    when = _at(event, zone).strftime(_SHOWN[event.precision])
    parts = ", ".join(f"{name} {part:.2f}" for name, part in recalled.parts.items())
    text = " ".join(printable(event.text).split())
    where = f" in {printable(event.place_name)}" if event.place_name else ""
    return f"{recalled.score:.2f} ({parts})  {when}{where}  {printable(event.speaker_name)}: {text}"
