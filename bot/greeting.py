"""How a persona opens a conversation: one of its greetings, its macros filled in."""

import random
from datetime import datetime

from bot.macros import expand, filling_for
from bot.persona import Persona
from bot.text import clean_name


def greeting(persona: Persona, *, user: str, now: datetime, seed: str, group: bool = False) -> str:
    """One of the persona's greetings for `user`; the seed decides which.

    In a group the greetings that are meant for several people are among them. `now` is in the
    zone that the persona's clock shows.
    """
    dice = random.Random(seed)  # noqa: S311 - variety, not secrets
    offered = (*persona.greetings, *(persona.group_greetings if group else ()))
    filling = filling_for(persona, user=clean_name(user), now=now, rng=dice, seed=persona.key)
    return expand(dice.choice(offered), filling).strip()
