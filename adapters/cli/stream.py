"""`main.py relationship`, `people`, `claims` and `scene`: the memory stream for scripts."""

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime, tzinfo
from pathlib import Path

import typer

from adapters.cli.recall import people_meant
from adapters.cli.root import Root, prepared
from adapters.printable import printable
from adapters.settings import Settings
from bot.cast import find_persona, open_cast
from bot.errors import SettingsError
from bot.ports import Storage
from bot.stream.bonds import Bond, Change
from bot.stream.chart import text_chart
from bot.stream.claims import Claim, confidence
from bot.stream.scenes import SceneItem
from bot.stream.stages import stage_now
from bot.text import counted
from bot.world import Agent, Place

MOST_CLAIMS = 1000

JsonObject = dict[str, object]


def relationship(root: Root, *, persona: str | None, who: str | None, as_json: bool) -> None:
    """Everybody in a persona's circle; with `who`, that person alone, with the history."""
    settings = prepared()
    found = asyncio.run(_relationship(root, settings, persona, who))
    if as_json:
        typer.echo(json.dumps(found.as_object(settings.zone), ensure_ascii=False))
        return
    for bond in found.bonds:
        typer.echo(_line(bond, found.now))
    if who and found.history:
        typer.echo(text_chart(found.history))


def people(root: Root, *, as_json: bool) -> None:
    """Everybody who has spoken anywhere or was heard of, with their names."""
    settings = prepared()
    found = asyncio.run(_people(root, settings))
    if as_json:
        listed = [
            {**_agent(agent), "kind": agent.kind.value, "names": names} for agent, names in found
        ]
        typer.echo(json.dumps({"people": listed}, ensure_ascii=False))
        return
    for agent, names in found:
        others = ", ".join(printable(name) for name in names if name != agent.name)
        typer.echo(f"{agent.id}  {printable(agent.name)}{f' (also {others})' if others else ''}")


def scene(root: Root, *, place: str | None, as_json: bool) -> None:
    """What is in each place, or in those of this name."""
    settings = prepared()
    found = asyncio.run(_scene(root, settings, place))
    if as_json:
        listed = [_scene_object(where, items, settings.zone) for where, items in found]
        typer.echo(json.dumps({"places": listed}, ensure_ascii=False))
        return
    for where, items in found:
        typer.echo(f"{where.id}  {printable(where.where.name)}")
        for item in items:
            since = item.since.astimezone(settings.zone)
            typer.echo(
                f"    {printable(item.item)}: {printable(item.state)}, since {since:%Y-%m-%d %H:%M}"
            )


def claims(root: Root, *, as_json: bool) -> None:
    """All hearsay, newest first, with the whole verification record."""
    settings = prepared()
    found = asyncio.run(_claims(root, settings))
    if as_json:
        listed = [_claim_object(claim, settings.zone) for claim in found]
        typer.echo(json.dumps({"claims": listed}, ensure_ascii=False))
        return
    for claim in found:
        about = f", about {printable(claim.subject.name)}" if claim.subject else ""
        typer.echo(f"{claim.id}  {claim.status.value}: {printable(claim.statement)}{about}")
        for check in claim.checks:
            typer.echo(f"    {printable(check.agent.name)}: {check.stance.value}")


class _Circle:
    """What `relationship` found out."""

    def __init__(
        self, persona: Agent, bonds: Sequence[Bond], history: Sequence[Change], now: datetime
    ) -> None:
        self.persona, self.bonds, self.history, self.now = persona, bonds, history, now

    def as_object(self, zone: tzinfo) -> JsonObject:
        found: JsonObject = {
            "persona": _agent(self.persona),
            "relationships": [_bond(bond, self.now, zone) for bond in self.bonds],
        }
        if self.history:
            found["history"] = [
                {
                    "at": change.at.astimezone(zone).isoformat(),
                    "delta": change.delta,
                    "weight": change.weight,
                    "rule": change.rule,
                    "reason": change.reason,
                    "event": change.event,
                }
                for change in self.history
            ]
        return found


