"""Accounts of one person: linked with a code that is used once, and taken apart again."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from bot.house.links import LINK_MINUTES, Link, LinkState, NamedAccount
from bot.world import AccountKey
from storage.base import Part, reads, writes
from storage.connection import Row, Transaction
from storage.rows import GIVEN, agent_by_id, id_list, moment, same_agent, stamp
from storage.world.people import account_id, bears, has_opted_out
from storage.world.restaging import restage

OLD_CODES: Final = timedelta(days=1)
"""So long a code is kept after its time, to say that it is too old."""

_BY: Final = "link"


class Links(Part):
    """The part of the storage that joins accounts. Nothing else does."""

    @writes
    async def offer_link(
        self, db: Transaction, giver: NamedAccount, code: str, *, at: datetime
    ) -> None:
        await db.run("delete from link_code where expires < ?", stamp(at - OLD_CODES))
        account = await _kept(db, giver, at)
        await db.run("update link_code set void = 1 where account = ?", account)
        await db.run(
            "insert into link_code (code, account, expires) values (?, ?, ?)",
            code,
            account,
            stamp(at + timedelta(minutes=LINK_MINUTES)),
        )

    @writes
    async def take_link(
        self, db: Transaction, code: str, taker: NamedAccount, *, at: datetime
    ) -> Link:
        row = await _code(db, code)
        state = LinkState.UNKNOWN if row is None else await _closed(db, row, at)
        if row is None or state is not None:
            was_used = state is LinkState.JOINED
            return Link(state=LinkState.VOID if was_used else state or LinkState.UNKNOWN)
        giver = await _named(db, row["account"])
        if giver.account == taker.account:
            return Link(state=LinkState.OWN)
        account = await _kept(db, taker, at)
        if await _are_one(db, row["account"], account):
            await _void(db, code)
            return Link(state=LinkState.ALREADY, other=giver)
        if row["taker"] not in {None, account}:
            await _void(db, code)
            return Link(state=LinkState.VOID)
        await db.run(
            "update link_code set taker = ?, used = ? where code = ? and taker is null",
            account,
            stamp(at),
            code,
        )
        return Link(state=LinkState.TAKEN, other=giver)

    @reads
    async def link_of(
        self, db: Transaction, code: str, account: AccountKey, *, at: datetime
    ) -> Link:
        row = await _code(db, code)
        return Link(state=LinkState.UNKNOWN) if row is None else await _seen(db, row, account, at)

    @writes
    async def agree_link(
        self, db: Transaction, code: str, account: AccountKey, *, at: datetime
    ) -> Link:
        row = await _code(db, code)
        if row is None:
            return Link(state=LinkState.UNKNOWN)
        link = await _seen(db, row, account, at)
        if link.state is not LinkState.TAKEN:
            return link
        giver = await _named(db, row["account"])
        side = "giver_agreed" if giver.account == account else "taker_agreed"
        await db.run(f"update link_code set {side} = 1 where code = ?", code)
        row = await _code(db, code)
        assert row is not None
        if not (row["giver_agreed"] and row["taker_agreed"]):
            return link
        await _join(db, row["account"], row["taker"], at)
        return Link(state=LinkState.JOINED, other=link.other)

    @writes
    async def void_link(self, db: Transaction, code: str) -> None:
        await _void(db, code)

    @writes
    async def unlink(
        self, db: Transaction, account: AccountKey, *, at: datetime
    ) -> list[NamedAccount]:
        others = await _others(db, account)
        if others:
            await _part(db, account, at)
        return others

    @reads
    async def linked(self, db: Transaction, account: AccountKey) -> list[NamedAccount]:
        return await _others(db, account)


# -- codes -------------------------------------------------------------------------------
async def _code(db: Transaction, code: str) -> Row | None:
    return await db.row("select * from link_code where code = ?", code)


async def _void(db: Transaction, code: str) -> None:
    """A code by which accounts were joined already is history and stays."""
    await db.run(
        "update link_code set void = 1 where code = ? and not (giver_agreed and taker_agreed)", code
    )


async def _closed(db: Transaction, row: Row, at: datetime) -> LinkState | None:
    """Why nothing can come of a code any more; None if it is good."""
    if row["giver_agreed"] and row["taker_agreed"]:
        return LinkState.JOINED
    if row["void"]:
        return LinkState.VOID
    if moment(row["expires"]) <= at:
        return LinkState.OLD
    for account in (row["account"], row["taker"]):
        if account is not None and await has_opted_out(db, (await _named(db, account)).account):
            return LinkState.VOID
    return None


async def _seen(db: Transaction, row: Row, account: AccountKey, at: datetime) -> Link:
    """A code as one of its two sides sees it."""
    giver = await _named(db, row["account"])
    taker = None if row["taker"] is None else await _named(db, row["taker"])
    if giver.account == account:
        other = taker
    elif taker is not None and taker.account == account:
        other = giver
    else:
        return Link(state=LinkState.UNKNOWN)
    if (state := await _closed(db, row, at)) is not None:
        return Link(state=state, other=other)
    return Link(state=LinkState.WAITING if taker is None else LinkState.TAKEN, other=other)


# -- accounts ----------------------------------------------------------------------------
async def _kept(db: Transaction, named: NamedAccount, at: datetime) -> int:
    account, agent = await account_id(db, named.account, named.name)
    await bears(db, account, agent, named.name, server="", at=at)
    return account


async def _named(db: Transaction, account: int) -> NamedAccount:
    row = await db.row(
        "select c.*, a.name from account c join agent a on a.id = c.agent where c.id = ?", account
    )
    assert row is not None
    return NamedAccount(
        account=AccountKey(platform=row["platform"], user=row["user"]), name=row["name"]
    )


async def _agent_of(db: Transaction, account: int) -> int:
    """The account's own agent, whatever that is merged into."""
    return await db.value("select agent from account where id = ?", account)


