"""`main.py chat`: talk in the terminal."""

import asyncio
import getpass
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from adapters.cli.notes import about_bundled_model, about_language, about_vectors
from adapters.cli.presence import presence
from adapters.cli.root import Root, prepared
from adapters.console import PLATFORM, ConsolePlatform, Session
from adapters.console.stage import open_lines, open_screen
from adapters.settings import Settings
from bot.cast import find_personas
from bot.clock import StoryClock
from bot.greeting import greeting
from bot.messages import Reply
from bot.parts import Parts, keep_up_to_date
from bot.persona import Persona
from bot.ports import Storage
from bot.world import Answers, Where

BURST_SECONDS = 0.25
"""In the terminal nobody types the next message before the answer; only @burst does."""

_OPENED = "terminal.opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wishes:
    """The options of the command."""

    persona: str | None
    me: str
    group: bool


def chat(root: Root, *, persona: str | None, me: str | None, group: bool) -> int:
    """Talks until the lines end. Returns 1 if one of them could not be dealt with."""
    wishes = _Wishes(persona=persona, me=(me or "").strip() or login_name(), group=group)
    settings = prepared()
    quick = settings.model_copy(
        update={"burst_seconds": min(settings.burst_seconds, BURST_SECONDS)}
    )
    return asyncio.run(_chat(root, quick, wishes))


def login_name() -> str:
    """The name of whoever started the program."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "You"


async def _chat(root: Root, settings: Settings, wishes: _Wishes) -> int:
    clock = StoryClock()
    live = sys.stdin.isatty() and sys.stdout.isatty()
    async with root.parts(settings, clock) as parts:
        persona, *others = _chosen(parts, wishes.persona)
        session = Session(persona=persona, me=wishes.me, group=wishes.group, others=others)
        screen = open_screen(live=live, files=settings.database.parent / "exports")
        console = ConsolePlatform(
            session,
            lines=open_lines(live=live, history=settings.database.with_suffix(".history")),
            screen=screen,
            clock=clock,
            zone=settings.zone,
            enter_room=lambda where: _enter(parts.storage, where, [persona, *others]),
            idle=parts.engine.idle,
            persona=persona.key if wishes.persona else None,
        )
        for note in await _notes(settings, parts, persona):
            screen.note(note)
        for one in (persona, *others):
            await parts.remembering.learn_past(one)
        async with parts.engine, keep_up_to_date(parts):
            with presence(settings.database, PLATFORM) as here:
                # what another terminal is about to answer is not left over
                if here.alone and await parts.engine.resume(console):
                    await parts.engine.idle()
                here.make_room()
                if live and await _is_first_time(parts, session.where):
                    screen.show(_greeting(persona, session, settings.zone))
                await console.run(parts.engine.handle)
            if not live:
                await parts.engine.idle()
    return 1 if console.failed else 0


def _chosen(parts: Parts, wanted: str | None) -> list[Persona]:
    """The personas of the option, the first of them for private conversations."""
    if wanted is None:
        return [parts.remembering.persona(None)]
    return [
        parts.personas[key] for key in find_personas(parts.personas, wanted, parts.personas.broken)
    ]


async def _enter(storage: Storage, where: Where, personas: Sequence[Persona]) -> None:
    """Opens a room; several personas, if they were asked for, are in each room from then on."""
    await open_room(storage, where)
    if len(personas) > 1:
        place = await storage.place(where)
        await storage.choose_persona(place.id, ",".join(one.key for one in personas))


def _greeting(persona: Persona, session: Session, zone: ZoneInfo) -> Reply:
    now = datetime.now(zone)
    text = greeting(
        persona, user=session.speaker.name, now=now, seed=now.isoformat(), group=session.in_room
    )
    return Reply(text=text, nonce="greeting", speaker=persona.name)


async def _notes(settings: Settings, parts: Parts, persona: Persona) -> list[str]:
    notes = [
        await about_bundled_model(settings, parts.storage),
        about_language(settings, persona),
        await about_vectors(parts.storage, parts.remembering.senses.embedder.name),
    ]
    return [note for note in notes if note]


async def _is_first_time(parts: Parts, where: Where) -> bool:
    place = await parts.storage.place(where)
    return not await parts.storage.window(place.id, before=parts.clock.now(), limit=1)


async def open_room(storage: Storage, where: Where) -> None:
    """Whoever plays in the terminal manages its rooms: all that is said there is kept. Only
    the first time, so that a room closed by a command stays closed."""
    place = await storage.place(where)
    if await storage.setting(place.id, _OPENED) is None:
        await storage.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
        await storage.set_setting(place.id, _OPENED, "yes")
