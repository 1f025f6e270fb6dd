"""A card as a persona, and a persona as a card.

What of a card speaks to the model is its `system_prompt`, `post_history_instructions` and
depth prompts (Persona.instructions, instructions_last, depth_notes), as far as whoever
imports it trusts its author; everything else in it is material. Creator notes, tags and
pictures never enter a prompt.

What cards have no place for (memories, temperament, time zone ...) stands in
`extensions.bower`, under the names of a persona file, and goes before what the card says.
"""

import re
from collections.abc import Iterable

from pydantic import ValidationError

from bot.cards.examples import read_examples, write_examples
from bot.cards.lore import read_lore, write_lore
from bot.cards.mending import Notes
from bot.cards.model import V3, Book, Card, CardData, JsonObject
from bot.errors import PersonaError
from bot.persona import DepthNote, Persona, make_persona
from bot.persona_words import reason
from bot.text import clean

OURS = "bower"
"""The key of Bower's own fields among the extensions."""

MOST_CHARACTERS = 20_000
MOST_NAME = 80
MOST_GREETINGS = 100
MOST_NOTE_DEPTH = 200

APOLOGIES = (
    "Sorry, I lost my thread for a moment. Say that again in a little while?",
    "Something got in the way just now and I did not take that in. Ask me again soon.",
)
"""For cards, which know no lines for a bad moment."""

GREETING = "Hello."

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
"""Scripts and the language most often written in them; the first that is common wins."""


def persona_from_card(card: Card, key: str) -> tuple[Persona, list[str]]:
    """The persona that a card describes, and a sentence for what had to be left out.

    Raises PersonaError if what stands in `extensions.bower` cannot be used at all.
    """
    notes = Notes()
    told = _told(card.data, key, notes)
    own = _own(card.data.extensions.get(OURS))
    if not own:
        return make_persona(told, key=key, source=key), notes.sentences()
    try:
        return Persona.model_validate({**told, **own, "key": key}), notes.sentences()
    except ValidationError as error:
        wrong = {str(p["loc"][0]): reason(p, Persona) for p in reversed(error.errors()) if p["loc"]}
    for name, why in sorted(wrong.items()):
        notes.add(f"extensions.{OURS}.{name[:40]} was left out: {why}.")
    usable = {name: value for name, value in own.items() if name not in wrong}
    return make_persona({**told, **usable}, key=key, source=key), notes.sentences()


def _own(value: object) -> dict[str, object]:
    """Bower's own fields. A picture may be an address or lie beside the card, no more: a
    stranger's card must not name other files of this machine."""
    own = dict(value) if isinstance(value, dict) else {}
    own.pop("key", None)
    if not re.fullmatch(r"https://\S+|[\w-]+\.(png|jpe?g|webp|gif)", str(own.get("avatar", ""))):
        own.pop("avatar", None)
    return own


def _told(data: CardData, key: str, notes: Notes) -> dict[str, object]:
    """The fields of a persona that the card itself gives."""
    names = [name for name in map(_name, (data.nickname, data.name)) if name]
    name = names[0] if names else _name(key.replace("_", " ").title()) or key
    description = _long(data.description, "description", notes)
    personality = _long(data.personality, "personality", notes)
    scenario = _long(data.scenario, "scenario", notes)
    greetings = _several([data.first_mes, *data.alternate_greetings], "greetings", notes)
    if not greetings:
        notes.add(f"The card has no greeting; {GREETING!r} is used.")
    lore, rules = read_lore(data.character_book or Book(), notes)
    return {
        "name": name,
        "nicknames": tuple(other for other in names[1:] if other != name),
        "description": description or personality or scenario or name,
        "personality": personality if description else "",
        "scenario": scenario,
        "instructions": _long(data.system_prompt, "system_prompt", notes),
        "instructions_last": _long(
            data.post_history_instructions, "post_history_instructions", notes
        ),
        "depth_notes": _depth_notes(data, notes),
        "greetings": greetings or (GREETING,),
        "group_greetings": _several(data.group_only_greetings, "group greetings", notes),
        "apologies": APOLOGIES,
        "examples": tuple(read_examples(clean(data.mes_example), data.name.strip() or name)),
        "language": _language(f"{description} {' '.join(greetings[:2])} {personality}"),
        "lore": lore,
        "lore_rules": rules,
        "creator": _line(data.creator)[:200],
        "creator_notes": _long(data.creator_notes, "creator_notes", notes),
    }


