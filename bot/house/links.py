"""Linking two accounts of one person: the code, and what became of it."""

from dataclasses import dataclass
from enum import StrEnum

from bot.world import AccountKey

LINK_MINUTES = 10
"""A code, and the question that follows from it, is good for this long."""

CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 10
"""32 to the power of 10: nobody guesses one in ten minutes."""


class LinkState(StrEnum):
    """Where a code stands."""

    UNKNOWN = "unknown"  # there is no such code, or it is not this account's business
    OLD = "old"  # its time is over
    VOID = "void"  # somebody said no, used it twice or showed it to others
    OWN = "own"  # given by the account that asked for it
    ALREADY = "already"  # both accounts are one person's as it is
    WAITING = "waiting"  # nobody has given it yet
    TAKEN = "taken"  # given by another account; not both have agreed
    JOINED = "joined"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAccount:
    """An account with the name that it bears now."""

    account: AccountKey
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """`other` is the other side, as far as there is one."""

    state: LinkState
    other: NamedAccount | None = None
