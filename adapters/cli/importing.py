"""`main.py import`: chats become memories of a persona, character cards become personas."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import typer

from adapters.card_files import ImportedCard, import_card_file
from adapters.card_png import SIGNATURE as PNG
from adapters.cli.root import Root, prepared
from adapters.console.progress import progress_bar
from adapters.printable import printable
from adapters.settings import Settings
from bot.cards.stored import ENDING
from bot.errors import ImportFileError, SettingsError
from bot.imports.flow import ImportReport, import_file
from bot.imports.people import read_map
from bot.ports import Progress
from bot.world import AccountKey


def import_files(
    root: Root,
    files: Sequence[Path],
    *,
    persona: str | None,
    names: Sequence[str],
    identities: bool,
    as_json: bool,
    key: str | None = None,
    overwrite: bool = False,
) -> None:
    """Imports character cards and chats, and says what became of each file. With a `key`
    the one card among them gets it. Raises SettingsError if there is not just one."""
    settings = prepared()
    people = read_map(names)
    contents = [(file, _content(file)) for file in files]
    card_files = [file for file, data in contents if is_card(data, file.name)]
    if key and len(card_files) != 1:
        raise SettingsError(f"--key names one card, but {len(card_files)} are among the files.")
    cards = [
        import_card_file(file, settings.personas, key=key, overwrite=overwrite)
        for file in card_files
    ]
    wish = _Wish(
        chats=[(file, data) for file, data in contents if file not in card_files],
        persona=persona,
        people=people,
        identities=identities,
    )
    reports: Reports = []
    if wish.chats:
        with progress_bar("Importing") as report:
            reports = asyncio.run(_import(root, settings, wish, report))
    if as_json:
        typer.echo(json.dumps(as_object(cards, reports), ensure_ascii=False))
    else:
        _say(cards, reports)


def is_card(data: bytes, name: str = "") -> bool:
    """Whether a file is a character card (a picture, an archive, JSON of that form, or broken
    JSON that was one) and not a chat."""
    if data.startswith((PNG, b"PK\x03\x04", b"\xff\xd8\xff")) or name.endswith(ENDING):
        return True
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return False
    try:
        document: object = json.loads(data.decode(json.detect_encoding(data), "replace"))
    except json.JSONDecodeError as error:
        return not error.msg.startswith("Extra data") and _MARKS.search(data) is not None
    except (ValueError, RecursionError):
        return _MARKS.search(data) is not None
    if isinstance(document, list) and len(document) == 1:
        document = document[0]
    return isinstance(document, dict) and (
        str(document.get("spec", "")).startswith("chara_card")
        or not _CARD_KEYS.isdisjoint(document)
    )


def _say(cards: Sequence[ImportedCard], reports: "Reports") -> None:
    for card in cards:
        typer.echo(f"{printable(card.name)} is the persona {card.key} now ({card.path}).")
        for warning in card.warnings:
            typer.echo(f"{card.key}: {printable(warning)}", err=True)
    for file, imported in reports:
        typer.echo(_line(file, imported))
        for warning in imported.warnings:
            typer.echo(f"{file}: {printable(warning)}", err=True)


_MARKS = re.compile(rb'"(?:first_mes|char_greeting)"|"chara_card_v[23]"')
_CARD_KEYS = {"first_mes", "char_name", "char_greeting"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    chats: Sequence[tuple[Path, bytes]]
    persona: str | None
    people: Mapping[str, AccountKey]
    identities: bool


Reports = Sequence[tuple[Path, ImportReport]]


async def _import(root: Root, settings: Settings, wish: _Wish, progress: Progress) -> Reports:
    async with root.remembering(settings) as remembering:
        persona = remembering.persona(wish.persona)

        async def one(file: Path, data: bytes) -> ImportReport:
            return await import_file(
                file.name,
                data,
                persona=persona,
                storage=remembering.storage,
                embedder=remembering.senses.embedder,
                scorer=remembering.senses.scorer,
                people=wish.people,
                default_time=_written_at(file, settings.zone),
                progress=progress,
                identities=wish.identities,
            )

        return [(file, await one(file, data)) for file, data in wish.chats]


def _written_at(file: Path, zone: tzinfo) -> datetime:
    """When the file was last written: the best guess for lines without a date."""
    return datetime.fromtimestamp(file.stat().st_mtime, UTC).astimezone(zone)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ImportFileError(f"{file} cannot be read: {error.strerror}.") from error


def as_object(cards: Sequence[ImportedCard], reports: Reports) -> dict[str, object]:
    """What was imported, as it is printed with --json."""
    return {
        "personas": [
            {
                "key": card.key,
                "name": card.name,
                "path": str(card.path),
                "warnings": list(card.warnings),
            }
            for card in cards
        ],
        "new": sum(report.new for _, report in reports),
        "files": [
            {
                "file": str(file),
                "format": report.format.value,
                "archives": list(report.archives),
                "new": report.new,
                "known": report.known,
                "skipped": report.skipped,
                "withheld": report.withheld,
                "speakers": dict(report.speakers),
                "warnings": list(report.warnings),
            }
            for file, report in reports
        ],
    }


def _line(file: Path, report: ImportReport) -> str:
    counts = [(report.new, "new"), (report.known, "known"), (report.skipped, "skipped")]
    counts += [(report.withheld, "withheld")] if report.withheld else []
    speakers = "; ".join(
        f"{printable(name)}: {became}" for name, became in list(report.speakers.items())[:20]
    )
    found = ", ".join(f"{count} {what}" for count, what in counts)
    return f"{file} ({report.format.value}): {found}. {speakers}".rstrip()