async def _relationship(
    root: Root, settings: Settings, persona: str | None, who: str | None
) -> _Circle:
    folder = open_cast(settings.personas, settings.persona)
    key = find_persona(folder, persona or folder.keep, folder.broken)
    async with root.storage(_existing(settings)) as storage:
        agent = await storage.persona(key, folder[key].name)
        others = None if who is None else await people_meant(storage, who)
        bonds = await storage.bonds(agent.id, others=others)
        history = await storage.bond_history(agent.id, others[0]) if others else []
    return _Circle(agent, bonds, history, datetime.now(settings.zone))


async def _people(root: Root, settings: Settings) -> list[tuple[Agent, list[str]]]:
    async with root.storage(_existing(settings)) as storage:
        known = [*await storage.circle(None), *await storage.heard_of(None)]
        people = {agent.id: agent for agent in known}
        return [(agent, await _names(storage, agent)) for agent in people.values()]


async def _names(storage: Storage, agent: Agent) -> list[str]:
    return list(dict.fromkeys(seen.name for seen in await storage.names(agent.id)))


async def _scene(
    root: Root, settings: Settings, name: str | None
) -> list[tuple[Place, list[SceneItem]]]:
    async with root.storage(_existing(settings)) as storage:
        places = await storage.furnished()
        wanted = [p for p in places if name is None or p.where.name.casefold() == name.casefold()]
        return [(place, await storage.scene(place.id)) for place in wanted]


async def _claims(root: Root, settings: Settings) -> list[Claim]:
    async with root.storage(_existing(settings)) as storage:
        return await storage.claims(None, limit=MOST_CLAIMS)


def _existing(settings: Settings) -> Path:
    """The database file. Raises SettingsError where there is none yet."""
    if not settings.database.is_file():
        raise SettingsError(f"There is no database at {settings.database}; set DATABASE.")
    return settings.database


def _agent(agent: Agent) -> JsonObject:
    return {"id": agent.id, "name": agent.name}


def _bond(bond: Bond, now: datetime, zone: tzinfo) -> JsonObject:
    last = bond.standing.last_at
    return {
        "other": _agent(bond.other),
        "stage": stage_now(bond, now).value,
        "stage_since": bond.stage_since.astimezone(zone).isoformat(),
        "relation": bond.relation,
        "weight": bond.standing.weight,
        "exchanges": bond.standing.exchanges,
        "days": bond.standing.days,
        "last_at": last.astimezone(zone).isoformat() if last else None,
    }


def _scene_object(place: Place, items: Sequence[SceneItem], zone: tzinfo) -> JsonObject:
    return {
        "place": {"id": place.id, "name": place.where.name},
        "items": [
            {
                "item": item.item,
                "state": item.state,
                "since": item.since.astimezone(zone).isoformat(),
            }
            for item in items
        ],
    }


def _claim_object(claim: Claim, zone: tzinfo) -> JsonObject:
    return {
        "id": claim.id,
        "statement": claim.statement,
        "status": claim.status.value,
        "confidence": round(confidence(claim), 6),
        "source": _agent(claim.source),
        "subject": None if claim.subject is None else _agent(claim.subject),
        "event": claim.event,
        "opened": claim.opened.astimezone(zone).isoformat(),
        "expires": claim.expires.astimezone(zone).isoformat(),
        "checks": [
            {
                "by": _agent(check.agent),
                "stance": check.stance.value,
                "event": check.event,
                "at": check.at.astimezone(zone).isoformat(),
            }
            for check in claim.checks
        ],
    }


def _line(bond: Bond, now: datetime) -> str:
    stage = stage_now(bond, now).value.replace("_", " ")
    relation = f", {printable(bond.relation)}" if bond.relation else ""
    standing = bond.standing
    return (
        f"{bond.other.id}  {printable(bond.other.name)}: {stage}{relation}; weight "
        f"{standing.weight}, {counted(standing.exchanges, 'exchange')} on "
        f"{counted(standing.days, 'day')}"
    )
