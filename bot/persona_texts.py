"""A persona's texts as they read at this moment, to this speaker: macros filled in."""

import random
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.macros import Filling, expand
from bot.persona import DepthNote, Example, Item, LoreEntry, Persona
from bot.text import clean_name


def filled_in(
    persona: Persona, *, user: str, now: datetime, rng: random.Random, seed: str = ""
) -> Persona:
    """The persona with every text expanded, `{{user}}` being `user` (cleaned here).

    Texts that are empty afterwards are left out. Its memories are not touched: they are
    stored once, for everybody. `seed` names the conversation, so that `{{pick}}` stays.
    """
    filling = Filling(
        char=persona.name,
        user=clean_name(user),
        now=now.astimezone(ZoneInfo(persona.time_zone)),
        rng=rng,
        seed=f"{persona.key}\0{seed}",
        texts={name: getattr(persona, name) for name in _CALLABLE},
    )

    def fill(text: str) -> str:
        return expand(text, filling).strip()

    def each(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(filled for text in texts if (filled := fill(text)))

    return persona.model_copy(
        update={name: fill(getattr(persona, name)) for name in _SINGLE}
        | {name: each(getattr(persona, name)) for name in _SEVERAL}
        | {
            "greetings": each(persona.greetings) or persona.greetings,
            "apologies": each(persona.apologies) or persona.apologies,
            "examples": tuple(_example(example, fill) for example in persona.examples),
            "lore": tuple(_entry(entry, fill) for entry in persona.lore),
            "depth_notes": tuple(_note(note, fill) for note in persona.depth_notes),
            "scene": tuple(_item(item, fill) for item in persona.scene),
        }
    )


_Fill = Callable[[str], str]

_CALLABLE = ("description", "personality", "scenario")
_SINGLE = (*_CALLABLE, "voice", "instructions", "instructions_last")
_SEVERAL = ("group_greetings", "deflections", "knows", "does_not_know")


def _example(example: Example, fill: _Fill) -> Example:
    return example.model_copy(update={"user": fill(example.user), "reply": fill(example.reply)})


def _entry(entry: LoreEntry, fill: _Fill) -> LoreEntry:
    keys = {
        name: tuple(fill(key) for key in getattr(entry, name))
        for name in ("keys", "secondary_keys", "exclude_keys")
    }
    return entry.model_copy(update={**keys, "text": fill(entry.text)})


def _note(note: DepthNote, fill: _Fill) -> DepthNote:
    return note.model_copy(update={"text": fill(note.text)})


def _item(item: Item, fill: _Fill) -> Item:
    return item.model_copy(update={"state": fill(item.state)})
