"""Agents, their accounts and names; and who asked not to be kept."""

from datetime import datetime

from bot.world import AccountKey, Agent, AgentKind, Author, NameSeen, Place
from storage.base import Part, reads, writes
from storage.connection import Transaction
from storage.forgetting.removal import remove
from storage.rows import (
    GIVEN,
    OPTED_OUT,
    agent_by_id,
    agent_of,
    id_list,
    moment,
    place_of,
    same_agent,
    stamp,
)
from storage.stream.names import add_forms
from storage.stream.vectors import renew_vectors


class People(Part):
    """The part of the storage that knows who is who."""

    @writes
    async def persona(self, db: Transaction, key: str, name: str) -> Agent:
        agent = await persona_id(db, key, name)
        await db.run("update agent set name = ? where id = ? and name <> ?", name, agent, name)
        return await agent_by_id(db, agent)

    @reads
    async def person(self, db: Transaction, account: AccountKey) -> Agent | None:
        row = await db.row(
            "select agent from account where platform = ? and user = ?",
            account.platform,
            account.user,
        )
        return None if row is None else await agent_by_id(db, row["agent"])

    @reads
    async def dms_of(self, db: Transaction, account: AccountKey) -> list[Place]:
        rows = await db.rows(
            """
            select p.* from account a join place p on p.person = a.agent
            where a.platform = ? and a.user = ? and p.kind = 'dm' and p.asleep = 0
              and p.platform = a.platform
              and exists (select 1 from event e where e.place = p.id and e.account = a.id)
            order by p.id
            """,
            account.platform,
            account.user,
        )
        return [place_of(row) for row in rows]

    @reads
    async def people_named(self, db: Transaction, name: str) -> list[tuple[Agent, AccountKey]]:
        rows = await db.rows(
            f"""
            select distinct s.id, s.nature as kind, s.name, c.platform, c.user
            from name n
            join account c on c.id = n.account
            join agent a on a.id = c.agent
            join agent s on s.id = coalesce(a.merged_into, a.id)
            where n.folded = ? and c.id not in {OPTED_OUT}
            order by s.id, c.id
            """,
            name.casefold(),
        )
        return [
            (agent_of(row), AccountKey(platform=row["platform"], user=row["user"])) for row in rows
        ]

    @reads
    async def names(self, db: Transaction, agent: int) -> list[NameSeen]:
        rows = await db.rows(
            f"select * from name where agent in {GIVEN} order by last_seen desc, id desc",
            id_list(await same_agent(db, agent)),
        )
        return [
            NameSeen(
                name=row["name"],
                server=row["server"],
                first_seen=moment(row["first_seen"]),
                last_seen=moment(row["last_seen"]),
            )
            for row in rows
        ]

    @reads
    async def opted_out(self, db: Transaction, account: AccountKey) -> bool:
        return await has_opted_out(db, account)

    @writes
    async def opt_out(self, db: Transaction, account: AccountKey, at: datetime) -> None:
        await db.run(
            "insert or ignore into opt_out values (?, ?, ?)",
            account.platform,
            account.user,
            stamp(at),
        )
        await _forget_thoughts(db, account)
        await db.run(
            f"""
            update inbox set state = 'ignored', reason = 'opted out'
            where state = 'pending' and event in
                  (select id from event where account in {OPTED_OUT})
            """
        )

    @writes
    async def opt_in(self, db: Transaction, account: AccountKey) -> None:
        await db.run(
            "delete from opt_out where platform = ? and user = ?",
            account.platform,
            account.user,
        )
        rows = await db.rows(
            """
            select e.id from event e join account a on a.id = e.account
            where a.platform = ? and a.user = ?
            """,
            account.platform,
            account.user,
        )
        await renew_vectors(db, [row["id"] for row in rows])


async def _forget_thoughts(db: Transaction, account: AccountKey) -> None:
    """What personas concluded from the lines of an account goes for good."""
    rows = await db.rows(
        """
        select distinct v.event from evidence v
        join event e on e.id = v.rests_on join account a on a.id = e.account
        where a.platform = ? and a.user = ?
        """,
        account.platform,
        account.user,
    )
    await remove(db, [row["event"] for row in rows])


async def has_opted_out(db: Transaction, account: AccountKey) -> bool:
    found = await db.row(
        "select 1 from opt_out where platform = ? and user = ?", account.platform, account.user
    )
    return found is not None


async def persona_id(db: Transaction, key: str, name: str = "") -> int:
    """The agent of a persona's key, made if it is new."""
    row = await db.row("select id from agent where persona = ?", key)
    if row is not None:
        return int(row["id"])
    return await db.insert(
        "insert into agent (kind, name, persona) values ('persona', ?, ?)", name or key, key
    )


async def account_id(db: Transaction, key: AccountKey, name: str) -> tuple[int, int]:
    """The account and its own agent, made if they are new."""
    row = await db.row(
        "select id, agent from account where platform = ? and user = ?", key.platform, key.user
    )
    if row is not None:
        return row["id"], row["agent"]
    agent = await db.insert(
        "insert into agent (kind, name) values (?, ?)", AgentKind.PERSON.value, name
    )
    account = await db.insert(
        "insert into account (platform, user, agent) values (?, ?, ?)",
        key.platform,
        key.user,
        agent,
    )
    return account, agent


async def seen(db: Transaction, author: Author, server: str, at: datetime) -> tuple[int, int]:
    """An account that appears, with the name it bears now; its ids as in `account_id`."""
    account, agent = await account_id(db, author.account, author.name)
    if author.is_bot:
        await db.run("update agent set automated = 1 where id = ? and automated = 0", agent)
    await bears(db, account, agent, author.name, server=server, at=at)
    return account, agent


async def bears(
    db: Transaction, account: int, agent: int, name: str, *, server: str, at: datetime
) -> None:
    """Adds to the history of names; an old report never becomes the present label."""
    when = stamp(at)
    last = await db.row(
        """
        select id, name, last_seen from name where account = ? and server = ?
        order by last_seen desc, id desc limit 1
        """,
        account,
        server,
    )
    if last is not None and last["name"] == name:
        await db.run("update name set last_seen = max(last_seen, ?) where id = ?", when, last["id"])
    else:
        row = await db.insert(
            """
            insert into name (agent, account, server, name, folded, first_seen, last_seen)
            values (?, ?, ?, ?, ?, ?, ?)
            """,
            agent,
            account,
            server,
            name,
            name.casefold(),
            when,
            when,
        )
        await add_forms(db, row, name)
    await db.run(
        """
        update agent set name = ? where id = ? and name <> ?
          and not exists (select 1 from name where account = ? and last_seen > ?)
        """,
        name,
        agent,
        name,
        account,
        when,
    )
