"""The books: what was said and spent where, and what admins did."""

from datetime import datetime
from typing import Final

from bot.house.deeds import Deed
from bot.house.figures import Calls, Figures, Spender
from storage.base import Part, reads, writes
from storage.connection import Transaction
from storage.rows import moment, stamp
from storage.world.realm import SAME_SERVER

_FIGURES: Final = """
select count(*) filter (where e.kind = 'message') as messages,
       count(*) filter (where e.kind = 'reply') as replies,
       count(distinct case when a.nature = 'person' then coalesce(a.merged_into, a.id) end)
           as people,
       count(distinct e.place) as places
from event e join agent a on a.id = e.speaker
where e.kind in ('message', 'reply') and e.at >= ?
"""

_CALLS: Final = """
select purpose, model, count(*) as calls, sum(prompt_tokens) as prompt,
       sum(completion_tokens) as completion, sum(seconds) as seconds
from usage where at >= ?
"""


class Books(Part):
    """The part of the storage that counts, and that keeps the audit."""

    @reads
    async def spent(self, db: Transaction, place: int, since: datetime) -> int:
        return await db.value(
            f"""
            select coalesce(sum(prompt_tokens + completion_tokens), 0)
            from usage where at >= ? and place in {SAME_SERVER}
            """,
            stamp(since),
            place,
        )

    @reads
    async def spenders(self, db: Transaction, since: datetime, *, limit: int) -> list[Spender]:
        rows = await db.rows(
            """
            select case when p.kind <> 'dm' and p.server <> '' then p.server_name
                        else p.name end as name,
                   p.platform, p.kind,
                   sum(u.prompt_tokens + u.completion_tokens) as tokens
            from usage u join place p on p.id = u.place
            where u.at >= ?
            group by p.platform, p.bot_account,
                     case when p.kind <> 'dm' and p.server <> '' then p.server else p.id end
            order by tokens desc limit ?
            """,
            stamp(since),
            limit,
        )
        return [
            Spender(
                name="a private conversation" if row["kind"] == "dm" else row["name"],
                tokens=row["tokens"],
            )
            for row in rows
        ]

    @reads
    async def figures(self, db: Transaction, place: int | None, since: datetime) -> Figures:
        here = "" if place is None else f"and place in {SAME_SERVER}"
        where = () if place is None else (place,)
        (said,) = await db.rows(
            f"{_FIGURES} {here.replace('place in', 'e.place in')}", stamp(since), *where
        )
        calls = await db.rows(
            f"{_CALLS} {here} group by purpose, model order by prompt desc, purpose, model",
            stamp(since),
            *where,
        )
        return Figures(
            messages=said["messages"],
            replies=said["replies"],
            people=said["people"],
            places=said["places"],
            calls=tuple(
                Calls(
                    purpose=row["purpose"],
                    model=row["model"],
                    calls=row["calls"],
                    prompt_tokens=row["prompt"],
                    completion_tokens=row["completion"],
                    seconds=row["seconds"],
                )
                for row in calls
            ),
        )

    @writes
    async def noted(self, db: Transaction, deed: Deed) -> None:
        await db.run(
            "insert into audit (at, actor, action, target, detail) values (?, ?, ?, ?, ?)",
            stamp(deed.at),
            deed.actor,
            deed.action,
            deed.target,
            deed.detail,
        )

    @reads
    async def deeds(self, db: Transaction, *, limit: int) -> list[Deed]:
        rows = await db.rows("select * from audit order by id desc limit ?", limit)
        return [
            Deed(
                at=moment(row["at"]),
                actor=row["actor"],
                action=row["action"],
                target=row["target"],
                detail=row["detail"],
            )
            for row in rows
        ]
