"""The numbers that bound a turn."""

from dataclasses import dataclass
from typing import Final

from bot.house.cooldown import Cooldowns
from bot.stream.bonds import WeightRule
from bot.stream.claims import ClaimRules

USUAL_CLAIMS: Final = ClaimRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long, how many, how much. Times in seconds."""

    burst_seconds: float = 1.2  # quiet time after which a burst of messages is answered
    burst_most_seconds: float = 6.0  # an unending burst is answered after this time
    answer_seconds: float = 120.0  # the model may take this long for a whole answer
    stale_seconds: float = 3600.0  # older messages are kept, but not answered after a restart
    stop_seconds: float = 10.0  # replies under way may take this long when the program stops
    prepared_at_once: int = 8  # prompts, and arrivals: more make the event loop late
    reply_tokens: int = 300
    window_lines: int = 24
    recall_limit: int = 8
    send_tries: int = 3
    persona_turns: int = 4  # lines of personas in a row, without a person's; 0: they never talk
    persona_turns_per_minute: int = 6  # in one place; then they leave it at that
    claims: ClaimRules = USUAL_CLAIMS  # when hearsay counts as settled
    learn_by_model: bool = False  # one structured call after each turn, for a capable model
    weight_rule: WeightRule = WeightRule.TOWARD  # whose feeling an exchange is weighed by

    def cooldowns(self) -> Cooldowns:
        """When members were last answered, by these burst times."""
        return Cooldowns(
            burst_seconds=self.burst_seconds, burst_most_seconds=self.burst_most_seconds
        )
