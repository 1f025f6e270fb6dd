"""Why nobody answers somebody who spoke to a persona."""

from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from bot.house.rules import Rules
from bot.world import AccountKey


class Silence(StrEnum):
    """Reasons, as they are recorded."""

    NONE = ""
    MUTED = "muted here"
    PAUSED = "paused here"
    QUIET = "quiet hours"
    COOLDOWN = "cooldown"
    OVER_BUDGET = "over budget"


def why_silent(
    rules: Rules,
    *,
    account: AccountKey,
    now: datetime,
    time_zone: str,
    cooling: bool,
    spent: int,
    urgent: bool = False,
) -> Silence:
    """The first reason not to answer, NONE if there is none.

    `time_zone` is the one for quiet hours where the place has none. `cooling`: the member's
    last answer is too recent. `spent`: tokens since the day began. `urgent`: words that
    must not wait and cost nothing, which only a mute or a pause holds back.
    """
    local = now.astimezone(ZoneInfo(rules.time_zone or time_zone))
    is_spent = rules.budget_tokens is not None and spent >= rules.budget_tokens
    reasons = (
        (Silence.MUTED, rules.mutes(account)),
        (Silence.PAUSED, rules.paused),
        (Silence.QUIET, not urgent and rules.quiet is not None and rules.quiet.include(local)),
        (Silence.COOLDOWN, not urgent and cooling),
        (Silence.OVER_BUDGET, not urgent and is_spent),
    )
    return next((reason for reason, holds in reasons if holds), Silence.NONE)