def _line(text: str) -> str:
    return " ".join(clean(text).split())


def _name(text: str) -> str:
    """A name of one line; without a letter, digit or sign that can be seen it is none."""
    line = _line(text)[:MOST_NAME].strip()
    return (
        line if any(not character.isspace() and character != "\u200d" for character in line) else ""
    )


def _long(text: str, where: str, notes: Notes) -> str:
    text = clean(text)
    if len(text) > MOST_CHARACTERS:
        notes.add(f"{where} is longer than {MOST_CHARACTERS} characters; the rest is not used.")
    return text[:MOST_CHARACTERS].strip()


def _several(texts: Iterable[str], where: str, notes: Notes) -> tuple[str, ...]:
    kept = [text for text in (_long(text, where, notes) for text in texts) if text]
    if len(kept) > MOST_GREETINGS:
        notes.add(f"Of {len(kept)} {where} the first {MOST_GREETINGS} are used.")
    return tuple(kept[:MOST_GREETINGS])


def _depth_notes(data: CardData, notes: Notes) -> tuple[DepthNote, ...]:
    prompt = data.extensions.get("depth_prompt")
    if not isinstance(prompt, dict) or not isinstance(prompt.get("prompt"), str):
        return ()
    text = _long(prompt["prompt"], "depth_prompt", notes)
    depth = prompt.get("depth")
    if isinstance(depth, str) and depth.strip().isdecimal():
        depth = int(depth.strip()[:6])
    depth = depth if isinstance(depth, int | float) else 4
    return (DepthNote(text=text, depth=int(max(0, min(depth, MOST_NOTE_DEPTH)))),) if text else ()


def _language(text: str) -> str:
    """A guess from the script alone: English unless a third of the letters speak for another."""
    letters = sum(character.isalpha() for character in text)
    for language, script in _SCRIPTS:
        share = 0.1 if language == "ja" else 0.33
        if letters and len(script.findall(text)) > share * letters:
            return language
    return "en"


def card_from_persona(persona: Persona) -> Card:
    """The persona as a V3 card: `persona_from_card` gives the same persona again.

    Voice and knowledge, which cards do not know, are told in `personality` for other
    programs and kept as they are in `extensions.bower`.
    """
    extensions: JsonObject = {}
    if persona.depth_notes:
        note = persona.depth_notes[0]
        extensions["depth_prompt"] = {"prompt": note.text, "depth": note.depth, "role": "system"}
    data: JsonObject = {
        "name": persona.name,
        "description": persona.description,
        "personality": _told_personality(persona),
        "scenario": persona.scenario,
        "first_mes": persona.greetings[0],
        "mes_example": write_examples(persona.examples),
        "creator_notes": persona.creator_notes,
        "system_prompt": persona.instructions,
        "post_history_instructions": persona.instructions_last,
        "alternate_greetings": list(persona.greetings[1:]),
        "tags": [],
        "creator": persona.creator,
        "character_version": "",
        "extensions": extensions,
        "group_only_greetings": list(persona.group_greetings),
    }
    if persona.lore:
        data["character_book"] = write_lore(persona.lore, persona.lore_rules)
    told, _ = persona_from_card(_card(data), persona.key)
    own = {
        name: value
        for name, value in persona.model_dump(mode="json", exclude={"key"}).items()
        if getattr(told, name) != getattr(persona, name)
    }
    return _card(data | ({"extensions": {**extensions, OURS: own}} if own else {}))


def _told_personality(persona: Persona) -> str:
    parts = [persona.personality, persona.voice]
    if persona.knows:
        parts.append(f"{{{{char}}}} knows well: {'; '.join(persona.knows)}.")
    if persona.does_not_know:
        parts.append(f"{{{{char}}}} does not know: {'; '.join(persona.does_not_know)}.")
    return "\n\n".join(part for part in parts if part)


def _card(data: JsonObject) -> Card:
    return Card.model_validate({"spec": V3, "spec_version": "3.0", "data": data})


def checked_key(key: str) -> str:
    """The key if it can be one. Raises PersonaError."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", key):
        raise PersonaError(
            f"{key!r} cannot be a persona's key: use small letters, digits, - and _, at most 64."
        )
    return key