async def _are_one(db: Transaction, one: int, other: int) -> bool:
    return await _agent_of(db, other) in await same_agent(db, await _agent_of(db, one))


async def _others(db: Transaction, account: AccountKey) -> list[NamedAccount]:
    row = await db.row(
        "select id, agent from account where platform = ? and user = ?",
        account.platform,
        account.user,
    )
    if row is None:
        return []
    rows = await db.rows(
        f"select id from account where agent in {GIVEN} and id <> ? order by id",
        id_list(await same_agent(db, row["agent"])),
        row["id"],
    )
    return [await _named(db, one["id"]) for one in rows]


# -- joining and taking apart ------------------------------------------------------------
async def _join(db: Transaction, giver: int, taker: int, at: datetime) -> None:
    """The taker's agents become the giver's; no row but these pointers and stages changes."""
    kept = (await agent_by_id(db, await _agent_of(db, giver))).id
    merged = await same_agent(db, await _agent_of(db, taker))
    await _gather(db, kept, merged)
    await _log(db, kept, merged, at)
    await restage(db, await same_agent(db, kept))


async def _part(db: Transaction, account: AccountKey, at: datetime) -> None:
    """One account's agent stands alone again, with whoever was merged with it alone."""
    own = await db.value(
        "select agent from account where platform = ? and user = ?", account.platform, account.user
    )
    group = await same_agent(db, own)
    root = (await agent_by_id(db, own)).id
    mine = {own} | {one for one in group if await _home(db, one) == own}
    rest = [one for one in group if one not in mine]
    with_account = await db.rows(
        f"select agent from account where agent in {GIVEN} order by agent", id_list(rest)
    )
    kept = root if root in rest else int(with_account[0]["agent"])
    await db.run(
        f"""
        update merge_log set undone = ?
        where undone is null and by = '{_BY}' and kept in {GIVEN} and merged in {GIVEN}
        """,
        stamp(at),
        id_list(group),
        id_list(group),
    )
    await _gather(db, own, mine)
    await _gather(db, kept, rest)
    await _log(db, kept, [one for one in rest if await _home(db, one) != kept], at)
    await restage(db, group)


async def _home(db: Transaction, agent: int) -> int | None:
    """Whom somebody without an account was merged with by anything but a link."""
    row = await db.row(
        f"""
        select kept from merge_log
        where merged = ? and undone is null and by <> '{_BY}'
          and not exists (select 1 from account where agent = merge_log.merged)
        order by id desc limit 1
        """,
        agent,
    )
    return None if row is None else int(row["kept"])


async def _gather(db: Transaction, kept: int, agents: Collection[int]) -> None:
    await db.run("update agent set merged_into = null where id = ?", kept)
    await db.run(
        f"update agent set merged_into = ? where id <> ? and id in {GIVEN}",
        kept,
        kept,
        id_list(agents),
    )


async def _log(db: Transaction, kept: int, merged: Collection[int], at: datetime) -> None:
    await db.many(
        f"insert into merge_log (kept, merged, by, at) values (?, ?, '{_BY}', ?)",
        [(kept, one, stamp(at)) for one in merged if one != kept],
    )
