"""`main.py export-card`: a persona as a file for other programs."""

from pathlib import Path

import typer

from adapters.card_files import export_persona
from adapters.cli.root import prepared
from bot.cast import find_persona
from bot.persona_folder import PersonaFolder


def export_card(persona: str, file: Path, *, version: int) -> None:
    """Writes a new file; what it cannot hold is said."""
    settings = prepared()
    personas = PersonaFolder(settings.personas)
    key = find_persona(personas, persona, personas.broken)
    written = export_persona(settings.personas, key, file, version=version)
    for warning in written.warnings:
        typer.echo(warning, err=True)
    typer.echo(f"{personas[key].name} is written to {written.path}.", err=True)
