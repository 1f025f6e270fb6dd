"""Servers and groups: their settings, their people, and the bot's coming and going."""

from datetime import datetime
from typing import Final

from bot.house.rules import own_columns
from bot.house.stored import Stored
from bot.world import AccountKey, Agent, Place, ServerKey, Where
from storage.base import Part, reads, writes
from storage.connection import Transaction, Value
from storage.rows import OPTED_OUT, agent_of, place_of, stamp
from storage.world.places import parent_of
from storage.world.realm import SAID, SAME_SERVER

_OF_SERVER: Final = "platform = ? and bot_account = ? and server = ?"

_THERE: Final = """
platform = ? and bot_account = ? and (chat = ? or (? <> '' and server = ? and kind <> 'dm'))
"""
"""The places of a server, or of one chat; its parameters are made by `_there`."""

# Somebody of whom nothing is kept any more but the account itself.
_STRANGERS: Final = """
select a.id from agent a
where a.kind = 'person'
  and exists (select 1 from account c where c.agent = a.id)
  and not exists (select 1 from event e where e.speaker = a.id)
  and not exists (select 1 from event e join account c on c.id = e.account where c.agent = a.id)
  and not exists (
      select 1 from event e join account c on c.id = e.quoted_account where c.agent = a.id
  )
  and not exists (select 1 from event_agent k where k.agent = a.id)
  and not exists (select 1 from agent m where m.merged_into = a.id or a.merged_into is not null)
  and not exists (select 1 from claim c where c.source = a.id or c.subject = a.id)
  and not exists (select 1 from scope_member m where m.agent = a.id)
"""


class Servers(Part):
    """The part of the storage that knows servers."""

    @reads
    async def settings(self, db: Transaction, place: Place) -> Stored:
        server = place.where.server_key
        rows = await db.rows(
            f"""
            select case when place is null then 'everywhere' else 'here' end as level,
                   name, value
            from setting where place = ? or place is null
            union all
            select 'server', name, value from server_setting where {_OF_SERVER}
            """,
            place.id,
            *(_parts(server) if server else ("", "", "")),
        )
        channel = await self._of_channel(db, place)
        texts: dict[str, dict[str, str]] = {"here": {}, "server": {}, "everywhere": {}}
        for row in rows:
            texts[row["level"]][row["name"]] = row["value"]
        return Stored(**texts, channel=channel)

    async def _of_channel(self, db: Transaction, place: Place) -> dict[str, str]:
        """What is set for the channel that a thread is in."""
        row = await parent_of(db, place)
        if row is None:
            return {}
        rows = await db.rows("select name, value from setting where place = ?", row["id"])
        return own_columns(place_of(row)) | {one["name"]: one["value"] for one in rows}

    @writes
    async def set_server_setting(
        self, db: Transaction, server: ServerKey, name: str, value: str | None
    ) -> None:
        if value is None:
            await db.run(
                f"delete from server_setting where {_OF_SERVER} and name = ?",
                *_parts(server),
                name,
            )
        else:
            await db.run(
                "insert or replace into server_setting values (?, ?, ?, ?, ?)",
                *_parts(server),
                name,
                value,
            )

    @reads
    async def places(self, db: Transaction) -> list[Place]:
        rows = await db.rows(
            "select * from place where kind not in ('archive', 'past') order by id"
        )
        return [place_of(row) for row in rows]

    @reads
    async def people_here(
        self, db: Transaction, place: int, name: str
    ) -> list[tuple[Agent, AccountKey]]:
        rows = await db.rows(
            f"""
            select distinct s.id, s.nature as kind, s.name, c.platform, c.user
            from name n
            join account c on c.id = n.account
            join agent a on a.id = c.agent
            join agent s on s.id = coalesce(a.merged_into, a.id)
            where n.folded = ? and c.id not in {OPTED_OUT} and exists (
                select 1 from event e where e.account = c.id and e.place in {SAME_SERVER}
            )
            order by s.id, c.id
            """,
            name.casefold(),
            place,
        )
        return [
            (agent_of(row), AccountKey(platform=row["platform"], user=row["user"])) for row in rows
        ]

    @reads
    async def author_of(self, db: Transaction, place: int, message: str) -> AccountKey | None:
        row = await db.row(
            """
            select c.platform, c.user
            from event_message m
            join event e on e.id = m.event
            join account c on c.id = e.account
            where m.place = ? and m.message = ?
            """,
            place,
            message,
        )
        return None if row is None else AccountKey(platform=row["platform"], user=row["user"])

    @writes
    async def left(self, db: Transaction, where: Where, at: datetime) -> int:
        return await db.run(
            f"update place set asleep = 1, left_at = ? where asleep = 0 and {_THERE}",
            stamp(at),
            *_there(where),
        )

    @writes
    async def came_back(self, db: Transaction, where: Where, at: datetime) -> int:
        return await db.run(
            f"""
            update place set asleep = 0, left_at = null
            where asleep = 1 and (left_at is null or left_at <= ?) and {_THERE}
            """,
            stamp(at),
            *_there(where),
        )

    @reads
    async def gone_since(self, db: Transaction, before: datetime) -> list[Place]:
        rows = await db.rows("select * from place where left_at < ? order by id", stamp(before))
        return [place_of(row) for row in rows]

    @reads
    async def expired(
        self, db: Transaction, place: int, before: datetime | None, *, limit: int
    ) -> list[int]:
        rows = await db.rows(
            f"""
            select id from event where place = ? and {SAID} and (? is null or at < ?)
            order by at, id limit ?
            """,
            place,
            None if before is None else stamp(before),
            "" if before is None else stamp(before),
            limit,
        )
        return [row["id"] for row in rows]

    @writes
    async def purge(self, db: Transaction, place: int) -> None:
        row = await db.row("select * from place where id = ?", place)
        if row is None:
            return
        for table in ("setting", "scene_item"):
            await db.run(f"delete from {table} where place = ?", place)
        await db.run(
            """
            update place set name = '', server_name = '', persona = null, person = null,
                             listens = 0, answers = 'addressed', left_at = null
            where id = ?
            """,
            place,
        )
        if server := place_of(row).where.server_key:
            await _purge_server(db, server)
        await _remove_strangers(db)


async def _purge_server(db: Transaction, server: ServerKey) -> None:
    """A server of which no place is awake, or waits to be purged, is gone as well."""
    left = await db.row(
        f"select 1 from place where {_OF_SERVER} and (asleep = 0 or left_at is not null)",
        *_parts(server),
    )
    if left is None:
        await db.run(f"delete from server_setting where {_OF_SERVER}", *_parts(server))
        elsewhere = await db.row(
            "select 1 from place where platform = ? and server = ? and asleep = 0",
            server.platform,
            server.server,
        )
        if elsewhere is None:
            await db.run(
                """
                delete from name where server = ? and account in
                       (select id from account where platform = ?)
                """,
                server.server,
                server.platform,
            )


async def _remove_strangers(db: Transaction) -> None:
    rows = await db.rows(_STRANGERS)
    for table, column in (
        ("name", "agent"),
        ("relationship", "agent"),
        ("relationship", "other"),
        ("account", "agent"),
        ("agent", "id"),
    ):
        await db.many(f"delete from {table} where {column} = ?", [(row["id"],) for row in rows])


def _parts(server: ServerKey) -> tuple[str, str, str]:
    return server.platform, server.bot_account, server.server


def _there(where: Where) -> tuple[Value, ...]:
    key = where.key
    return key.platform, key.bot_account, key.chat, where.server, where.server
