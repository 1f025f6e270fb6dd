"""Hearsay in the running program: what is claimed, who says what about it, whom to ask."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np

from bot.memory import Event, EventKind, Turn, Vector
from bot.names.forms import skeleton
from bot.ports import Embedder, Storage
from bot.stream.addressed import called_forms
from bot.stream.claims import (
    Claim,
    ClaimRules,
    ClaimStatus,
    NewClaim,
    Stance,
    reopened_until,
    verdict,
)
from bot.stream.hearsay import Question, hearsay_note, speaks_of, whom_to_ask
from bot.stream.news import is_sensitive, news_in
from bot.stream.stances import LIKELY, StanceRead, read_stance
from bot.stream.understood import LineRead, Told
from bot.world import AgentKind, Hearing

SAME_CLAIM = 0.62
"""Cosine from which two statements are the same matter (all-MiniLM-L6-v2: paraphrases lie
above .7, other news about one person mostly below .55)."""

ANSWER_WITHIN = timedelta(minutes=15)
"""A line this soon after a claim was told or raised may answer it."""

REMEMBERED = timedelta(days=60)
"""Settled claims this old are no longer compared with what is said."""

RESTATED = StanceRead(stance=Stance.SUPPORT, confidence=LIKELY)
"""Whoever tells the same news supports it."""

MOST_COMPARED = 40
MOST_RAISED = 12
MOST_VECTORS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """What the prompt says about hearsay, and the question in it."""

    note: str
    question: Question | None


class Rumours:
    """Finds claims in what people say, reads answers to them, and settles them.

    Without a model: rules decide what is news and what an answer says; the embedding tells
    whether two statements are about the same matter.
    """

    def __init__(self, *, storage: Storage, embedder: Embedder, rules: ClaimRules) -> None:
        self._storage = storage
        self._embedder = embedder
        self._rules = rules
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    # -- before an answer ------------------------------------------------------------------
    async def raised(
        self, turn: Turn, answered: Sequence[tuple[int, str]], present: Sequence[int], now: datetime
    ) -> Raised:
        """What may be told and asked in this reply."""
        hearing = Hearing(persona=turn.persona.id, place=turn.place.id)
        heard = await self._storage.claims(hearing, since=now - REMEMBERED, limit=MOST_RAISED)
        unsettled = {ClaimStatus.PENDING, ClaimStatus.UNVERIFIED}
        claims = [claim for claim in heard if claim.status in unsettled]
        if not claims:
            return Raised(note="", question=None)
        open_ones = [c for c in claims if not c.is_due(now)]
        subjects = [c.subject.id for c in open_ones if c.subject is not None]
        knowing = await self._storage.acquainted([one for one, _ in answered], subjects)
        question = whom_to_ask(open_ones, answered, present, knowing)
        return Raised(note=hearsay_note(claims, question), question=question)

    async def note_asked(self, turn: Turn, question: Question | None, at: datetime) -> None:
        """Whoever was asked in the reply is never asked the same again."""
        if question is None or turn.reply is None or turn.failed:
            return
        if speaks_of(turn.reply.text, question.claim.statement):
            await self._storage.asked(question.claim.id, question.person, turn=turn.id, at=at)

    # -- after it ----------------------------------------------------------------------------
    async def learn(
        self,
        event: Event,
        lines: Sequence[Event],
        named: Mapping[str, int | None],
        read: LineRead | None = None,
        hearer: str = "",
    ) -> None:
        """What one line of a person says about claims, old and new. `lines` are those before
        it in its place, itself the last; `named` says whom its names mean; `read` is what a
        model made of it; `hearer` is the name of the persona it speaks to."""
        if not is_testimony(event):
            return
        claims = await self._storage.claims_around(
            event.id, since=event.at - REMEMBERED, limit=MOST_COMPARED
        )
        others = [claim for claim in claims if claim.event != event.id]
        known = list(
            dict.fromkeys([*(e.speaker_name for e in lines), *([hearer] if hearer else [])])
        )
        personas = [e.speaker.name for e in lines if e.speaker.kind is AgentKind.PERSONA]
        own = called_forms([*dict.fromkeys(personas), hearer])
        told = await self._told(event, known, named, own) if read is None else read.news
        restated = await self._restated([one.statement for one in told] or [event.text], claims)
        for claim in others:
            restates = claim.id in restated.values()
            stance = (
                _stance(event, claim, lines, restates=restates, called=called_forms(known))
                if read is None
                else read.stances.get(claim.id) or (RESTATED if restates and told else None)
            )
            if stance is not None:
                await self._check(event, claim, stance)
        for number, one in enumerate(told):
            if number not in restated:
                await self._claim(event, one)
        await self.settle_due(event.at)

    async def settle_due(self, now: datetime) -> None:
        """Claims whose time ran out are settled."""
        for claim in await self._storage.due_claims(now):
            outcome = verdict(claim, now, self._rules)
            await self._storage.settled(claim.id, outcome, at=now, expires=claim.expires)

    async def _told(
        self,
        event: Event,
        known: Sequence[str],
        named: Mapping[str, int | None],
        personas: frozenset[str],
    ) -> list[Told]:
        """The news in a line, by rules; `known` are names of those who are there, `personas`
        the forms of the names of personas: they know themselves whether it is true."""
        found = []
        for news in news_in(event.text, known):
            one = await self._subject(news.subject, event, named)
            if one is None and skeleton(news.subject) in personas:
                continue
            if one != event.speaker.id:  # about themselves, under their own name
                sensitive = is_sensitive(news.statement)
                found.append(Told(statement=news.statement, about=one, sensitive=sensitive))
        return found

    async def _subject(
        self, name: str, event: Event, named: Mapping[str, int | None]
    ) -> int | None:
        """Whom a claim is about: as the names of the line were understood, else the only one
        here who bears the name."""
        if not name:
            return None
        if skeleton(name) in named:
            return named[skeleton(name)]
        known = await self._storage.known_here(name, event.place_id)
        return known[0].id if len(known) == 1 else None

    async def _restated(self, texts: Sequence[str], claims: Sequence[Claim]) -> dict[int, int]:
        """Which of the texts (by number) repeats which claim (by id)."""
        found: dict[int, int] = {}
        for number, text in enumerate(texts if claims else ()):
            vector = await self._vector(text)
            near = [
                (float(np.dot(vector, await self._vector(claim.statement))), claim.id)
                for claim in claims
            ]
            best, which = max(near)
            if best >= SAME_CLAIM:
                found[number] = which
        return found

    async def _vector(self, text: str) -> Vector:
        if text not in self._vectors:
            self._vectors[text] = (await self._embedder.embed([text], kind="passage"))[0]
            while len(self._vectors) > MOST_VECTORS:
                self._vectors.popitem(last=False)
        self._vectors.move_to_end(text)
        return self._vectors[text]

    async def _check(self, event: Event, claim: Claim, read: StanceRead) -> None:
        if event.speaker.id == claim.source.id and read.stance is not Stance.DENY:
            return  # repeating oneself proves nothing
        if read.stance is Stance.COMMENT and event.speaker.id not in claim.asked:
            return
        checked = await self._storage.checked(claim.id, event.id, read.stance, read.confidence)
        if checked is not None and read.stance in {Stance.SUPPORT, Stance.DENY}:
            await self._weigh(checked, event.at)

    async def _weigh(self, claim: Claim, now: datetime) -> None:
        """New evidence settles a claim, or opens it again if its time had run out."""
        expires = claim.expires
        if expires <= now:
            expires = reopened_until(claim, now, self._rules)
        outcome = verdict(replace(claim, expires=expires), now, self._rules)
        if outcome is not claim.status or expires != claim.expires:
            await self._storage.settled(claim.id, outcome, at=now, expires=expires)

    async def _claim(self, event: Event, told: Told) -> None:
        await self._storage.claimed(
            NewClaim(
                event=event.id,
                source=event.speaker.id,
                subject=told.about,
                statement=told.statement,
                sensitive=told.sensitive or is_sensitive(told.statement),
                at=event.at,
                expires=event.at + timedelta(days=self._rules.days),
            )
        )


def is_testimony(event: Event) -> bool:
    """Whether a line is somebody's own word: not a persona's, not forwarded, not imported."""
    return (
        event.kind is EventKind.MESSAGE
        and event.speaker.kind is AgentKind.PERSON
        and not event.forwarded
    )


def _stance(
    event: Event,
    claim: Claim,
    lines: Sequence[Event],
    *,
    restates: bool,
    called: frozenset[str],
) -> StanceRead | None:
    """What the line says about the claim, by rules; None if it is about something else."""
    if not restates and not _may_answer(event, claim, lines):
        return None
    return read_stance(event.text, statement=claim.statement, restates=restates, called=called)


def _may_answer(event: Event, claim: Claim, lines: Sequence[Event]) -> bool:
    """Whether the line comes right after the claim was told, or was raised with its speaker."""
    recent = [one for one in lines if event.at - one.at <= ANSWER_WITHIN and one.id != event.id]
    before = next((one for one in reversed(recent) if one.speaker.id != event.speaker.id), None)
    if before is None:
        return False
    if before.id in {claim.event, *(check.event for check in claim.checks)}:
        return True
    return before.kind is EventKind.REPLY and (
        speaks_of(before.text, claim.statement)
        or (event.speaker.id in claim.asked and claim.event in {one.id for one in recent})
    )
