"""Who is the same as whom, by an operator's word: logged, undone again, never for accounts."""

from datetime import datetime
from typing import Final

from storage.base import Part, reads, writes
from storage.connection import Transaction
from storage.rows import GIVEN, agent_by_id, id_list, same_agent, stamp

_LINK: Final = "link"
"""How the log calls merges that `/link` made; they are not undone here."""


class Merging(Part):
    """The part of the storage that joins people who are only heard of."""

    @writes
    async def merge_agents(
        self, db: Transaction, kept: int, merged: int, *, by: str, at: datetime
    ) -> bool:
        if not await _exist(db, kept, merged):
            return False
        root, group = (await agent_by_id(db, kept)).id, await same_agent(db, merged)
        if root in group or not await _only_heard_of(db, group):
            return False
        if await db.row("select 1 from agent where id = ? and kind = 'persona'", root):
            return False
        await db.run(f"update agent set merged_into = ? where id in {GIVEN}", root, id_list(group))
        await db.run(
            "insert into merge_log (kept, merged, by, at) values (?, ?, ?, ?)",
            kept,
            merged,
            by,
            stamp(at),
        )
        return True

    @writes
    async def split_agent(self, db: Transaction, agent: int, *, at: datetime) -> bool:
        row = await db.row(
            f"""
            select id from merge_log where merged = ? and undone is null and by <> '{_LINK}'
            order by id desc limit 1
            """,
            agent,
        )
        if row is None:
            return False
        await db.run("update merge_log set undone = ? where id = ?", stamp(at), row["id"])
        members = await _members(db, agent)
        await db.run("update agent set merged_into = null where id = ?", agent)
        await db.run(
            f"update agent set merged_into = ? where id in {GIVEN} and id <> ?",
            agent,
            id_list(members),
            agent,
        )
        return True

    @reads
    async def home_of(self, db: Transaction, agent: int) -> int | None:
        row = await db.row("select home from agent where id = ?", agent)
        return None if row is None else row["home"]


async def _exist(db: Transaction, *agents: int) -> bool:
    found = await db.value(f"select count(*) from agent where id in {GIVEN}", id_list(agents))
    return found == len(set(agents))


async def _only_heard_of(db: Transaction, group: list[int]) -> bool:
    others = await db.value(
        f"select count(*) from agent where id in {GIVEN} and kind <> 'third_party'", id_list(group)
    )
    return others == 0


async def _members(db: Transaction, agent: int) -> list[int]:
    """The agent, and whoever was merged into it by merges that still hold."""
    rows = await db.rows(
        f"""
        with recursive mine (id) as (
            select ?
            union
            select l.merged from merge_log l join mine on mine.id = l.kept
            where l.undone is null and l.by <> '{_LINK}'
        )
        select id from mine
        """,
        agent,
    )
    return [row["id"] for row in rows]
