"""Rows become values, and values rows, in this one place."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

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
# with the statistics of a database of few places, SQLite would begin with those.
EVENT: Final = f"""
select e.id, e.kind, e.at, e."precision", e.place, e.text, e.importance, e.forwarded,
       case when e.quoted_account in {OPTED_OUT} then '' else e.quoted end as quoted,
       e.speaker_name, s.id as speaker, s.nature as speaker_kind, s.name as agent_name,
       case when e.place_name <> '' then e.place_name else p.name end as place_name,
       (select l.status from claim l where l.event = e.id and l.status <> 'confirmed'
        order by l.id limit 1) as hearsay,
       x.new as superseded_by, m.valence, m.arousal,
       {", ".join(f"m.{name}" for name in DIMENSIONS)}
from event e
cross join place p on p.id = e.place
cross join agent a on a.id = e.speaker
cross join agent s on s.id = coalesce(a.merged_into, a.id)
left join supersession x on x.old = e.id
left join emotion m on m.event = e.id
"""


def event_of(row: Row) -> Event:
    return Event(
        id=row["id"],
        kind=EventKind(row["kind"]),
        at=moment(row["at"]),
        place_id=row["place"],
        place_name=row["place_name"],
        speaker=Agent(
            id=row["speaker"], kind=AgentKind(row["speaker_kind"]), name=row["agent_name"]
        ),
        speaker_name=row["speaker_name"],
        text=row["text"],
        quoted=row["quoted"],
        precision=Precision(row["precision"]),
        importance=row["importance"],
        superseded_by=row["superseded_by"],
        forwarded=bool(row["forwarded"]),
        hearsay=row["hearsay"] or "",
        emotion=_emotion_of(row),
    )


def _emotion_of(row: Row) -> Emotion | None:
    if row["valence"] is None:
        return None
    return Emotion(
        scores=tuple(row[name] for name in DIMENSIONS),
        valence=row["valence"],
        arousal=row["arousal"],
    )


async def events_by_id(db: Transaction, ids: Iterable[int]) -> dict[int, Event]:
    """The events that exist among these, by id."""
    rows = await db.rows(f"{EVENT} where e.id in {GIVEN}", id_list(ids))
    return {row["id"]: event_of(row) for row in rows}


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
