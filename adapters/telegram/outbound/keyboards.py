"""Buttons under a reply, and what they carry back."""

import logging
import re
from collections.abc import Sequence

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from adapters.telegram.targets import Target
from bot.messages import Button

log = logging.getLogger(__name__)

DATA_BYTES = 64
IN_A_ROW = 2

_ORIGIN = re.compile(r"@(-?\d+)\.(\d*)$")


def keyboard(buttons: Sequence[Button], origin: Target | None) -> InlineKeyboardMarkup | None:
    """The buttons in rows of two. `origin` is the place that they are about, where that is
    another than the one they are shown in: it travels in their data."""
    made = [
        InlineKeyboardButton(
            button.label, callback_data=data, style="danger" if button.danger else None
        )
        for button in buttons
        if (data := _packed(button.data, origin))
    ]
    rows = [made[n : n + IN_A_ROW] for n in range(0, len(made), IN_A_ROW)]
    return InlineKeyboardMarkup(rows) if rows else None


def link_button(label: str, url: str) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([[InlineKeyboardButton(label, url=url)]])


def _packed(data: str, origin: Target | None) -> str:
    packed = f"{data}@{origin.chat}.{origin.topic or ''}" if origin is not None else data
    if len(packed.encode()) <= DATA_BYTES:
        return packed
    log.error("A button's data is too long for Telegram; the button is left out.")
    return ""


def unpacked(data: str) -> tuple[str, Target | None]:
    """A button's data, with the place that it is about if that travelled along."""
    found = _ORIGIN.search(data)
    if found is None:
        return data, None
    topic = int(found[2]) if found[2] else None
    return data[: found.start()], Target(chat=int(found[1]), topic=topic)
