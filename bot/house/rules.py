"""What holds in a place: the settings, looked up and read."""

import logging
from dataclasses import dataclass, replace

from bot.errors import SettingsError
from bot.house.quiet import QuietHours, read_quiet
from bot.house.stored import Stored
from bot.house.table import SETTINGS, Level, SettingSpec
from bot.persona import Persona
from bot.world import AccountKey, Answers, Place

log = logging.getLogger(__name__)

PAUSED = "paused"
BUDGET = "budget"
BUDGET_TOLD = "budget_told"
MUTED = "muted:"
"""Names under which a server or a place keeps what is no row of the table: whether it is
paused, its tokens for a day, the day on which everybody was told that they are used up, and
one for each muted account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A setting's text and where it was found; level None is the table's default.
    `inherited`: it is set for the channel that this place is a thread of."""

    text: str
    level: Level | None
    inherited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What holds in one place."""

    speak: Answers = Answers.ADDRESSED
    opened: bool = False
    bots: bool = False
    quiet: QuietHours | None = None
    cooldown_seconds: int = 0
    language: str | None = None  # None: each persona's own
    time_zone: str | None = None  # None: each persona's own
    strategy: str | None = None  # None: the usual one
    mature: bool = False
    retention_days: int = 0  # 0: for ever
    paused: bool = False
    budget_tokens: int | None = None  # a day; None: unbounded
    muted: frozenset[str] = frozenset()  # accounts, as platform:id

    def mutes(self, account: AccountKey) -> bool:
        return str(account) in self.muted

    def applied_to(self, place: Place) -> Place:
        """The place with what holds there."""
        return replace(place, answers=self.speak, listens=self.opened)

    def heard_by(self, persona: Persona) -> Persona:
        """The persona as it speaks there."""
        changes = {"language": self.language, "time_zone": self.time_zone}
        given = {name: value for name, value in changes.items() if value is not None}
        return persona.model_copy(update=given) if given else persona


def find_setting(name: str, place: Place, stored: Stored) -> Found:
    """Looks a setting up: the place, its channel, its server, everywhere, the default."""
    for texts, level in (
        (stored.here, Level.PLACE),
        (own_columns(place), Level.PLACE),
        (stored.channel, Level.PLACE),
        (stored.server, Level.SERVER),
        (stored.everywhere, Level.ALL),
    ):
        if name in texts:
            return Found(text=texts[name], level=level, inherited=texts is stored.channel)
    return Found(text=SETTINGS[name].default, level=None)


def own_columns(place: Place) -> dict[str, str]:
    """What was set with `open_place`, as far as it is not what every new place has."""
    found: dict[str, str] = {}
    if place.answers is not Answers.ADDRESSED:
        found["speak"] = place.answers.value
    if place.listens:
        found["opened"] = "yes"
    return found


def rules_of(place: Place, stored: Stored, budget: int | None) -> Rules:
    """The rules from stored texts; `budget` is what a day has where none is set."""
    text = {
        name: _readable(spec, find_setting(name, place, stored).text)
        for name, spec in SETTINGS.items()
    }
    whose = stored.server if place.where.server_key else stored.here
    return Rules(
        speak=Answers(text["speak"]),
        opened=text["opened"] == "yes",
        bots=text["bots"] == "yes",
        quiet=read_quiet(text["quiet"]),
        cooldown_seconds=int(text["cooldown"]),
        language=_unless(text["language"], "own"),
        time_zone=_unless(text["time_zone"], "own"),
        strategy=_unless(text["strategy"], "usual"),
        mature=text["rating"] == "mature" and place.where.age_restricted,
        retention_days=int(text["retention"]),
        paused=any(PAUSED in texts for texts in (stored.here, stored.channel, stored.server)),
        budget_tokens=read_budget(whose[BUDGET]) if BUDGET in whose else budget,
        muted=frozenset(
            name.removeprefix(MUTED)
            for texts in (stored.here, stored.channel, stored.server)
            for name in texts
            if name.startswith(MUTED)
        ),
    )


def read_budget(text: str) -> int | None:
    """The tokens of a day; None for "none"."""
    return None if text == "none" else int(text)


def _unless(text: str, word: str) -> str | None:
    return None if text == word else text


def _readable(spec: SettingSpec, text: str) -> str:
    """A stored text that this version still understands, else the default."""
    try:
        return spec.read(text)
    except SettingsError:
        log.warning(
            "The stored setting %s = %s is unknown now; the default holds.", spec.name, text
        )
        return spec.default
