"""What a persona only knows from hearsay: how the prompt tells it, and whom to ask.

Raising it is not gossip: never what is sensitive, never about somebody who wants nothing
kept of them, whom it is about first where they are there, never the same question twice to
one person, and never the source's name.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.stream.claims import Claim, ClaimStatus, confidence
from bot.text import clean, clean_name, shorten
from bot.world import AgentKind

MOST_TOLD = 4
STATEMENT_TOKENS = 40
HEADING = (
    "# What you only know from hearsay\n"
    "Unverified. If it comes up, speak of it as something you heard, never as a fact, and do "
    "not say from whom."
)
SHARED_WORDS = 0.34
"""A reply with this part of a statement's longer words has spoken of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A claim that may be raised now, and with whom."""

    claim: Claim
    person: int
    name: str


def whom_to_ask(
    claims: Sequence[Claim],
    answered: Sequence[tuple[int, str]],
    present: Collection[int],
    knowing: Collection[tuple[int, int]],
) -> Question | None:
    """The one question that may be asked in this reply, if any.

    `answered` are those whom the reply answers (id, name), `present` all who would hear it,
    `knowing` pairs (person, subject) of people who know each other. All claims given may be
    heard here.
    """
    for claim in sorted(claims, key=lambda c: (len(c.asked), c.opened)):
        if not _may_be_raised(claim):
            continue
        for person, name in answered:
            if _may_be_asked(claim, person, present, knowing):
                return Question(claim=claim, person=person, name=name)
    return None


def _may_be_raised(claim: Claim) -> bool:
    kept_back = claim.sensitive or claim.subject_left_out
    return claim.status is ClaimStatus.PENDING and not kept_back


def _may_be_asked(
    claim: Claim, person: int, present: Collection[int], knowing: Collection[tuple[int, int]]
) -> bool:
    if person == claim.source.id or person in claim.asked:
        return False
    if any(check.agent.id == person for check in claim.checks):
        return False  # has said what they know
    if claim.subject is None or claim.subject.id == person:
        return True
    if claim.subject.kind is AgentKind.THIRD_PARTY:
        return True  # nobody here is known to know them better than others
    if claim.subject.id in present and claim.subject.id not in claim.asked:
        return False  # whom it is about comes first
    return (person, claim.subject.id) in knowing


def hearsay_note(claims: Sequence[Claim], question: Question | None) -> str:
    """The prompt's section; empty where there is nothing to tell."""
    told = [c for c in claims if not (c.subject_left_out or c.sensitive)][:MOST_TOLD]
    if question is not None and question.claim not in told:
        told = [question.claim, *told[: MOST_TOLD - 1]]
    if not told:
        return ""
    lines = [HEADING, *(f'- You heard: "{_quoted(c)}"{_standing(c)}' for c in told)]
    if question is not None:
        whose = (
            f"whether that is so, kindly: it is about {clean_name(question.name)}"
            if question.claim.subject is not None and question.claim.subject.id == question.person
            else "whether they know more"
        )
        lines.append(
            f'If it fits, ask {clean_name(question.name)} about "{_quoted(question.claim)}": '
            f"{whose}."
        )
    return "\n".join(lines)


def _standing(claim: Claim) -> str:
    if claim.status is ClaimStatus.UNVERIFIED:
        return " (nobody could say whether it is so)"
    if not claim.checks:
        return ""
    sure = confidence(claim)
    if sure > 0.6:
        return " (somebody agreed)"
    return " (somebody denied it)" if sure < 0.4 else ""


def _quoted(claim: Claim) -> str:
    text = " ".join(clean(claim.statement).split()).replace('"', "'")
    return shorten(text, STATEMENT_TOKENS)


def speaks_of(reply: str, statement: str) -> bool:
    """Whether a reply brought a statement up: it shares enough of its longer words."""
    words = {w for w in _words(statement) if len(w) > 3 or not w.isascii()}
    if not words:
        return False
    return len(words & set(_words(reply))) / len(words) >= SHARED_WORDS


def _words(text: str) -> list[str]:
    """Words, and pairs of characters where words are not separated."""
    flat = clean(text).casefold()
    words = "".join(c if c.isalnum() else " " for c in flat).split()
    return [
        part
        for word in words
        for part in (
            [word]
            if word.isascii() or len(word) < 3
            else [word[i : i + 2] for i in range(len(word) - 1)]
        )
    ]
