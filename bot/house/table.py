"""The table of settings that a place or a server may have."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from zoneinfo import ZoneInfo

from bot.errors import SettingsError
from bot.house.quiet import read_quiet
from bot.recall import STRATEGIES
from bot.world import Answers

MOST_COOLDOWN_SECONDS = 86_400
MOST_RETENTION_DAYS = 36_500


class Level(StrEnum):
    """Where a setting is kept; a lower one goes before a higher one."""

    PLACE = "here"
    SERVER = "server"
    ALL = "everywhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingSpec:
    """One row: `form` shows people what to type, `default` is a stored text, `read` gives
    the text as it is stored (and raises SettingsError). `level` is the lowest at which it
    may be set."""

    name: str
    summary: str
    form: str
    default: str
    read: Callable[[str], str]
    level: Level = Level.PLACE


def one_of(*choices: str) -> Callable[[str], str]:
    """Reads one of these words, whatever its case."""

    known = {choice.casefold(): choice for choice in choices}

    def read(text: str) -> str:
        if text.casefold() not in known:
            raise SettingsError(f"It can be {_or(choices)}.")
        return known[text.casefold()]

    return read


def whole(least: int, most: int) -> Callable[[str], str]:
    """Reads a whole number within these bounds."""

    def read(text: str) -> str:
        if not re.fullmatch(r"[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise SettingsError(f"It must be a whole number from {least} to {most}.")
        return str(int(text))

    return read


def _quiet(text: str) -> str:
    hours = read_quiet(text)
    return str(hours) if hours else "off"


def _language(text: str) -> str:
    if text.casefold() == "own":
        return "own"
    if not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", text):
        raise SettingsError("It must be a language code like en, es or zh-Hant, or own.")
    head, dash, rest = text.partition("-")
    return f"{head.lower()}{dash}{rest}"


def _time_zone(text: str) -> str:
    if text.casefold() == "own":
        return "own"
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError) as error:
        raise SettingsError("There is no such time zone; write one like Europe/Lisbon.") from error


_ANSWERS = tuple(answers.value for answers in Answers)
_YES_NO = ("no", "yes")
_RATINGS = ("general", "mature")
_STRATEGIES = ("usual", *STRATEGIES)

SETTINGS: Mapping[str, SettingSpec] = {
    spec.name: spec
    for spec in (
        SettingSpec(
            name="speak",
            summary="when a persona speaks: if mentioned, replied to or named; always; never",
            form="|".join(_ANSWERS),
            default="addressed",
            read=one_of(*_ANSWERS),
        ),
        SettingSpec(
            name="opened",
            summary="whether lines that address nobody are kept and remembered",
            form="|".join(_YES_NO),
            default="no",
            read=one_of(*_YES_NO),
        ),
        SettingSpec(
            name="bots",
            summary="whether other bots that mention or reply to a persona are answered",
            form="|".join(_YES_NO),
            default="no",
            read=one_of(*_YES_NO),
        ),
        SettingSpec(
            name="quiet",
            summary="hours without answers, in the time zone of the place",
            form="HH:MM-HH:MM|off",
            default="off",
            read=_quiet,
        ),
        SettingSpec(
            name="cooldown",
            summary="seconds between two answers to one member",
            form="SECONDS",
            default="0",
            read=whole(0, MOST_COOLDOWN_SECONDS),
        ),
        SettingSpec(
            name="language",
            summary="the language that personas speak; own: each persona's own",
            form="CODE|own",
            default="own",
            read=_language,
        ),
        SettingSpec(
            name="time_zone",
            summary="the clock of quiet hours, budget days and personas; own: each one's own",
            form="ZONE|own",
            default="own",
            read=_time_zone,
            level=Level.SERVER,
        ),
        SettingSpec(
            name="strategy",
            summary="how memories are chosen",
            form="|".join(_STRATEGIES),
            default="usual",
            read=one_of(*_STRATEGIES),
        ),
        SettingSpec(
            name="rating",
            summary="for whom answers are fit; mature counts only where the platform "
            "restricts the age",
            form="|".join(_RATINGS),
            default="general",
            read=one_of(*_RATINGS),
        ),
        SettingSpec(
            name="retention",
            summary="days after which what was said is forgotten; 0: never",
            form="DAYS",
            default="0",
            read=whole(0, MOST_RETENTION_DAYS),
        ),
    )
}


def read_setting(name: str, text: str) -> str:
    """The text of a setting as it is stored. Raises SettingsError: one sentence."""
    spec = SETTINGS.get(name)
    if spec is None:
        raise SettingsError(f"There is no setting {name}; there are {', '.join(SETTINGS)}.")
    try:
        return spec.read(text.strip())
    except SettingsError as error:
        raise SettingsError(f"{spec.name} was not changed. {error}") from error


def _or(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
