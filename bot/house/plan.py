"""What the operator decided for the whole house."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.house.figures import Price


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`budget_tokens` is what each server, group and private conversation may spend in a
    day where no other budget is set; None: as much as it takes."""

    time_zone: str = "UTC"
    budget_tokens: int | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    purge_days: float = 30.0
