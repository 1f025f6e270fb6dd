"""What is quoted or passed on belongs to whoever said it, not to whoever brings it."""

from dataclasses import replace
from datetime import timedelta

from bot.memory import Event, Selection, Share
from bot.messages import Message
from storage import SqliteStorage
from storage.driver import Driver
from tests.storage.forgetting import in_file
from tests.storage.scenes import NOON, author, channel, hears, look, message

CLEO = author("Cleo")
WORDS = "the xanthippe is in the cellar"


def quoting(text: str = "is that so?") -> Message:
    """Ben quotes what Cleo said where nobody kept it."""
    said = message(1, text, by="Ben", where=channel(), quoted=WORDS)
    return replace(said, quoted_from=CLEO)


async def line(store: SqliteStorage, event: Event) -> Event:
    lines = await store.window(event.place_id, before=NOON + timedelta(hours=1), limit=9)
    return next(one for one in lines if one.id == event.id)


async def test_quoted_words_are_kept_as_context(store: SqliteStorage) -> None:
    assert (await hears(store, quoting())).quoted == WORDS


async def test_somebody_who_opted_out_is_not_quoted(store: SqliteStorage, driver: Driver) -> None:
    await store.opt_out(CLEO.account, NOON)
    event = await hears(store, quoting())
    assert (event.text, event.quoted) == ("is that so?", "")
    edited = await store.edited(quoting("really?"), NOON)
    assert edited is not None
    assert (edited.text, edited.quoted) == ("really?", "")
    assert await store.person(CLEO.account) is None
    assert in_file(store.path, "xanthippe") == set()


async def test_after_opting_out_earlier_quotations_are_used_for_nothing(
    store: SqliteStorage,
) -> None:
    event = await hears(store, quoting())
    await store.opt_out(CLEO.account, NOON)
    assert (await line(store, event)).quoted == ""
    await store.opt_in(CLEO.account)
    assert (await line(store, event)).quoted == WORDS


async def test_forwarded_words_of_somebody_who_opted_out_are_not_kept(
    store: SqliteStorage,
) -> None:
    await store.opt_out(CLEO.account, NOON)
    passed_on = replace(
        message(1, WORDS, by="Ben", where=channel()), forwarded=True, forwarded_from=CLEO
    )
    received = await store.received(passed_on, persona="ida")
    assert (received.event, received.new) == (None, False)
    assert await store.edited(passed_on, NOON) is None
    assert in_file(store.path, "xanthippe") == set()


async def test_forget_everything_removes_what_others_quoted(
    store: SqliteStorage, driver: Driver
) -> None:
    event = await hears(store, quoting())
    cleo = await store.person(CLEO.account)
    assert cleo is not None
    counts = await store.forget(Selection(agent=cleo.id, share=Share.EVERYTHING, now=NOON))
    assert counts.removed["quotations"] == 1
    assert (await line(store, event)).text == "is that so?"
    assert in_file(store.path, "xanthippe", "cleo") == set()
    assert look(driver, store.path, "select quoted_account from event") == [(None,)]


async def test_what_a_persona_or_a_bot_said_makes_nobody_known(store: SqliteStorage) -> None:
    for number, who in enumerate((replace(CLEO, is_me=True), replace(CLEO, is_bot=True))):
        event = await hears(
            store, replace(message(number, "so?", by="Ben", quoted=WORDS), quoted_from=who)
        )
        assert event.quoted == WORDS
    assert await store.person(CLEO.account) is None
