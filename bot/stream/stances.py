"""Whether an answer supports, denies, questions or only comments on a claim, without a model."""

import re
from dataclasses import dataclass

from bot.stream.addressed import unaddressed
from bot.stream.claims import Stance
from bot.stream.news import own_words

_QUERY = re.compile(
    r"[?？]\s*$|\b(?:source|proof|evidence|really|seriously|are\s+you\s+sure|who\s+says"
    r"|says\s+who|how\s+do\s+you\s+know|fuente|en\s+serio|seguro\s+que)\b\W*\?*$|真的吗|谁说的|是吗",
    re.IGNORECASE,
)
_DENY = re.compile(
    r"^\W*(?:no+|nope|nah|never)\b(?!\s+(?:doubt|kidding|way\s+to\s+know|idea|clue))"
    r"|\b(?:not\s+(?:true|right|so|at\s+all|the\s+case|what\s+happened)|isn't\s+true|untrue|false"
    r"|fake|wrong|incorrect|nonsense|rubbish|bullshit|made\s+up|a\s+lie|lies|lying|hoax|debunked"
    r"|mentira|falso|no\s+es\s+(?:verdad|cierto)|mentís|inventado)\b"
    r"|不是真的|假的|胡说|没有的事|才不是|不对|谣言",
    re.IGNORECASE,
)
_SUPPORT = re.compile(
    r"^\W*(?:yes|yep|yeah|yup|aye|indeed|correct|exactly|true|right|sí|cierto|claro|verdad)\b"
    r"|\b(?:it's\s+true|it\s+is\s+true|that's\s+(?:true|right)|that\s+is\s+(?:true|right)"
    r"|can\s+confirm|confirmed|I\s+(?:saw|heard\s+(?:it|that|the\s+same)|know)|heard\s+(?:it|that"
    r"|the\s+same)\s+too|told\s+me\s+(?:so|too|the\s+same)|es\s+(?:verdad|cierto)|lo\s+vi"
    r"|yo\s+también\s+lo)\b"
    r"|是真的|没错|对的|^对|我也听说|确实|我看见",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|n't|never|no\s+longer|no|nobody|nunca|jamás|isn't|aren't|wasn't|didn't|doesn't"
    r"|hasn't|haven't|won't|can't)\b|n['’]t\b|[不没]",
    re.IGNORECASE,
)
_UNKNOWING = re.compile(
    r"\b(?:no\s+idea|no\s+clue|don't\s+know|dunno|not\s+sure|can't\s+say|haven't\s+heard|no\s+sé"
    r"|ni\s+idea)\b|不知道|不清楚|没听说",
    re.IGNORECASE,
)

_CLAUSE = re.compile(r"[,.;:!?，。；！？\n]+|\s(?:but|pero)\s", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")

CERTAIN, LIKELY = 0.9, 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class StanceRead:
    stance: Stance
    confidence: float


def read_stance(
    text: str, *, statement: str, restates: bool, called: frozenset[str] = frozenset()
) -> StanceRead:
    """What an answer says about a statement. `restates`: it is about the very same matter in
    so many words, so that saying it at all takes a side. `called` are the forms of names by
    which the answer may call those who are there."""
    words = unaddressed(own_words(text).strip(), called)
    if not words or _UNKNOWING.search(words):
        return StanceRead(stance=Stance.COMMENT, confidence=LIKELY)
    if _QUERY.search(words) and not _DENY.search(words):
        return StanceRead(stance=Stance.QUERY, confidence=LIKELY)
    if _DENY.search(words):
        return StanceRead(stance=Stance.DENY, confidence=CERTAIN)
    if _SUPPORT.search(words):
        return StanceRead(stance=Stance.SUPPORT, confidence=CERTAIN)
    if restates and not words.endswith(("?", "？")):
        contrary = is_negated(_about(words, statement)) != is_negated(statement)
        return StanceRead(stance=Stance.DENY if contrary else Stance.SUPPORT, confidence=LIKELY)
    return StanceRead(stance=Stance.COMMENT, confidence=LIKELY)


def _about(words: str, statement: str) -> str:
    """The clause that shares most with the statement: in "he moved, he never liked it" only the
    other one is negated."""
    wanted = set(_WORD.findall(statement.casefold()))

    def shared(clause: str) -> int:
        return len(wanted & set(_WORD.findall(clause.casefold())))

    return max((one for one in _CLAUSE.split(words) if one.strip()), key=shared, default=words)


def is_negated(text: str) -> bool:
    return len(_NEGATION.findall(text)) % 2 == 1
