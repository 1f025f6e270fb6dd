"""News that nobody has verified: claims, the checks they went through, and their outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from bot.world import Agent


class ClaimStatus(StrEnum):
    PENDING = "pending"
    CONFIRMED = "confirmed"
    FALSE = "false"
    UNVERIFIED = "unverified"  # time ran out: kept, told only as hearsay


class Stance(StrEnum):
    """What an answer says about a claim, as in RumourEval."""

    SUPPORT = "support"
    DENY = "deny"
    QUERY = "query"
    COMMENT = "comment"


class ClaimReading(StrEnum):
    """What becomes of a claim whose time runs out."""

    UNVERIFIED = "unverified"  # kept as hearsay
    FALSE = "false"  # the patent's reading, paragraph 35


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRules:
    """`confirmations` distinct people confirm (or refute) a claim; after `days` without an
    outcome it is settled by `reading`."""

    confirmations: int = 2
    days: float = 7.0
    reading: ClaimReading = ClaimReading.UNVERIFIED


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One answer to a claim: by whom, in which event, how sure (0..1) it was read."""

    agent: Agent
    event: int
    stance: Stance
    confidence: float
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement that somebody (`source`) made about something or somebody (`subject`).

    `asked` are the ids of those who were asked already; `subject_left_out`: whom it is
    about wants nothing kept of them.
    """

    id: int
    event: int
    source: Agent
    subject: Agent | None
    statement: str
    status: ClaimStatus
    sensitive: bool
    opened: datetime
    expires: datetime
    checks: Sequence[Check] = ()
    asked: frozenset[int] = frozenset()
    subject_left_out: bool = False

    def is_due(self, now: datetime) -> bool:
        """Whether its time ran out unsettled."""
        return self.status is ClaimStatus.PENDING and self.expires <= now


@dataclass(frozen=True, slots=True, kw_only=True)
class NewClaim:
    """A claim as it is first heard; its scope is that of its event."""

    event: int
    source: int
    subject: int | None
    statement: str
    sensitive: bool
    at: datetime
    expires: datetime


STANCE_WEIGHT: Mapping[Stance, float] = {
    Stance.SUPPORT: 1.0,
    Stance.DENY: -1.0,
    Stance.QUERY: -0.25,
    Stance.COMMENT: 0.0,
}
"""What an answer adds to the confidence in a claim, times how surely it was read."""


def latest(claim: Claim) -> dict[int, Check]:
    """Everybody's newest answer that takes a side, by agent; repeats of one person count once."""
    newest: dict[int, Check] = {}
    for check in sorted(claim.checks, key=lambda c: (c.at, c.event)):
        if check.stance in {Stance.SUPPORT, Stance.DENY}:
            newest[check.agent.id] = check
    return newest


def verdict(claim: Claim, now: datetime, rules: ClaimRules) -> ClaimStatus:
    """What a claim is worth now (paragraphs 33 to 35).

    The word of whom it is about decides. Otherwise distinct people other than the source
    are counted; equal numbers settle nothing. A source that takes it back ends it, unless
    others vouch for it.
    """
    sides = latest(claim)
    if claim.subject is not None and claim.subject.id in sides:
        own = sides[claim.subject.id].stance
        return ClaimStatus.CONFIRMED if own is Stance.SUPPORT else ClaimStatus.FALSE
    others = [c for c in sides.values() if c.agent.id != claim.source.id]
    support = sum(1 for c in others if c.stance is Stance.SUPPORT)
    deny = len(others) - support
    if support >= rules.confirmations and support > deny:
        return ClaimStatus.CONFIRMED
    if deny >= rules.confirmations and deny > support:
        return ClaimStatus.FALSE
    retracted = claim.source.id in sides and sides[claim.source.id].stance is Stance.DENY
    if retracted and not support:
        return ClaimStatus.FALSE
    if now < claim.expires:
        return ClaimStatus.PENDING
    is_literal = rules.reading is ClaimReading.FALSE
    return ClaimStatus.FALSE if is_literal else ClaimStatus.UNVERIFIED


def confidence(claim: Claim) -> float:
    """How much the answers speak for a claim, 0 (against) .. 1 (for), .5 without any.

    Shown, and used to choose among claims; the count decides.
    """
    own = [c for c in claim.checks if c.agent.id != claim.source.id]
    weights = [STANCE_WEIGHT[c.stance] * c.confidence for c in own]
    total = sum(abs(weight) for weight in weights)
    return 0.5 + 0.5 * sum(weights) / (total + 1.0)


def is_disputed(claim: Claim) -> bool:
    """Whether people contradict each other about it."""
    return {c.stance for c in latest(claim).values()} == {Stance.SUPPORT, Stance.DENY}


def reopened_until(claim: Claim, now: datetime, rules: ClaimRules) -> datetime:
    """New evidence gives a settled claim its time anew."""
    return max(claim.expires, now + timedelta(days=rules.days))
