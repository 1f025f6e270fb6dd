"""Hearsay: claims with their checks, and who was asked."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.stream.claims import Check, Claim, ClaimStatus, NewClaim, Stance
from bot.world import Agent, AgentKind, Hearing
from storage.base import Part, reads, writes
from storage.connection import Row, Transaction, Value
from storage.rows import GIVEN, OPTED_OUT, agent_of, id_list, moment, stamp
from storage.world.identities import own_agent, own_speaker
from storage.world.scope import OPEN, WITNESSED, hearable

_CLAIM: Final = f"""
select c.*, s.id as source_id, s.nature as source_kind, s.name as source_name,
       t.id as subject_id, t.nature as subject_kind, t.name as subject_name,
       exists (select 1 from account o where o.agent = c.subject and o.id in {OPTED_OUT}) as out
from claim c
join event e on e.id = c.event
join agent b on b.id = c.source join agent s on s.id = coalesce(b.merged_into, b.id)
left join agent d on d.id = c.subject left join agent t on t.id = coalesce(d.merged_into, d.id)
"""

# An answer counts only where everybody who may hear the claim may hear the answer.
_AS_OPEN: Final = f"""
select 1 from claim c, event e join place p on p.id = e.place
where c.id = ? and e.id = ? and e.kind = 'message' and e.forwarded = 0
  and (e.scope = c.scope or ({OPEN}))
"""


class Claims(Part):
    """The part of the storage about what is only hearsay."""

    @writes
    async def claimed(self, db: Transaction, claim: NewClaim) -> int | None:
        row = await db.row("select scope from event where id = ?", claim.event)
        if row is None or await _is_known(db, claim):
            return None
        subject = claim.subject
        if subject is not None:
            subject = await own_agent(db, subject, claim.event)
        return await db.insert(
            """
            insert into claim (event, source, subject, scope, statement, sensitive, opened,
                               expires)
            values (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            claim.event,
            await own_speaker(db, claim.source, claim.event),
            subject,
            row["scope"],
            claim.statement,
            claim.sensitive,
            stamp(claim.at),
            stamp(claim.expires),
        )

    @writes
    async def checked(
        self, db: Transaction, claim: int, event: int, stance: Stance, confidence: float
    ) -> Claim | None:
        if await db.row(_AS_OPEN, claim, event) is None:
            return None
        await db.run(
            """
            insert into claim_check (claim, event, agent, stance, confidence, at)
            select ?, id, speaker, ?, ?, at from event where id = ?
            on conflict (claim, event, agent) do update
            set stance = excluded.stance, confidence = excluded.confidence
            """,
            claim,
            stance.value,
            confidence,
            event,
        )
        found = await _claims(db, "c.id = ?", claim)
        return found[0] if found else None

    @writes
    async def settled(
        self, db: Transaction, claim: int, status: ClaimStatus, *, at: datetime, expires: datetime
    ) -> None:
        await db.run(
            "update claim set status = ?, resolved = ?, expires = ? where id = ?",
            status.value,
            None if status is ClaimStatus.PENDING else stamp(at),
            stamp(expires),
            claim,
        )

    @writes
    async def asked(
        self, db: Transaction, claim: int, person: int, *, turn: int, at: datetime
    ) -> None:
        said = await db.row("select max(event) as event from turn_event where turn = ?", turn)
        if said is not None and said["event"] is not None:
            person = await own_agent(db, person, said["event"])
        await db.run(
            """
            insert or ignore into claim_asked
            select c.id, ?, t.id, ? from claim c, turn t where c.id = ? and t.id = ?
            """,
            person,
            stamp(at),
            claim,
            turn,
        )

    @reads
    async def claims(
        self, db: Transaction, hearing: Hearing | None, *, since: datetime | None = None, limit: int
    ) -> list[Claim]:
        return await _heard(db, hearing, since, limit)

    @reads
    async def claims_around(
        self, db: Transaction, event: int, *, since: datetime, limit: int
    ) -> list[Claim]:
        rows = await db.rows(
            """
            select e.place, k.agent from event e
            join event_agent k on k.event = e.id
            join agent a on a.id = k.agent and a.kind = 'persona'
            where e.id = ?
            """,
            event,
        )
        found: dict[int, Claim] = {}
        for row in rows:
            hearing = Hearing(persona=row["agent"], place=row["place"])
            found |= {c.id: c for c in await _heard(db, hearing, since, limit, event)}
        return sorted(found.values(), key=lambda c: (c.opened, c.id), reverse=True)[:limit]

    @reads
    async def due_claims(self, db: Transaction, now: datetime) -> list[Claim]:
        return await _claims(db, "c.status = 'pending' and c.expires <= ?", stamp(now))

    @reads
    async def known_here(self, db: Transaction, name: str, place: int) -> list[Agent]:
        rows = await db.rows(
            """
            select distinct s.id, s.nature as kind, s.name
            from name n
            join agent a on a.id = n.agent
            join agent s on s.id = coalesce(a.merged_into, a.id)
            where n.folded = ? and exists (
                select 1 from place h
                join place p on p.id = h.id or (
                    h.server <> '' and p.server = h.server and p.platform = h.platform
                    and p.bot_account = h.bot_account
                )
                join event e on e.place = p.id and e.speaker = a.id
                where h.id = ?
            )
            order by s.id
            """,
            name.casefold(),
            place,
        )
        return [agent_of(row) for row in rows]

    @reads
    async def acquainted(
        self, db: Transaction, people: Sequence[int], others: Sequence[int]
    ) -> set[tuple[int, int]]:
        rows = await db.rows(
            f"""
            select distinct coalesce(a.merged_into, a.id) as one,
                   coalesce(b.merged_into, b.id) as two
            from relationship r
            join agent a on a.id = r.agent
            join agent b on b.id = r.other
            where coalesce(a.merged_into, a.id) in {GIVEN}
              and coalesce(b.merged_into, b.id) in {GIVEN}
            """,
            id_list(people),
            id_list(others),
        )
        return {(row["one"], row["two"]) for row in rows}


