"""Applies redactions to the texts that stay."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from storage.connection import Transaction
from storage.forgetting.redaction import Redact, without_names, without_passages
from storage.rows import id_list

_SPOKEN_BY_PERSONAS: Final = """
    kind in ('reply', 'reflection') and at >= ?
    and speaker in (select id from agent where kind = 'persona')
    and id not in (select id from temp.doomed)
"""

# Columns besides an event's own that may repeat what somebody said ...
_SAID: Final = (
    ("claim", "statement"),
    ("scene_item", "item"),
    ("scene_item", "state"),
)

# ... and those that may name somebody.
_NAMING: Final = (
    *_SAID,
    ("relationship", "relation"),
    ("relationship_delta", "reason"),
    ("turn", "reason"),
    ("inbox", "reason"),
    ("mention", "name"),
    ("mention", "why"),
    ("audit", "target"),
    ("audit", "detail"),
)


async def redact_echoes(db: Transaction, removed: Sequence[str], since: str) -> Counter[str]:
    """Takes passages of removed texts out of what personas said since, and out of notes."""
    redact = without_passages(removed)
    if redact is None:
        return Counter()
    await db.define("redacted", redact)
    count = await _redact_events(db, _SPOKEN_BY_PERSONAS, since)
    return Counter({"redacted lines": count + await _redact_notes(db, _SAID)})


async def redact_names(db: Transaction, names: Iterable[str]) -> Counter[str]:
    """Takes a person's names out of all lines and notes that stay."""
    redact: Redact | None = without_names(names)
    if redact is None:
        return Counter()
    await db.define("redacted", redact)
    count = await _redact_events(db, "true")
    await db.run(
        """
        update event set quoted = coalesce(redacted(quoted), quoted),
                         place_name = coalesce(redacted(place_name), place_name)
        where quoted <> '' or place_name <> ''
        """
    )
    return Counter({"redacted lines": count + await _redact_notes(db, _NAMING)})


async def _redact_events(db: Transaction, condition: str, *values: str) -> int:
    """Changes the texts; a changed line loses its vector, so that it is made anew."""
    rows = await db.rows(
        f"""
        select id, changed from (select id, redacted(text) as changed from event where {condition})
        where changed is not null
        """,
        *values,
    )
    await db.many(
        "update event set text = ? where id = ?", [(row["changed"], row["id"]) for row in rows]
    )
    changed = id_list(row["id"] for row in rows)
    await db.run("delete from embedding where event in (select value from json_each(?))", changed)
    return len(rows)


async def _redact_notes(db: Transaction, notes: Sequence[tuple[str, str]]) -> int:
    count = 0
    for table, column in notes:
        count += await db.run(
            f"update {table} set {column} = redacted({column}) "
            f"where {column} <> '' and redacted({column}) is not null"
        )
    return count
