"""Removes a person: names, accounts, relationships and every line that was theirs."""

from collections import Counter
from collections.abc import Sequence

from storage.connection import Transaction
from storage.forgetting.echoes import redact_names
from storage.forgetting.removal import remove
from storage.rows import GIVEN, id_list, same_agent, text_list


async def remove_person(db: Transaction, agent: int) -> Counter[str]:
    """Everything of an agent and of those merged with it; returns how much of what."""
    ids = id_list(await same_agent(db, agent))
    spoken = await db.rows(f"select id from event where speaker in {GIVEN}", ids)
    names = await db.rows(
        f"""
        select name from name where agent in {GIVEN}
        union select name from agent where id in {GIVEN}
        union select speaker_name from event where speaker in {GIVEN}
        except select name from agent where kind = 'persona'
        """,
        ids,
        ids,
        ids,
    )
    counts = await remove(db, [row["id"] for row in spoken])
    await _remove_namesakes(db, [row["name"] for row in names])
    counts += await _remove_quotes(db, ids)
    counts += await _remove_bonds(db, ids)
    counts += await _remove_identity(db, ids)
    counts += await redact_names(db, [row["name"] for row in names])
    return +counts


async def _remove_quotes(db: Transaction, ids: str) -> Counter[str]:
    """Their words as others quoted them; the lines that quote them stay."""
    quotes = await db.run(
        f"""
        update event set quoted = '', quoted_account = null
        where quoted_account in (select id from account where agent in {GIVEN})
        """,
        ids,
    )
    return Counter({"quotations": quotes})


async def _remove_namesakes(db: Transaction, names: Sequence[str]) -> None:
    """Somebody only heard of by the same name may well be that person."""
    folded = text_list(name.casefold() for name in names)
    await db.run(
        f"""
        delete from agent where kind = 'third_party'
          and id in (select agent from name where folded in {GIVEN})
          and not exists (select 1 from event where speaker = agent.id)
          and coalesce((select kind from place where id = agent.home), '') <> 'past'
        """,
        folded,
    )


async def _remove_bonds(db: Transaction, ids: str) -> Counter[str]:
    of_them = f"agent in {GIVEN} or other in {GIVEN}"
    changes = await db.value(
        f"""
        select count(*) from relationship_delta
        where relationship in (select id from relationship where {of_them})
        """,
        ids,
        ids,
    )
    return Counter(
        {
            "relationship changes": changes,
            "relationships": await db.run(f"delete from relationship where {of_them}", ids, ids),
            "claims": await db.run(f"delete from claim where source in {GIVEN}", ids),
        }
    )


async def _remove_identity(db: Transaction, ids: str) -> Counter[str]:
    await db.run(f"update place set name = '' where person in {GIVEN}", ids)
    names = await db.value(f"select count(distinct name) from name where agent in {GIVEN}", ids)
    await db.run(f"delete from name where agent in {GIVEN}", ids)
    accounts = await db.run(f"delete from account where agent in {GIVEN}", ids)
    await db.run(f"delete from agent where id in {GIVEN}", ids)
    return Counter({"names": names, "accounts": accounts})
