"""Where cards are kept: beside the persona files.

A card is `<key>.card.json`, its picture `<key>.png`, what else came with it in a CHARX
`<key>.assets.zip`.
"""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bot.cards.model import Card
from bot.cards.stored import ENDING, read_stored_card
from bot.errors import PersonaError
from bot.persona import Persona, read_persona

PICTURE = ".png"
ASSETS = ".assets.zip"


def keep(folder: Path, key: str, parts: Mapping[str, bytes | None], *, overwrite: bool) -> None:
    """Writes the parts of a card by their endings, in their order, all or none of them.

    With `overwrite` an older card of this key gives way, a hand-written persona never does.
    Raises PersonaError.
    """
    _check_free(folder, key, parts, overwrite=overwrite)
    made: list[Path] = []
    try:
        for ending, content in parts.items():
            path = folder / f"{key}{ending}"
            if content is not None:
                write_file(path, content, overwrite=overwrite)
                made.append(path)
            elif overwrite:
                path.unlink(missing_ok=True)
    except PersonaError:
        for path in () if overwrite else made:
            path.unlink(missing_ok=True)
        raise


def _check_free(folder: Path, key: str, endings: Mapping[str, object], *, overwrite: bool) -> None:
    if not folder.is_dir():
        raise PersonaError(
            f"{folder}: no such folder; set PERSONAS to the folder of persona files."
        )
    written = folder / f"{key}.toml"
    if written.exists():
        raise PersonaError(f"{written} is a persona already; take another name with --key NAME.")
    taken = [path for ending in endings if (path := folder / f"{key}{ending}").exists()]
    if taken and not overwrite:
        raise PersonaError(
            f"{taken[0]} exists already; take another name with --key NAME, or replace it with "
            "--overwrite."
        )


def kept(folder: Path, key: str) -> tuple[Persona | Card, bytes | None, bytes | None]:
    """A persona of the folder with its picture and its other files. Raises PersonaError."""
    written, card = folder / f"{key}.toml", folder / f"{key}{ENDING}"
    if written.is_file():
        persona = read_persona(written)
        picture = folder / Path(persona.avatar).name if persona.avatar else None
        return persona, _content(picture), None
    if card.is_file():
        picture, assets = folder / f"{key}{PICTURE}", folder / f"{key}{ASSETS}"
        return read_stored_card(card), _content(picture), _content(assets)
    raise PersonaError(f"{folder}: no persona {key!r}; its file is missing.")


def _content(path: Path | None) -> bytes | None:
    return path.read_bytes() if path is not None and path.is_file() else None


def write_file(path: Path, content: bytes, *, overwrite: bool) -> None:
    """Writes a file whole or not at all. Raises PersonaError if the disk does not take it,
    or if it exists and may not be overwritten."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            part.chmod(0o644)
            if not overwrite:
                path.touch(exist_ok=False)  # taken in one step, also against another import
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except FileExistsError as error:
        raise PersonaError(f"{path} exists already; choose another name.") from error
    except OSError as error:
        raise PersonaError(f"{path}: cannot be written: {error.strerror}.") from error