async def _is_known(db: Transaction, claim: NewClaim) -> bool:
    found = await db.row(
        "select 1 from claim where event = ? and statement = ?", claim.event, claim.statement
    )
    return found is not None


async def _heard(
    db: Transaction,
    hearing: Hearing | None,
    since: datetime | None,
    limit: int,
    event: int | None = None,
) -> list[Claim]:
    conditions: list[str] = ["true"]
    values: list[Value] = []
    if hearing is not None:
        conditions.append(f"c.scope in {GIVEN} and {WITNESSED}")
        values += [id_list(await hearable(db, hearing)), hearing.persona]
    if since is not None:
        conditions.append("(c.status = 'pending' or c.opened >= ?)")
        values.append(stamp(since))
    condition = f"{' and '.join(conditions)} order by c.opened desc, c.id desc limit ?"
    return await _claims(db, condition, *values, limit, event=event)


async def _claims(
    db: Transaction, condition: str, *values: Value, event: int | None = None
) -> list[Claim]:
    """With `event`, who was asked before it: not in the very answer to it."""
    rows = await db.rows(f"{_CLAIM} where {condition}", *values)
    if not rows:
        return []
    ids = id_list(row["id"] for row in rows)
    checks = await db.rows(
        f"""
        select c.*, s.id as agent_id, s.nature as kind, s.name from claim_check c
        join agent a on a.id = c.agent join agent s on s.id = coalesce(a.merged_into, a.id)
        where c.claim in {GIVEN} order by c.at, c.id
        """,
        ids,
    )
    asked = await db.rows(
        f"""
        select k.claim, coalesce(a.merged_into, a.id) as agent
        from claim_asked k join agent a on a.id = k.agent
        where k.claim in {GIVEN}
          and not exists (select 1 from turn_event t where t.turn = k.turn and t.event = ?)
        """,
        ids,
        event,
    )
    return [_claim(row, checks, asked) for row in rows]


def _claim(row: Row, checks: Sequence[Row], asked: Sequence[Row]) -> Claim:
    subject = None
    if row["subject_id"] is not None:
        subject = Agent(
            id=row["subject_id"], kind=AgentKind(row["subject_kind"]), name=row["subject_name"]
        )
    return Claim(
        id=row["id"],
        event=row["event"],
        source=Agent(
            id=row["source_id"], kind=AgentKind(row["source_kind"]), name=row["source_name"]
        ),
        subject=subject,
        statement=row["statement"],
        status=ClaimStatus(row["status"]),
        sensitive=bool(row["sensitive"]),
        opened=moment(row["opened"]),
        expires=moment(row["expires"]),
        checks=tuple(_check(one) for one in checks if one["claim"] == row["id"]),
        asked=frozenset(one["agent"] for one in asked if one["claim"] == row["id"]),
        subject_left_out=bool(row["out"]),
    )


def _check(row: Row) -> Check:
    return Check(
        agent=Agent(id=row["agent_id"], kind=AgentKind(row["kind"]), name=row["name"]),
        event=row["event"],
        stance=Stance(row["stance"]),
        confidence=row["confidence"],
        at=moment(row["at"]),
    )
