"""Rows become values, and values rows, in this one place."""

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, TypeVar

from bot.emotion import DIMENSIONS, Emotion
from bot.errors import StorageError
from bot.memory import Event, EventKind, Precision
from bot.world import Agent, AgentKind, Answers, Place, PlaceKey, PlaceKind, Where
from storage.connection import Row, Transaction


def stamp(moment: datetime) -> str:
    """A moment as stored: UTC, always 32 characters, so that text sorts as time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def optional_moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def id_list(ids: Iterable[int]) -> str:
    """Ids as one parameter for `json_each(?)`, however many they are."""
    return json.dumps(list(ids))


def text_list(texts: Iterable[str]) -> str:
    """Texts as one parameter for `json_each(?)`."""
    return json.dumps(list(texts))


GIVEN: Final = "(select value from json_each(?))"
"""The right side of `in` for one parameter made by `id_list` or `text_list`."""


OPTED_OUT: Final = """(
    select a.id from account a join opt_out o on o.platform = a.platform and o.user = a.user
)"""
"""Accounts of people who asked not to be kept."""


# An agent that was merged into another appears as that one. Cross joins keep the events first:
# with the statistics of a database of few places, SQLite would begin with those. The order is
# that of `event_of`, which takes the columns by their places: by name each would be searched for.
EVENT: Final = f"""
select e.id, e.kind, e.at, e."precision", e.place, e.text, e.importance, e.forwarded,
       case when e.quoted_account in {OPTED_OUT} then '' else e.quoted end,
       e.speaker_name, s.id, s.nature, s.name,
       case when e.place_name <> '' then e.place_name else p.name end,
       (select l.status from claim l where l.event = e.id and l.status <> 'confirmed'
        order by l.id limit 1),
       x.new, m.valence, m.arousal, {", ".join(f"m.{name}" for name in DIMENSIONS)}
from event e
cross join place p on p.id = e.place
cross join agent a on a.id = e.speaker
cross join agent s on s.id = coalesce(a.merged_into, a.id)
left join supersession x on x.old = e.id
left join emotion m on m.event = e.id
"""


T = TypeVar("T")


def unchecked(kind: type[T]) -> Callable[..., T]:
    """Makes values of a frozen dataclass with slots, given all its fields in order, without its
    checks: for rows that the schema checks, of which a recall reads hundreds. Three times as
    fast as the constructor."""
    setters = [getattr(kind, one.name).__set__ for one in fields(kind)]  # type: ignore[arg-type]

    def make(*values: object) -> T:
        made = object.__new__(kind)
        for put, value in zip(setters, values, strict=True):
            put(made, value)
        return made

    return make


_event, _emotion = unchecked(Event), unchecked(Emotion)
_KINDS: Final = {one.value: one for one in EventKind}
_PRECISIONS: Final = {one.value: one for one in Precision}


@lru_cache(maxsize=4096)
def _agent(number: int, kind: str, name: str) -> Agent:
    return Agent(id=number, kind=AgentKind(kind), name=name)


def event_of(row: Row) -> Event:
    """The event of a row that was selected by `EVENT`."""
    (
        number, kind, at, precision, place, text, importance, forwarded, quoted,
        speaker_name, speaker, speaker_kind, agent_name, place_name, hearsay, superseded_by,
        valence, arousal, *scores,
    ) = row  # fmt: skip
    return _event(
        number,
        _KINDS[kind],
        datetime.fromisoformat(at),
        place,
        place_name,
        _agent(speaker, speaker_kind, agent_name),
        speaker_name,
        text,
        quoted,
        _PRECISIONS[precision],
        importance,
        superseded_by,
        bool(forwarded),
        hearsay or "",
        None if valence is None else _emotion(tuple(scores), valence, arousal),
    )


async def events_by_id(db: Transaction, ids: Iterable[int]) -> dict[int, Event]:
    """The events that exist among these, by id."""
    rows = await db.rows(f"{EVENT} where e.id in {GIVEN}", id_list(ids))
    return {event.id: event for event in map(event_of, rows)}


async def event_by_id(db: Transaction, event: int) -> Event:
    return (await events_by_id(db, [event]))[event]


def place_of(row: Row) -> Place:
    key = PlaceKey(
        platform=row["platform"],
        bot_account=row["bot_account"],
        chat=row["chat"],
        thread=row["thread"],
    )
    return Place(
        id=row["id"],
        where=Where(
            key=key,
            kind=PlaceKind(row["kind"]),
            name=row["name"],
            server=row["server"],
            server_name=row["server_name"],
            parent=row["parent"],
            private=bool(row["private"]),
            age_restricted=bool(row["age_restricted"]),
        ),
        listens=bool(row["listens"]),
        answers=Answers(row["answers"]),
        persona=row["persona"],
        asleep=bool(row["asleep"]),
    )


async def place_by_id(db: Transaction, place: int) -> Place:
    """Raises StorageError if there is no such place."""
    row = await db.row("select * from place where id = ?", place)
    if row is None:
        raise StorageError(f"There is no place {place} in the database.")
    return place_of(row)


def agent_of(row: Row) -> Agent:
    return Agent(id=row["id"], kind=AgentKind(row["kind"]), name=row["name"])


async def agent_by_id(db: Transaction, agent: int) -> Agent:
    """The agent, or the one it was merged into. Raises StorageError."""
    row = await db.row(
        """
        select s.id, s.nature as kind, s.name
        from agent a join agent s on s.id = coalesce(a.merged_into, a.id)
        where a.id = ?
        """,
        agent,
    )
    if row is None:
        raise StorageError(f"There is no agent {agent} in the database.")
    return agent_of(row)


async def same_agent(db: Transaction, agent: int) -> list[int]:
    """The ids under which this agent's pointers are kept: its own and those merged with it."""
    rows = await db.rows(
        """
        with me (id) as (select coalesce(merged_into, id) from agent where id = ?)
        select id from me
        union
        select a.id from me join agent a on a.merged_into = me.id
        """,
        agent,
    )
    return [row["id"] for row in rows]
