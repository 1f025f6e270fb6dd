"""Cards among the persona files: `personas/<key>.card.json` holds the whole card.

Nothing is kept twice: the persona is read from the card each time, and authors edit the
card itself. A picture beside it has the same name: `<key>.png`.
"""

import hashlib
import re
import unicodedata
from pathlib import Path

from bot.cards.convert import checked_key, persona_from_card
from bot.cards.model import Card
from bot.cards.reading import MOST_BYTES, read_card
from bot.errors import PersonaError
from bot.persona import Persona

ENDING = ".card.json"


def read_stored_card(path: Path) -> Card:
    """The card of a file. Raises PersonaError that names the file and the reason."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise PersonaError(f"{path}: larger than {MOST_BYTES // 1_000_000} MB; is it a card?")
        text = path.read_bytes()
    except OSError as error:
        raise PersonaError(f"{path}: cannot be read: {error.strerror}.") from error
    return read_card(text, source=str(path))[0]


def read_card_persona(path: Path) -> Persona:
    """The persona of a stored card. Raises PersonaError that names the file and the reason."""
    key = checked_key(path.name.removesuffix(ENDING))
    persona, _ = persona_from_card(read_stored_card(path), key)
    picture = path.with_name(f"{key}.png")
    if persona.avatar or not picture.is_file():
        return persona
    return persona.model_copy(update={"avatar": picture.name})


def key_for(*names: str) -> str:
    """A key made of the first name that gives one, else of a digest of them all."""
    for name in names:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        if key := re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:64].strip("-"):
            return key
    digest = hashlib.blake2b("\0".join(names).encode("utf-8", "replace"), digest_size=4)
    return f"card-{digest.hexdigest()}"
