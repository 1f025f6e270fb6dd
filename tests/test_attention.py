"""Who is spoken to."""

from bot.attention import said_text, who_answers
from bot.messages import Attachment
from bot.world import Answers, Place
from tests.fakes import a_persona, dm_with, room, says

IDA = a_persona()
KITCHEN = Place(id=1, where=room())


def test_everything_in_a_dm_is_answered() -> None:
    place = Place(id=1, where=dm_with("Ana"))
    assert who_answers(says("Ana", "hm"), place, [IDA]).persona == IDA


def test_in_a_room_only_mention_reply_and_name_are_answered() -> None:
    hello = says("Ana", "hello Ben", room())
    assert who_answers(hello, KITCHEN, [IDA]).reason == "not addressed"
    assert who_answers(says("Ana", "Ida?", room()), KITCHEN, [IDA]).persona == IDA
    mention = says("Ana", "you there", room(), mentions_me=True)
    assert who_answers(mention, KITCHEN, [IDA]).persona == IDA
    reply = says("Ana", "why", room(), replies_to_me=True)
    assert who_answers(reply, KITCHEN, [IDA]).persona == IDA


def test_where_an_admin_said_always_everything_is_answered() -> None:
    place = Place(id=1, where=room(), answers=Answers.ALWAYS)
    assert who_answers(says("Ana", "hello", room()), place, [IDA]).persona == IDA


def test_a_place_that_sleeps_stays_silent_even_when_named() -> None:
    place = Place(id=1, where=room(), asleep=True)
    assert who_answers(says("Ana", "Ida!", room()), place, [IDA]).persona is None


def test_of_several_personas_the_named_one_answers() -> None:
    olga = a_persona("olga", "Olga")
    place = Place(id=1, where=room(), answers=Answers.ALWAYS)
    assert who_answers(says("Ana", "Olga?", room()), place, [IDA, olga]).persona == olga


def test_attachments_are_noted_and_small_text_files_are_read() -> None:
    message = says(
        "Ana", "look", attachments=(Attachment(description="file notes.txt", text="milk"),)
    )
    assert said_text(message) == "look\n[file notes.txt]\nmilk"


def test_a_message_of_nothing_says_nothing() -> None:
    assert said_text(says("Ana", "  ")) == ""
