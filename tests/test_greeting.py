"""How a persona opens a conversation."""

from bot.greeting import greeting
from tests.fakes import NOON, a_persona


def test_macros_are_filled_in_for_whoever_is_greeted() -> None:
    persona = a_persona(greetings=["Come in, {{user}}. {{char}} has the kettle on."])
    said = greeting(persona, user="Ana", now=NOON, seed="1")
    assert said == "Come in, Ana. Ida has the kettle on."


def test_every_greeting_has_its_turn_and_one_seed_gives_one() -> None:
    persona = a_persona(greetings=["One.", "Two.", "Three."])
    said = [greeting(persona, user="Ana", now=NOON, seed=str(n)) for n in range(60)]
    assert set(said) == {"One.", "Two.", "Three."}
    assert greeting(persona, user="Ana", now=NOON, seed="7") == said[7]


def test_greetings_for_several_people_are_for_groups() -> None:
    persona = a_persona(greetings=["Hello."], group_greetings=["Hello, all of you."])
    alone = {greeting(persona, user="Ana", now=NOON, seed=str(n)) for n in range(30)}
    together = {greeting(persona, user="Ana", now=NOON, seed=str(n), group=True) for n in range(30)}
    assert alone == {"Hello."}
    assert together == {"Hello.", "Hello, all of you."}
